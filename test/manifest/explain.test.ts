import { describe, expect, it } from 'vitest';
import { fieldsOf } from '../../src/api/base/field-types.ts';
import {
  type Descriptions,
  explain,
  type ExplainedField,
  explainEverything,
} from '../../src/manifest/support/explain.ts';
import { BUILT_IN_RESOURCES } from '../../src/apiserver/built-in.ts';
import { lookUpKind } from '../../src/manifest/check/kinds.ts';
import { renderExplained, renderSupport } from '../../src/print/explain.ts';

function below(kind: string, names: readonly string[] = []): readonly ExplainedField[] {
  const outcome = explain({ apiVersion: 'v1', kind }, kind.toLowerCase(), names);
  if (!outcome.ok) throw new Error(outcome.missing);
  const { field, below: fields } = outcome.explained;
  return field === undefined ? fields : [field, ...fields];
}

const everything = explainEverything();

describe('explain()', () => {
  it('lists every field with how it is treated', () => {
    expect(everything.length).toBeGreaterThan(1500);
    expect(everything.filter(({ support }) => support === undefined)).toEqual([]);
    expect(new Set(everything.map(({ path }) => path)).size).toBe(everything.length);
  });

  it('gives fields below a field without effect the same note', () => {
    const fields = below('Pod', ['spec', 'affinity', 'podAffinity']);
    expect(fields.length).toBeGreaterThan(10);
    expect(new Set(fields.map(({ support, note }) => `${support}: ${note}`)).size).toBe(1);
    const [, ...same] = fields;
    expect(below('Pod', ['spec', 'affinity', 'podAffinity', same[0]!.path.split('.').at(-1)!])[0]).toEqual(same[0]);
  });

  it('knows no field of a newer version, and none that is none', () => {
    expect(everything.filter(({ path }) => path.endsWith('.evictionResponders'))).toEqual([]);
    const outcome = explain({ apiVersion: 'v1', kind: 'Pod' }, 'pod', ['spec', 'nosuch', 'name']);
    expect(outcome).toEqual({ ok: false, missing: 'nosuch' });
  });

  it('has types as kubectl writes them', () => {
    const types = new Map(below('Pod').map(({ path, type }) => [path, type]));
    expect(
      [
        'pod.spec.containers',
        'pod.spec.nodeSelector',
        'pod.spec.containers.resources.limits',
        'pod.spec.containers.tty',
        'pod.spec.containers.livenessProbe.httpGet.port',
        'pod.spec.containers.command',
        'pod.metadata',
        'pod.metadata.creationTimestamp',
        'pod.spec.priority',
      ].map((path) => types.get(path)),
    ).toEqual([
      '[]Container',
      'map[string]string',
      'map[string]Quantity',
      'boolean',
      'IntOrString',
      '[]string',
      'ObjectMeta',
      'string',
      'integer',
    ]);
  });
});

describe('what is printed', () => {
  const pod = { kind: 'Pod', apiVersion: 'v1' };
  const descriptions: Descriptions = {
    Pod: { text: 'A group of containers.', fields: { spec: { text: 'Wanted.' }, kind: { text: 'Its kind.' } } },
    PodSpec: { text: '', fields: { tolerations: { text: 'Taints that it bears.\n\nPossible values:\n - any' } } },
    Toleration: {
      text: 'A taint that is borne.',
      fields: {
        effect: { text: 'What follows.', values: ['', 'A', 'B', 'C', 'D'] },
        key: { text: `A name${' of a taint'.repeat(8)}`, required: true },
        operator: { text: 'How keys are compared.', values: ['Equal', 'Exists'] },
      },
    },
  };
  const explained = (names: readonly string[], recursive: boolean): string => {
    const outcome = explain({ apiVersion: 'v1', kind: 'Pod' }, 'pod', names);
    if (!outcome.ok) throw new Error(outcome.missing);
    return renderExplained({ ...pod, ...outcome.explained }, { recursive, descriptions });
  };

  it('of a field are its description, the description of its type, and its fields, as kubectl prints them', () => {
    expect(explained(['spec', 'tolerations'], false)).toBe(`KIND:       Pod
VERSION:    v1

FIELD: tolerations <[]Toleration>


SUPPORT:
    partly: of the taints that users and podrun.yaml give this node

DESCRIPTION:
    Taints that it bears.
    
    Possible values:
     - any
    A taint that is borne.
    
FIELDS:
  effect\t<string>
  enum: "", A, B, C, ....
    What follows.

  key\t<string> -required-
    A name of a taint of a taint of a taint of a taint of a taint of a taint of
    a taint of a taint

  operator\t<string>
  enum: Equal, Exists
    How keys are compared.

  tolerationSeconds\t<integer>
    <no description>

  value\t<string>
    <no description>


`);
  });

  it('of a field with an enum are all its values', () => {
    expect(explained(['spec', 'tolerations', 'effect'], false)).toBe(
      'KIND:       Pod\nVERSION:    v1\n\nFIELD: effect <string>\nENUM:\n    ""\n    A\n    B\n    C\n    D\n\n' +
        'SUPPORT:\n    works\n\nDESCRIPTION:\n    What follows.\n    \n\n',
    );
  });

  it('of a kind of a group is the group', () => {
    const resource = { kind: 'Deployment', apiVersion: 'apps/v1', below: [], field: undefined, typeName: 'None' };
    expect(renderExplained(resource, { recursive: false, descriptions })).toBe(
      'GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nDESCRIPTION:\n    <empty>\n\n',
    );
  });

  it('of a kind are its fields, with --recursive also the fields of its fields, without descriptions', () => {
    expect(explained([], false)).toContain('DESCRIPTION:\n    A group of containers.\n    \nFIELDS:\n  apiVersion\t');
    expect(explained(['spec'], true)).toContain(
      '  tolerations\t<[]Toleration>\n    effect\t<string>\n    enum: "", A, B, C, ....\n' +
        '    key\t<string> -required-\n    operator\t<string>\n',
    );
  });

  it('with --support is a table', () => {
    expect(renderSupport(below('Pod', ['spec', 'volumes', 'emptyDir']), { headers: true })).toBe(
      'FIELD                                 SUPPORT     NOTE\n' +
        'pod.spec.volumes.emptyDir             partly      see its fields\n' +
        'pod.spec.volumes.emptyDir.medium      no effect   ' +
        'podrun has no huge pages: the folder is on disk (Memory works)\n' +
        'pod.spec.volumes.emptyDir.sizeLimit   partly      ' +
        'measured every 10 seconds; in memory the size of a tmpfs, with namespaces\n',
    );
  });
});

/** The page docs/support.md: the fields that do not work as on a node. */
function page(): string {
  const shown = everything.filter(({ path, support, note }) => {
    const repeats = (other: string): boolean =>
      everything.some((field) => field.path === other && field.support === support && field.note === note);
    const isCovered = repeats(path.slice(0, path.lastIndexOf('.')));
    const [kind, ...fields] = path.split('.');
    const isOfEveryKind = kind !== 'pod' && repeats(['pod', ...fields].join('.'));
    const isListed = !isCovered && !isOfEveryKind && !/\.(initC|ephemeralC)ontainers\./.test(path);
    return isListed && support !== 'works' && note !== 'see its fields';
  });
  const rows = shown.map(({ path, support, note }) => `| \`${path}\` | ${support} | ${note} |\n`);
  const fields = `${INTRODUCTION}| field | support | |\n|---|---|---|\n${rows.join('')}`;
  return [fields, SECURITY, ...securityRows(), KINDS, ...kindRows()].join('');
}

/** The part of the page with each field of the Pod's and the container's security context, also those that work. */
const SECURITY = `
## Security contexts

Each field of both, and \`hostUsers\`. [Users, groups and rights](security.md) says more. \`--strict\` refuses
what has no effect.

| field | support | |
|---|---|---|
`;

function securityFields(): ExplainedField[] {
  return everything.filter(({ path }) => /^pod\.spec\.(hostUsers$|(containers\.)?securityContext\.)/.test(path));
}

function securityRows(): string[] {
  return securityFields().map(({ path, support, note }) => {
    const meaning = note === 'see its fields' ? 'by its fields' : note || 'as on a node';
    return `| \`${path.slice('pod.spec.'.length)}\` | ${support} | ${meaning} |\n`;
  });
}

/** The part of the page with each kind that needs an API server, or that podrun does not act on. */
const KINDS = `
## Kinds

Kinds of Kubernetes that podrun does not act on by itself. Where a manifest needs it, and with \`--api\`, \`apply\`
[serves the API](operators.md#when-podrun-serves-it) beside its run; \`podrun serve\` always does. Without it, objects
of these kinds are left out with a warning. A kind that nothing defines, and a version that Kubernetes has removed, is
left out with a warning as well, and \`--strict\` refuses it. Every other kind acts as in a cluster, within the limits
of its fields above.

| kind | with an API server |
|---|---|
`;

/** The rows of kinds, by group. The reason of a kind without effect is the warning of its objects. */
function kindRows(): string[] {
  const only = BUILT_IN_RESOURCES.filter(({ group, version, kind, storage, storedAs }) => {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const isOfOtherGroup = storedAs !== undefined && !storedAs.startsWith(`${group}/`);
    return storage !== '' && !isOfOtherGroup && lookUpKind(apiVersion, kind).verdict === 'unsupported';
  });
  const rows = only.map(({ group, kind, noEffect }) => {
    const acts = kind === 'Node' ? 'no Pods run on another node than this machine' : 'acts as in a cluster';
    const effect = noEffect === undefined ? acts : `only stored, with a warning: ${noEffect}`;
    return `| \`${group === '' ? kind : `${kind}.${group}`}\` | ${effect} |\n`;
  });
  return rows.toSorted();
}

const INTRODUCTION = `# Every field of a Pod

This page lists the fields that differ from a node; every other field works as on a node. \`initContainers\` and
\`ephemeralContainers\` have the fields of \`containers\`. Other kinds have the \`metadata\` and \`status\` of a Pod,
and templates have the fields of what they make.
\`podrun explain --support\` lists all fields, \`podrun explain pod.spec.volumes --support\` the fields of one object.

| support | meaning |
|---|---|
| partly | works within the limits that the note gives |
| no effect | podrun ignores the field, and says so with an event \`FieldHasNoEffect\` |
| refused | is an error: podrun starts nothing |
| dropped | podrun leaves the field out with a warning: its feature is off in Kubernetes v1.36 |
| checked | must be valid, and has no effect on a node either |
| read-only | podrun writes the field; the value of a manifest is ignored, as on a cluster |

A test makes this page from the table that podrun uses: \`npx vitest run test/manifest/explain.test.ts -u\`.

`;

it('docs/support.md has each field of security contexts', () => {
  const paths = new Set(securityFields().map(({ path }) => path.slice('pod.spec.'.length)));
  const fields = (type: string, at: string): string[] =>
    Object.keys(fieldsOf(type) ?? {}).map((name) => `${at}.${name}`);
  const wanted = [
    ...fields('PodSecurityContext', 'securityContext'),
    ...fields('SecurityContext', 'containers.securityContext'),
    ...fields('SeccompProfile', 'containers.securityContext.seccompProfile'),
    ...fields('AppArmorProfile', 'securityContext.appArmorProfile'),
    ...fields('SELinuxOptions', 'securityContext.seLinuxOptions'),
    'hostUsers',
  ];
  expect(wanted.length).toBeGreaterThan(30);
  expect(wanted.filter((path) => !paths.has(path))).toEqual([]);
});

it('docs/support.md is what the table says', async () => {
  await expect(page()).toMatchFileSnapshot('../../docs/support.md');
});
