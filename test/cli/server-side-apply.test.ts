import { expect, it } from 'vitest';
import { runHere } from './in-process.ts';
import { type Ended, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const config = (data: Readonly<Record<string, string>>): string =>
  workshop.file('config.json', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data }));
const apply = (data: Readonly<Record<string, string>>, ...flags: string[]) =>
  runHere(workshop, ['apply', config(data), ...flags]);

async function storedData(): Promise<unknown> {
  return JSON.parse((await runHere(workshop, ['get', 'configmap', 'c', '-o', 'jsonpath={.data}'])).stdout);
}

const APPLIED = { exitCode: 0, stdout: 'configmap/c serverside-applied\n', stderr: '' };
const lines = (fields: readonly string[]): string => fields.map((field) => `- ${field}`).join('\n');
/** The error of kubectl, as test/golden/transcripts/apply.json has it. */
const conflict = (manager: string, ...fields: string[]): string => `error: Apply failed with ${
  fields.length === 1
    ? `1 conflict: conflict with "${manager}" using v1: ${fields[0]}`
    : `${fields.length} conflicts: conflicts with "${manager}" using v1:\n${lines(fields)}`
}
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
`;

const CI = ['--server-side', '--field-manager', 'ci'];

it('refuses to take fields of an apply without --server-side, and takes them by force', async () => {
  await apply({ a: '1', b: '1' });
  expect(await apply({ a: '2', b: '1' }, ...CI)).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: conflict('kubectl-client-side-apply', '.data.a'),
  });
  expect(await storedData()).toEqual({ a: '1', b: '1' });
  expect(await apply({ a: '2', b: '1' }, ...CI, '--force-conflicts')).toEqual(APPLIED);
  expect(await storedData()).toEqual({ a: '2', b: '1' });
});

it('removes what its manager has left out, and leaves what other managers own', async () => {
  expect(await apply({ a: '1', b: '1' }, ...CI)).toEqual(APPLIED);
  expect(await apply({ c: '1', b: '1' }, '--server-side', '--field-manager', 'cd')).toEqual(APPLIED);
  expect(await apply({ a: '1' }, ...CI)).toEqual(APPLIED);
  expect(await storedData()).toEqual({ a: '1', b: '1', c: '1' });
  expect(await apply({ c: '1' }, '--server-side', '--field-manager', 'cd')).toEqual(APPLIED);
  expect(await storedData()).toEqual({ a: '1', c: '1' });
  expect((await apply({ a: '2', c: '2' }, '--server-side')).stderr).toMatch(/^error: Apply failed with 2 conflicts: /);
  const columns = 'jsonpath={.metadata.managedFields[*].manager}';
  const { stdout } = await runHere(workshop, ['get', 'cm', 'c', '-o', columns, '--show-managed-fields']);
  expect(stdout.split(' ').toSorted()).toEqual(['cd', 'ci']);
});

it('takes over the fields of its own earlier apply without --server-side', async () => {
  await apply({ a: '1', b: '1' });
  expect(await apply({ a: '2' }, '--server-side')).toEqual(APPLIED);
  expect(await storedData()).toMatchObject({ a: '2' });
});

it('names the manager of --field-manager', async () => {
  await apply({ a: '1', b: '1' }, '--field-manager', 'mine');
  const { stderr } = await apply({ a: '2', b: '2' }, ...CI);
  expect(stderr).toBe(conflict('mine', '.data.a', '.data.b'));
});

it('an apply without the flag on an object with managers owns what it changes', async () => {
  await apply({ a: '1' }, ...CI);
  expect((await apply({ a: '2' })).stdout).toBe('configmap/c configured\n');
  expect((await apply({ a: '3' }, ...CI)).stderr).toBe(conflict('kubectl-client-side-apply', '.data.a'));
});

it('a dry run changes nothing', async () => {
  const { stdout } = await apply({ a: '1' }, '--server-side', '--dry-run=server');
  expect(stdout).toBe('configmap/c serverside-applied (server dry run)\n');
  expect((await runHere(workshop, ['get', 'configmap', 'c'])).exitCode).toBe(1);
});

it.each([
  [['--force-conflicts'], '--force-conflicts only works with --server-side'],
  [
    ['--server-side', '--dry-run=client'],
    "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
  ],
  [['--server-side', '--watch'], '--server-side cannot be used with --watch'],
])('%j is refused', async (flags, message) => {
  const { exitCode, stderr } = await apply({ a: '1' }, ...flags);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`error: ${message}\n`);
});

const role = (verb: string): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r}
rules: [{apiGroups: [""], resources: [pods], verbs: [${verb}]}]
`;
const SHORT_POD = `---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: ["true"]}]}
`;

it('prints a conflict of the API beside a run once', async () => {
  const applyRole = async (verb: string, more: string, ...flags: string[]): Promise<Ended> =>
    workshop.run(['apply', '--server-side', ...flags, workshop.file('role.yaml', role(verb) + more)]);
  const first = await applyRole('get', '');
  expect([first.exitCode, first.stdout]).toEqual([0, 'role.rbac.authorization.k8s.io/r serverside-applied\n']);
  const about = 'role.rbac.authorization.k8s.io/r';
  const conflicts = 'Apply failed with 1 conflict: conflict with "kubectl": .rules';
  const text = `${about}: ${conflicts}\nPlease review the fields above`;
  for (const more of ['', SHORT_POD]) {
    const { exitCode, stdout, stderr } = await applyRole('list', more, '--field-manager', 'ci');
    expect(exitCode).toBe(1);
    expect(`${stdout}${stderr}`.split(text)).toHaveLength(2);
    expect(stderr).toContain(more === '' ? `error: ${text}` : `error: ${about}: see the warning above\n`);
  }
  const forced = await applyRole('list', '', '--field-manager', 'ci', '--force-conflicts');
  expect([forced.exitCode, forced.stdout]).toEqual([0, first.stdout]);
});
