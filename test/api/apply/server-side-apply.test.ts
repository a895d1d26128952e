import { describe, expect, it } from 'vitest';
import type { ApplyConflicts } from '../../../src/api/apply/conflicts.ts';
import {
  applyServerSide,
  atomicParts,
  checkApplied,
  shapeOfType,
  type PartRunner,
  trackUpdate,
} from '../../../src/api/apply/index.ts';
import { typeOfKind } from '../../../src/api/base/field-types.ts';
import type { KubeObject } from '../../../src/api/base/objects.ts';

const AT = '2026-11-25T10:00:00Z';
const LATER = '2026-11-25T10:00:10Z';

const shapeOf = ({ apiVersion, kind }: KubeObject) => shapeOfType(typeOfKind(apiVersion, kind));
const configMap = (data: Record<string, unknown> | undefined, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
  data,
});

interface ApplyOptions {
  readonly manager?: string;
  readonly isForced?: boolean;
  readonly time?: string;
  readonly subresource?: string;
}

function outcomeOf(live: KubeObject | undefined, applied: KubeObject, options: ApplyOptions = {}) {
  const { manager = 'me', isForced = false, time = AT, subresource = '' } = options;
  const hasStatus = applied.kind !== 'ConfigMap';
  return applyServerSide(live, applied, { shape: shapeOf(applied), manager, isForced, subresource, hasStatus, time });
}

function apply(live: KubeObject | undefined, applied: KubeObject, options?: ApplyOptions): KubeObject {
  const outcome = outcomeOf(live, applied, options);
  if (!outcome.ok) throw new Error(outcome.conflicts.message);
  return outcome.object;
}

/** The result of a computation that is left behind each of its parts, and begun again; and its parts. */
function interrupted<T>(compute: (step: PartRunner) => T): [T, string[]] {
  const done = new Map<string, unknown>();
  const step: PartRunner = (name, part) => {
    if (!done.has(name)) {
      done.set(name, part());
      throw new Error('more follows in another turn');
    }
    return done.get(name) as ReturnType<typeof part>;
  };
  for (;;) {
    try {
      return [compute(step), [...done.keys()]];
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('more'))) throw error;
    }
  }
}

function conflictsOf(live: KubeObject, applied: KubeObject, options?: ApplyOptions): ApplyConflicts {
  const outcome = outcomeOf(live, applied, options);
  if (outcome.ok) throw new Error('no conflict');
  return outcome.conflicts;
}

function update(before: KubeObject | undefined, after: KubeObject, manager: string, subresource = ''): KubeObject {
  const hasStatus = after.kind !== 'ConfigMap';
  return trackUpdate(before, after, { shape: shapeOf(after), manager, subresource, hasStatus, time: AT });
}

const ownersOf = ({ metadata }: KubeObject): Record<string, unknown> =>
  Object.fromEntries((metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1]));

/** A Deployment with these containers. */
function deployment(containers: readonly object[], spec: object = {}): KubeObject {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } }, template, ...spec },
  };
}

describe('server-side apply', () => {
  it('has the same outcome when other work comes between its parts', () => {
    const live = apply(apply(undefined, configMap({ a: '1', b: '2' })), configMap({ a: '1' }), { manager: 'other' });
    const applied = configMap({ a: '3', c: '4' });
    const forced = {
      shape: shapeOf(applied),
      manager: 'me',
      isForced: true,
      subresource: '',
      hasStatus: false,
      time: LATER,
    };
    const [outcome, parts] = interrupted((step) => applyServerSide(live, applied, forced, step));
    expect(outcome).toEqual(applyServerSide(live, applied, forced));
    expect(outcome).toMatchObject({ ok: true, object: { data: { a: '3', c: '4' } } });
    expect(parts).toEqual(['managers', 'merge', 'own', 'result']);
    const [updated, partsOfUpdate] = interrupted((step) => trackUpdate(live, applied, forced, step));
    expect(updated).toEqual(trackUpdate(live, applied, forced));
    expect(partsOfUpdate).toEqual(['managers', 'own']);
  });

  it('of a new object records the fields of the manifest', () => {
    expect(apply(undefined, configMap({ a: '1', b: '2' })).metadata.managedFields).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'v1',
        time: AT,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {}, 'f:b': {} } },
      },
    ]);
  });

  it('refuses to change what another manager has applied', () => {
    const live = apply(undefined, configMap({ a: '1' }));
    expect(conflictsOf(live, configMap({ a: '2' }), { manager: 'you' })).toEqual({
      message: 'Apply failed with 1 conflict: conflict with "me": .data.a',
      causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "me"', field: '.data.a' }],
    });
  });

  it('names the version of managers of plain writes, and the items of lists', () => {
    const live = update(undefined, deployment([{ name: 'main', image: 'a' }]), 'kubectl-set');
    const { causes } = conflictsOf(live, deployment([{ name: 'main', image: 'b' }]));
    expect(causes).toEqual([
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "kubectl-set" using apps/v1',
        field: '.spec.template.spec.containers[name="main"].image',
      },
    ]);
  });

  it('lists several conflicts by manager', () => {
    const one = apply(undefined, configMap({ a: '1', b: '1' }));
    const two = apply(one, configMap({ c: '1' }), { manager: 'he' });
    expect(conflictsOf(two, configMap({ a: '2', b: '2', c: '2' }), { manager: 'you' }).message).toBe(
      'Apply failed with 3 conflicts: conflicts with "he":\n- .data.c\nconflicts with "me":\n- .data.a\n- .data.b',
    );
  });

  it('lets two own the same value', () => {
    const live = apply(apply(undefined, configMap({ a: '1' })), configMap({ a: '1' }), { manager: 'you' });
    expect(ownersOf(live)).toEqual({ me: { 'f:data': { 'f:a': {} } }, you: { 'f:data': { 'f:a': {} } } });
  });

  it('takes fields over by force', () => {
    const live = apply(undefined, configMap({ a: '1', b: '1' }));
    const forced = apply(live, configMap({ a: '2' }), { manager: 'you', isForced: true });
    expect(forced['data']).toEqual({ a: '2', b: '1' });
    expect(ownersOf(forced)).toEqual({ me: { 'f:data': { 'f:b': {} } }, you: { 'f:data': { 'f:a': {} } } });
  });

  it('removes what its only owner leaves out', () => {
    const live = apply(undefined, configMap({ a: '1', b: '1' }));
    expect(apply(live, configMap({ a: '1' }))['data']).toEqual({ a: '1' });
    expect(apply(live, configMap(undefined))['data']).toBeUndefined();
  });

  it('keeps what another manager owns, too', () => {
    const both = apply(apply(undefined, configMap({ a: '1', b: '1' })), configMap({ b: '1' }), { manager: 'you' });
    expect(apply(both, configMap({ a: '1' }))['data']).toEqual({ a: '1', b: '1' });
  });

  it('keeps fields without an owner', () => {
    const live = apply(undefined, deployment([{ name: 'main', image: 'a' }]));
    const defaulted = { ...live, spec: { ...(live['spec'] as object), replicas: 1 } };
    expect(apply(defaulted, deployment([{ name: 'main', image: 'a' }]))['spec']).toMatchObject({ replicas: 1 });
  });

  it('removes an item of a list with its fields', () => {
    const live = apply(
      undefined,
      deployment([
        { name: 'main', image: 'a' },
        { name: 'side', image: 'b' },
      ]),
    );
    const { spec } = apply(live, deployment([{ name: 'main', image: 'a' }])) as unknown as {
      spec: { template: { spec: { containers: unknown } } };
    };
    expect(spec.template.spec.containers).toEqual([{ name: 'main', image: 'a' }]);
  });

  it('without a change leaves the object and its managers unchanged', () => {
    const live = apply(undefined, configMap({ a: '1' }));
    expect(apply(live, configMap({ a: '1' }), { time: LATER })).toEqual(live);
  });

  it('with a change has a new time', () => {
    const live = apply(undefined, configMap({ a: '1' }));
    expect(apply(live, configMap({ a: '2' }), { time: LATER }).metadata.managedFields?.[0]?.time).toBe(LATER);
  });

  it('identifies ports by number and protocol, TCP if they name none', () => {
    const live = apply(undefined, deployment([{ name: 'main', ports: [{ containerPort: 80 }] }]));
    expect(JSON.stringify(ownersOf(live))).toContain(
      JSON.stringify('k:{"containerPort":80,"protocol":"TCP"}').slice(1, -1),
    );
  });

  it('takes over the fields of kubectl apply, and keeps its annotation up to date', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const manifest = configMap({ a: '1' });
    const metadata = { annotations: { [annotation]: JSON.stringify(manifest) } };
    const live = update(undefined, configMap({ a: '1' }, metadata), 'kubectl-client-side-apply');
    const applied = apply(live, configMap({ a: '2' }), { manager: 'kubectl' });
    expect(applied['data']).toEqual({ a: '2' });
    expect(JSON.parse(applied.metadata.annotations?.[annotation] ?? '')).toEqual(configMap({ a: '2' }));
    expect(outcomeOf(live, configMap({ a: '2' }), { manager: 'other' }).ok).toBe(false);
  });
});

describe('the mistakes of an applied object', () => {
  it.each<[string, KubeObject, string[]]>([
    ['an unknown field', deployment([], { foo: 1 }), ['.spec.foo: field not declared in schema']],
    [
      'two items with the same keys',
      deployment([{ name: 'a' }, { name: 'a' }]),
      ['.spec.template.spec.containers: duplicate entries for key [name="a"]'],
    ],
    [
      'an item without its key',
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' }, secrets: [{ namespace: 'b' }] },
      [
        '.secrets: element 0: associative list with keys has an element that omits all key fields ["name"] ' +
          "(and doesn't have default values for any key fields)",
      ],
    ],
    ['none: the key has a default', deployment([{ image: 'a' }]), []],
    [
      'a text in the place of a map',
      { ...deployment([]), metadata: { name: 'web', labels: 'x' as never } },
      ['.metadata.labels: expected map, got &{x}'],
    ],
    ['none', deployment([{ name: 'a', env: [{ name: 'A', value: 'b' }] }]), []],
  ])('%s', (_, object, mistakes) => {
    expect(checkApplied(shapeOf(object), object)).toEqual(mistakes);
  });
});

describe('plain writes', () => {
  it('own what they set: a struct of Go has no owner, a pointer, list or map to who made it', () => {
    const spec = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } };
    const created = update(
      undefined,
      deployment([{ name: 'main', env: [{ name: 'A', value: 'b' }] }], spec),
      'kubectl-create',
    );
    expect(ownersOf(created)['kubectl-create']).toEqual({
      'f:spec': {
        'f:selector': {},
        'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {} }, 'f:type': {} },
        'f:template': {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"main"}': {
                '.': {},
                'f:env': { '.': {}, 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
                'f:name': {},
              },
            },
          },
        },
      },
    });
  });

  it('of the status are an entry of their own', () => {
    const before = update(undefined, deployment([]), 'kubectl-create');
    const after = { ...before, status: { replicas: 1, conditions: [{ type: 'Available', status: 'True' }] } };
    const [, status] = update(before, after, 'controller', 'status').metadata.managedFields ?? [];
    expect(status).toMatchObject({ manager: 'kubectl-create' });
    expect(update(before, after, 'controller', 'status').metadata.managedFields?.[0]).toMatchObject({
      manager: 'controller',
      operation: 'Update',
      subresource: 'status',
      fieldsV1: {
        'f:status': {
          'f:conditions': { '.': {}, 'k:{"type":"Available"}': { '.': {}, 'f:status': {}, 'f:type': {} } },
          'f:replicas': {},
        },
      },
    });
  });

  it('take from other managers what they change and remove', () => {
    const live = apply(undefined, configMap({ a: '1', b: '1', c: '1' }));
    const changed = update(live, { ...live, data: { a: '2', c: '1' } }, 'edit');
    expect(ownersOf(changed)).toEqual({ me: { 'f:data': { 'f:c': {} } }, edit: { 'f:data': { 'f:a': {} } } });
  });

  it('without an effect change no manager', () => {
    const live = update(undefined, configMap({ a: '1' }), 'create');
    expect(update(live, live, 'edit')).toEqual(live);
  });

  it('may reset the managers', () => {
    const live = apply(undefined, configMap({ a: '1' }));
    const reset = { ...live, metadata: { ...live.metadata, managedFields: [{}] } } as KubeObject;
    expect(update(live, reset, 'edit').metadata.managedFields).toBeUndefined();
  });

  it('have at most ten managers: the oldest become one', () => {
    const names = Array.from({ length: 14 }, (_, index) => `m${String(index).padStart(2, '0')}`);
    let last = update(undefined, configMap({}), 'first');
    for (const name of names) {
      const data = { ...(last['data'] as object), [name]: '1' };
      last = update(last, { ...last, data }, name);
    }
    expect(Object.keys(ownersOf(last))).toHaveLength(10);
    expect(Object.keys(ownersOf(last))).toContain('ancient-changes');
  });
});

it('the parts that an apply replaces as a whole are known', () => {
  const template = { spec: { nodeSelector: { a: 'b' }, containers: [{ name: 'a', command: ['x'] }] } };
  const object = { metadata: { labels: { a: 'b' } }, spec: { replicas: 1, template } };
  expect(atomicParts(shapeOfType('apps.Deployment'), object)).toEqual([
    '.spec.template.spec.nodeSelector',
    '.spec.template.spec.containers[0].command',
  ]);
});
