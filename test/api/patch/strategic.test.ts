import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { applyPatch } from '../../../src/api/patch/index.ts';
import { messageOf } from './message-of.ts';

const podOf = (spec: object, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'demo' },
  spec,
  ...more,
});

const specAfter = (spec: object, patch: object): unknown =>
  applyPatch(podOf(spec), { spec: patch }, 'strategic')['spec'];

describe('a strategic merge patch of a Pod', () => {
  const cases: Array<{ what: string; spec: object; patch: object; after: object }> = [
    {
      what: 'merges objects and keeps the rest',
      spec: { nodeSelector: { a: '1', b: '2' }, hostname: 'h' },
      patch: { nodeSelector: { b: '3' } },
      after: { nodeSelector: { a: '1', b: '3' }, hostname: 'h' },
    },
    {
      what: 'deletes with null',
      spec: { hostname: 'h', dnsPolicy: 'None' },
      patch: { hostname: null },
      after: { dnsPolicy: 'None' },
    },
    { what: 'has nothing to do for a null of nothing', spec: {}, patch: { hostname: null }, after: {} },
    {
      what: 'leaves nulls out of what is new',
      spec: {},
      patch: { securityContext: { runAsUser: null, fsGroup: 1, $retainKeys: ['fsGroup'] } },
      after: { securityContext: { fsGroup: 1 } },
    },
    {
      what: 'replaces what is of another type',
      spec: { hostname: 'h' },
      patch: { hostname: { odd: true } },
      after: { hostname: { odd: true } },
    },
    {
      what: 'merges containers by name, and the changed ones come first',
      spec: {
        containers: [
          { name: 'a', image: 'a:1', tty: true },
          { name: 'b', image: 'b:1' },
        ],
      },
      patch: {
        containers: [
          { name: 'a', image: 'a:2' },
          { name: 'c', image: 'c:1' },
        ],
      },
      after: {
        containers: [
          { name: 'a', image: 'a:2', tty: true },
          { name: 'c', image: 'c:1' },
          { name: 'b', image: 'b:1' },
        ],
      },
    },
    {
      what: 'keeps the place of items that the patch does not name',
      spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
      patch: { containers: [{ name: 'b', image: 'b:2' }] },
      after: { containers: [{ name: 'a' }, { name: 'b', image: 'b:2' }, { name: 'c' }] },
    },
    {
      what: 'merges env by name, ports by number and mounts by path',
      spec: {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
            ports: [{ containerPort: 80, protocol: 'TCP' }],
            volumeMounts: [{ mountPath: '/x', name: 'v' }],
          },
        ],
      },
      patch: {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'B', value: '3' },
              { name: 'C', value: '4' },
            ],
            ports: [{ containerPort: 80, name: 'http' }, { containerPort: 81 }],
            volumeMounts: [{ mountPath: '/x', readOnly: true }],
          },
        ],
      },
      after: {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '3' },
              { name: 'C', value: '4' },
            ],
            ports: [{ containerPort: 80, protocol: 'TCP', name: 'http' }, { containerPort: 81 }],
            volumeMounts: [{ mountPath: '/x', name: 'v', readOnly: true }],
          },
        ],
      },
    },
    {
      what: 'replaces lists without a merge key as a whole',
      spec: { tolerations: [{ key: 'a' }], containers: [{ name: 'a', command: ['x', 'y'], args: ['z'] }] },
      patch: { tolerations: [{ key: 'b' }], containers: [{ name: 'a', command: ['w'] }] },
      after: { tolerations: [{ key: 'b' }], containers: [{ name: 'a', command: ['w'], args: ['z'] }] },
    },
    {
      what: 'deletes an item with $patch: delete',
      spec: { containers: [{ name: 'a' }, { name: 'b' }] },
      patch: { containers: [{ $patch: 'delete', name: 'a' }] },
      after: { containers: [{ name: 'b' }] },
    },
    {
      what: 'replaces a list with $patch: replace',
      spec: { containers: [{ name: 'a' }, { name: 'b' }] },
      patch: { containers: [{ name: 'c' }, { $patch: 'replace' }] },
      after: { containers: [{ name: 'c' }] },
    },
    {
      what: 'replaces an object with $patch: replace',
      spec: { securityContext: { runAsUser: 1, fsGroup: 2 } },
      patch: { securityContext: { $patch: 'replace', fsGroup: 3 } },
      after: { securityContext: { fsGroup: 3 } },
    },
    {
      what: 'empties an object with $patch: delete',
      spec: { securityContext: { runAsUser: 1 } },
      patch: { securityContext: { $patch: 'delete' } },
      after: { securityContext: {} },
    },
    { what: 'deletes what is not there', spec: {}, patch: { affinity: { $patch: 'delete' } }, after: {} },
    {
      what: 'replaces the source of a volume, without the directive, too',
      spec: { volumes: [{ name: 'v', emptyDir: {} }] },
      patch: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
      after: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
    },
    {
      what: 'merges the source of a volume that it had',
      spec: { volumes: [{ name: 'v', configMap: { name: 'a', optional: true } }] },
      patch: { volumes: [{ name: 'v', configMap: { name: 'b' } }] },
      after: { volumes: [{ name: 'v', configMap: { name: 'b', optional: true } }] },
    },
    {
      what: 'keeps only what $retainKeys names',
      spec: { volumes: [{ name: 'v', emptyDir: {} }] },
      patch: { volumes: [{ $retainKeys: ['name', 'hostPath'], name: 'v', hostPath: { path: '/x' } }] },
      after: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
    },
    {
      what: 'puts items in the order of $setElementOrder, and keeps the places of the rest',
      spec: { containers: [{ name: 'a' }, { name: 'server' }, { name: 'b' }] },
      patch: {
        '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }, { name: 'a' }],
        containers: [{ name: 'c', image: 'c:1' }],
      },
      after: { containers: [{ name: 'c', image: 'c:1' }, { name: 'server' }, { name: 'b' }, { name: 'a' }] },
    },
    {
      what: 'merges items of an order that names no change',
      spec: { containers: [{ name: 'a' }, { name: 'b' }] },
      patch: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
      after: { containers: [{ name: 'b' }, { name: 'a' }] },
    },
    {
      what: 'takes directives out of new items',
      spec: {},
      patch: { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'a', $retainKeys: ['name'] }] },
      after: { containers: [{ name: 'a' }] },
    },
  ];

  it.each(cases)('$what', ({ spec, patch, after }) => {
    expect(specAfter(spec, patch)).toEqual(after);
  });

  it('merges lists of plain values where the API says so', () => {
    const pod: KubeObject = { ...podOf({}), metadata: { name: 'demo', finalizers: ['x/a', 'x/b'] } };
    const metadataAfter = (metadata: object): unknown => applyPatch(pod, { metadata }, 'strategic').metadata;
    expect(metadataAfter({ finalizers: ['x/c', 'x/a'] })).toEqual({ name: 'demo', finalizers: ['x/c', 'x/a', 'x/b'] });
    const deletion = { '$deleteFromPrimitiveList/finalizers': ['x/a'] };
    expect(metadataAfter(deletion)).toEqual({ name: 'demo', finalizers: ['x/b'] });
  });

  it('merges conditions by type', () => {
    const status = {
      conditions: [
        { type: 'Ready', status: 'True', reason: 'r' },
        { type: 'my/gate', status: 'False' },
      ],
    };
    const patch = { status: { conditions: [{ type: 'my/gate', status: 'True' }] } };
    expect(applyPatch(podOf({}, { status }), patch, 'strategic')['status']).toEqual({
      conditions: [
        { type: 'Ready', status: 'True', reason: 'r' },
        { type: 'my/gate', status: 'True' },
      ],
    });
  });

  it('leaves the object and the patch unchanged', () => {
    const pod = podOf({ containers: [{ name: 'a' }] });
    const patch = {
      spec: {
        containers: [
          { name: 'a', image: null },
          { $patch: 'delete', name: 'b' },
        ],
      },
    };
    const [podText, patchText] = [pod, patch].map((value) => JSON.stringify(value));
    applyPatch(pod, patch, 'strategic');
    expect([pod, patch].map((value) => JSON.stringify(value))).toEqual([podText, patchText]);
  });

  it('knows no lists to merge in kinds without a table', () => {
    const other: KubeObject = {
      apiVersion: 'x/v1',
      kind: 'Odd',
      metadata: { name: 'o' },
      spec: { containers: [{ name: 'a' }] },
    };
    const patched = applyPatch(other, { spec: { containers: [{ name: 'b' }] } }, 'strategic');
    expect(patched['spec']).toEqual({ containers: [{ name: 'b' }] });
  });

  it('treats keys of a map as plain keys, whatever they are called', () => {
    const config: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { constructor: 'a' },
    };
    const patch = JSON.parse('{"data":{"__proto__":"x","toString":"y"}}') as object;
    expect(JSON.stringify(applyPatch(config, patch, 'strategic')['data'])).toBe(
      '{"constructor":"a","__proto__":"x","toString":"y"}',
    );
  });

  const refusals: Array<{ patch: unknown; message: string }> = [
    {
      patch: [{ op: 'add' }],
      message:
        'Error from server (BadRequest): json: cannot unmarshal array into Go value of type map[string]interface {}',
    },
    {
      patch: { spec: { containers: [{ image: 'x', tty: true }] } },
      message: 'Error from server: map: map[image:x tty:true] does not contain declared merge key: name',
    },
    {
      patch: { spec: { $patch: 'merge' } },
      message: 'Error from server: unknown patch type: merge in map: map[$patch:merge]',
    },
    {
      patch: { spec: { containers: [{ $patch: 'merge', name: 'a' }] } },
      message: 'Error from server: merging lists cannot yet be specified in the patch',
    },
    {
      patch: { spec: { containers: [{ $patch: 'drop', name: 'a' }] } },
      message: 'Error from server: unknown patch type: drop in map: map[$patch:drop name:a]',
    },
    {
      patch: { spec: { containers: ['a'] } },
      message: 'Error from server: list element types are not identical: [[map[name:a]] [a]]',
    },
    {
      patch: { spec: { $retainKeys: ['x'], hostname: 'h' } },
      message: 'Error from server (BadRequest): invalid patch format of retainKeys',
    },
    {
      patch: { metadata: { '$deleteFromPrimitiveList/finalizers': 'x' } },
      message: 'Error from server (BadRequest): invalid patch format of primitive list',
    },
    {
      patch: { spec: { '$setElementOrder/containers': { name: 'a' } } },
      message: 'Error from server (BadRequest): invalid patch format of setElementOrder list',
    },
    {
      patch: { spec: { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'z' }] } },
      message:
        'Error from server: The order in patch list:\n[map[name:z]]\n ' +
        "doesn't match $setElementOrder list:\n[map[name:a]]\n",
    },
  ];

  it.each(refusals)('is refused: $message', ({ patch, message }) => {
    expect(messageOf(() => applyPatch(podOf({ containers: [{ name: 'a' }] }), patch, 'strategic'))).toEqual({
      message,
    });
  });
});
