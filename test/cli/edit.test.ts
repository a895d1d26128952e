import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { DeploymentSpec } from '../../src/api/generated/types.ts';
import { mergeDifference } from '../../src/api/patch/index.ts';
import type { StoredKubeObject } from '../../src/api/base/objects.ts';
import { storeOf } from './prepared-store.ts';
import { putWorkloads } from './workloads/golden-workloads.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const web = () =>
  storeOf(workshop).get<StoredKubeObject>('deployments', 'default', 'web') as StoredKubeObject & {
    spec: DeploymentSpec;
  };

/** Edits the Deployment with shell commands, one for each time that the editor opens; `$1` is the file. */
function edit(...scripts: readonly string[]) {
  putWorkloads(workshop, 'deployment-updated');
  const cases = scripts.map((script, index) => `${index + 1}) ${script} ;;`);
  const count = `n=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $n > count; cp "$1" shown-$n`;
  const editor = workshop.file('editor.sh', `${count}\ncase $n in ${cases.join(' ')} esac\n`);
  return workshop.run(['edit', 'deployment/web'], { KUBE_EDITOR: `sh ${editor}`, TMPDIR: workshop.folder });
}

const shown = (time: number): string => readFileSync(`${workshop.folder}/shown-${time}`, 'utf8');

it('stores what the user changed', async () => {
  expect(await edit('sed -i "s/replicas: 2$/replicas: 5/; /change-cause/d" "$1"')).toEqual({
    exitCode: 0,
    stdout: 'deployment.apps/web edited\n',
    stderr: '',
  });
  expect(web().spec.replicas).toBe(5);
  expect(Object.keys(web().metadata.annotations ?? {})).not.toContain('kubernetes.io/change-cause');
  expect(shown(1)).toMatch(/^# Please edit the object below\. Lines beginning with a '#' will be ignored,\n/);
});

it.each([
  ['true', 'Edit cancelled, no changes made.\n'],
  ['echo "# only a comment" > "$1"', 'Edit cancelled, saved file was empty.\n'],
])('changes nothing after: %s', async (script, stderr) => {
  expect(await edit(script)).toEqual({ exitCode: 0, stdout: '', stderr });
});

it('opens the editor again with the reasons, until the change is valid', async () => {
  const wrong = 'sed -i "s/replicas: 2$/replicas: -1/" "$1"';
  const unreadable = 'echo "a: [" > "$1"';
  const { exitCode, stdout, stderr } = await edit(
    wrong,
    unreadable,
    `cp shown-1 "$1"; sed -i "s/replicas: 2$/replicas: 3/" "$1"`,
  );
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'deployment.apps/web edited\n' });
  expect(stderr).toBe('error: deployments.apps "web" is invalid\n'.repeat(2));
  expect(shown(2)).toContain(
    '# deployments.apps "web" was not valid:\n' +
      '# * spec.replicas: Invalid value: -1: must be greater than or equal to 0\n#\n',
  );
  expect(shown(2)).toContain('replicas: -1');
  expect(web().spec.replicas).toBe(3);
});

it('says once that another version of the object is stored', async () => {
  const { exitCode, stderr } = await edit(
    'sed -i "s/resourceVersion: .*/resourceVersion: \\"1\\"/; s/replicas: 2$/replicas: 3/" "$1"',
    'true',
  );
  const conflict =
    'deployments.apps "web" could not be patched: Operation cannot be fulfilled on deployments.apps "web": ' +
    'the object has been modified; please apply your changes to the latest version and try again\n';
  expect({ exitCode, first: stderr.split(/(?<=\n)/)[0] }).toEqual({ exitCode: 1, first: `error: ${conflict}` });
  expect(shown(2)).toContain(`# ${conflict}`);
});

it('keeps the text of a change that is given up, and names its file', async () => {
  const { exitCode, stderr } = await edit('sed -i "s/kind: Deployment/kind: Pod/" "$1"', 'true');
  expect(exitCode).toBe(1);
  const [, file = ''] = /A copy of your changes has been stored to "(.*)"\n/.exec(stderr) ?? [];
  expect(stderr).toContain('error: Edit cancelled, no valid changes were saved.\n');
  expect(readFileSync(file, 'utf8')).toContain('kind: Pod');
  expect(shown(2)).toContain('# * At least one of apiVersion, kind and name was changed\n');
});

it('needs an editor, and an object', async () => {
  putWorkloads(workshop, 'deployment-updated');
  const none = await workshop.run(['edit', 'deployment/web'], { KUBE_EDITOR: '', EDITOR: '/nosuch/editor' });
  expect(none).toMatchObject({ exitCode: 2 });
  expect(none.stderr).toContain('error: unable to launch the editor "/nosuch/editor"\n');
  expect(await workshop.run(['edit', 'deployment/nosuch'])).toMatchObject({
    exitCode: 1,
    stderr: 'Error from server (NotFound): deployments.apps "nosuch" not found\n',
  });
  expect(existsSync(`${workshop.folder}/count`)).toBe(false);
});

it('stores only differences, so that other changes are kept', () => {
  const before = { a: 1, b: { c: 1, d: [1] }, e: 1 };
  expect(mergeDifference(before, { a: 1, b: { c: 2, d: [1] }, f: 1 })).toEqual({ b: { c: 2 }, e: null, f: 1 });
});
