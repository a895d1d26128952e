import { describe, expect, it } from 'vitest';
import { lintManifests, type LintOptions } from '../../../src/manifest/lint/lint.ts';
import type { Findings } from '../../../src/manifest/lint/finding.ts';

function lint(text: string, options: Partial<LintOptions> = {}): Promise<Findings> {
  const stdin = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  };
  return lintManifests({ files: ['-'], recursive: false, stdin, runnable: false, noSkip: false, ...options });
}

async function findingLines(text: string, options: Partial<LintOptions> = {}): Promise<string[]> {
  const { findings } = await lint(text, options);
  return findings.map(({ level, rule, line, column, path }) => `${level} ${rule} ${line}:${column} ${path}`.trim());
}

const pod = (rest: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: demo }\nspec:\n  containers: [{ name: a, image: b }]\n${rest}`;

describe('what is wrong with a manifest', () => {
  it.each([
    ['nothing', pod(''), []],
    ['a value', pod('  restartPolicy: Never!\n'), ['error unsupported-value 6:18 spec.restartPolicy']],
    ['a field that does not exist', pod('  restart: no\n'), ['error unknown-field 6:3 spec.restart']],
    ['a key given twice', pod('  nodeName: a\n  nodeName: b\n'), ['error duplicate-field 7:3 spec.nodeName']],
    ['a type', pod('  hostIPC: "yes"\n'), ['error invalid-type 6:12 spec.hostIPC']],
    ['a kind', 'apiVersion: v1\nkind: Pood\n', ['error unknown-kind 2:7']],
    ['an old apiVersion', 'apiVersion: batch/v1beta1\nkind: CronJob\n', ['warning undefined-kind 1:1']],
    ['the domain of an apiVersion', 'apiVersion: app.k8s.io/v1\nkind: Deployment\n', ['error unknown-kind 2:7']],
    ['no apiVersion', 'kind: Pod\n', ['error missing-kind 1:1 apiVersion']],
    ['no indentation', 'apiVersion: v1\nkind: Pod\n\tx: y\n', ['error parse-error 3:1']],
    ['a list of objects', '- apiVersion: v1\n  kind: Pod\n', ['error invalid-type 1:1']],
    [
      'a medium that no kubelet knows',
      pod('  volumes: [{ name: v, emptyDir: { medium: memory } }, { name: w, emptyDir: { medium: Memory } }]\n'),
      ['error invalid-value 6:44 spec.volumes[0].emptyDir.medium'],
    ],
    ['a generateName, which apply refuses', pod('').replace('name: demo', 'generateName: demo-'), []],
    [
      'what the API server warns of, in a Pod that a workload makes',
      'apiVersion: batch/v1\nkind: Job\nmetadata: { name: j }\nspec:\n  template:\n    spec:\n' +
        '      terminationGracePeriodSeconds: -1\n      restartPolicy: Never\n' +
        '      containers: [{ name: a, image: b }]\n',
      ['warning server-warning 7:38 spec.template.spec.terminationGracePeriodSeconds'],
    ],
  ])('%s', async (_name, text, want) => {
    expect(await findingLines(text)).toEqual(want);
  });

  it('is reported with the object, the line and a hint', async () => {
    const [finding] = (await lint(pod('  restartpolicy: Never\n'))).findings;
    expect(finding).toMatchObject({
      file: 'STDIN',
      object: { apiVersion: 'v1', kind: 'Pod', namespace: '', name: 'demo' },
      excerpt: '  restartpolicy: Never',
      message: 'unknown field "spec.restartpolicy"',
      hint: 'did you mean "restartPolicy"?',
    });
  });

  it('names templates as what they are', async () => {
    const [finding] = (await lint('apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Name }}\n')).findings;
    expect(finding).toMatchObject({ rule: 'parse-error', line: 4, excerpt: '  name: {{ .Name }}' });
    expect(finding?.hint).toContain('template');
  });
});

describe('kinds that podrun does not run', () => {
  const role = (rule: string): string =>
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: { name: a }\nrules:\n- ${rule}\n`;

  it.each([
    ['a right one', role('{ apiGroups: [""], resources: [pods], verbs: [get] }'), []],
    ['an unknown field', role('{ apiGroups: [""], resources: [pods], verb: [get] }'), ['error unknown-field 5:41']],
    ['a missing value', role('{ apiGroups: [""], resources: [pods] }'), ['error required-value 5:3']],
    [
      'a wrong value',
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: { name: a }\n' +
        'roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Roles, name: a }\n',
      ['error unsupported-value 4:55'],
    ],
  ])('are judged as an API server does: %s', async (_name, text, wanted) => {
    const { findings, objects } = await lint(text);
    expect(objects).toBe(1);
    const lines = findings.map(({ level, rule, line, column }) => `${level} ${rule} ${line}:${column}`);
    expect(lines).toEqual(wanted);
  });
});

describe('what is not checked', () => {
  const FOREIGN = [
    ['another file in YAML', 'services: { web: { image: nginx } }\n'],
    ['a list', '- op: replace\n'],
    ['a file that is no YAML and no manifest', 'a: [\n'],
    ['a kind without a use here', 'apiVersion: autoscaling/v1\nkind: Scale\nmetadata: { name: a }\n'],
  ];

  it.each(FOREIGN)('%s is reported once, and is an error with noSkip', async (_name, text) => {
    expect(await findingLines(text)).toEqual([expect.stringMatching(/^note not-checked [12]:\d+$/)]);
    expect(await findingLines(text, { noSkip: true })).toEqual([expect.stringMatching(/^error not-checked [12]:\d+$/)]);
  });

  it.each([
    ["a resource of somebody's own", 'apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\n'],
    ["somebody's own resource of a known name", 'apiVersion: serving.knative.dev/v1\nkind: Service\n'],
  ])('warns of %s, and is an error with noSkip', async (_name, text) => {
    expect(await findingLines(text)).toEqual(['warning undefined-kind 1:1']);
    expect(await findingLines(text, { noSkip: true })).toEqual(['error undefined-kind 1:1']);
  });

  it('leaves what stands beside it checked, in the order of lines', async () => {
    const text = `a: b\n---\n${pod('  restartPolicy: Never!\n')}---\n- c\n`;
    const { findings, files, objects } = await lint(text);
    expect(findings.map(({ rule, line }) => [rule, line])).toEqual([
      ['not-checked', 1],
      ['unsupported-value', 8],
      ['not-checked', 10],
    ]);
    expect({ files, objects }).toEqual({ files: 1, objects: 1 });
  });

  it('is nothing for an empty file', async () => {
    expect(await lint('# nothing\n')).toEqual({ findings: [], unreadable: [], files: 1, objects: 0 });
  });
});

describe('what podrun makes of it', () => {
  it.each([
    ['a Pod that runs', pod(''), []],
    ['a kind that does not', pod('').replace('kind: Pod', 'kind: Binding'), ['note not-checked 1:1']],
    [
      'a workload',
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: d }\nspec:\n  selector: { matchLabels: { a: b } }\n' +
        '  template: { metadata: { labels: { a: b } }, spec: { containers: [{ name: a, image: b }] } }\n',
      [],
    ],
    [
      'a workload with a field that podrun refuses',
      'apiVersion: batch/v1\nkind: Job\nmetadata: { name: d }\nspec:\n  template:\n    spec:\n' +
        '      restartPolicy: Never\n      containers: [{ name: a, image: b }]\n' +
        '      resourceClaims: [{ name: gpu, resourceClaimName: g }]\n',
      ['error not-runnable 9:23 spec.template.spec.resourceClaims'],
    ],
    ['a field without effect', pod('  schedulerName: mine\n'), ['warning no-effect 6:18 spec.schedulerName']],
  ])('%s', async (_name, text, want) => {
    expect(await findingLines(text, { runnable: true })).toEqual(want);
  });
});

it('knows that fields have an effect where containers have namespaces', async () => {
  const fields =
    '  hostAliases: [{ ip: 127.0.0.9, hostnames: [db] }]\n  dnsPolicy: None\n' +
    '  dnsConfig: { nameservers: [127.0.0.1] }\n';
  const isolation = { hasNamespaces: true };
  expect(await findingLines(pod(fields), { runnable: true, isolation })).toEqual([]);
  expect(await findingLines(pod(fields), { runnable: true })).toHaveLength(3);
});

it('reports every unreadable file, and checks all readable ones', async () => {
  const findings = await lint(pod(''), { files: ['nosuch.yaml', '-'] });
  expect(findings).toEqual({
    findings: [],
    unreadable: ['the path "nosuch.yaml" does not exist'],
    files: 1,
    objects: 1,
  });
});
