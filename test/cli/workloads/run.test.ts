import { describe, expect, it } from 'vitest';
import { newPod } from '../../store/objects.ts';
import { runHere } from '../in-process.ts';
import { storeOf } from '../prepared-store.ts';
import { workshopForEach } from '../workshop.ts';

const workshop = workshopForEach();
const SHELL = ['--image=busybox', '--restart=Never', '--command', '--', 'sh', '-c'];

describe('run -i', () => {
  it('shows the container from its first byte, returns its exit code, and deletes the Pod with --rm', async () => {
    const script = 'echo one; read word; echo "$word" >&2; exit 3';
    const podrun = workshop.start(['run', 'try', '-i', '--rm', ...SHELL, script], {}, 'two\n');
    const { exitCode, stdout, stderr } = await podrun.ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: 'one\npod "try" deleted from default namespace\n' });
    expect(stderr).toBe(
      "If you don't see a command prompt, try pressing enter.\ntwo\npod default/try terminated (Error)\n",
    );
    expect((await workshop.run(['get', 'pods'])).stderr).toBe('No resources found in default namespace.\n');
  });
});

it('run --rm leaves a Pod alone that has the name already', async () => {
  storeOf(workshop).create('pods', newPod('mine', { phase: 'Running' }));
  const refused = await runHere(workshop, ['run', 'mine', '--rm', ...SHELL, 'exit 0']);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toBe('Error from server (AlreadyExists): pods "mine" already exists\n');
  expect(storeOf(workshop).get('pods', 'default', 'mine')).toBeDefined();
});

it('run --rm deletes the Pod after a run in the foreground', async () => {
  const { exitCode, stdout } = await workshop.run(['run', 'try', '--rm', ...SHELL, 'exit 0']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/Succeeded.*\npod "try" deleted from default namespace\n$/);
});

it('run --expose makes a Service as well', async () => {
  const line = 'run site --image=nginx --port=80 --expose --dry-run=client -o yaml';
  const { stdout } = await runHere(workshop, line.split(' '));
  expect(stdout).toMatch(
    /^apiVersion: v1\nkind: Service\n[^]*\n  selector:\n    run: site\n[^]*\n---\napiVersion: v1\nkind: Pod\n/,
  );
});

it('run takes the command without --, too', async () => {
  const line =
    'run w --image=busybox --dry-run=client -o jsonpath={.spec.containers[0].command}{.spec.containers[0].args}';
  const written = async (...more: string[]): Promise<string> =>
    (await runHere(workshop, [...line.split(' '), ...more])).stdout;
  expect(await written('--command', 'sleep', '9')).toBe('["sleep","9"]');
  expect(await written('sleep', '--', '-x')).toBe('["sleep","-x"]');
});

it.each([
  ['-t', '-i/--stdin is required for containers with -t/--tty=true'],
  ['--expose', '--port must be set when exposing a service'],
  ['--rm -d', '--rm should only be used for attached containers\nLeave out --detach and --dry-run.'],
  [
    '-i --dry-run=client',
    "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
  ],
  ['-i -d', '-i and --attach cannot be used with --detach, --until or --timeout'],
])('run %s is refused', async (flags, message) => {
  const refused = await runHere(workshop, `run r --image=b ${flags}`.split(' '));
  expect(refused).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${message}\n` });
});
