import { beforeEach, describe, expect, it } from 'vitest';
import type { Pod } from '../../src/api/generated/types.ts';
import { stageForEach } from '../puppet/stage.ts';
import { startAtTerminal } from './own-terminal.ts';
import { type Ended, type Running, workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();
const stage = stageForEach();
let applied: Running;

beforeEach(async () => {
  const main = {
    name: 'main',
    command: stage.command('main'),
    env: [{ name: 'COLOR', value: 'red' }],
    workingDir: '/usr',
  };
  const pod = workshop.pod('web', { containers: [main], restartPolicy: 'Never', terminationGracePeriodSeconds: 2 });
  applied = workshop.begin(['apply', pod]);
  await stage.puppet('main');
});

const debug = (...args: string[]): Promise<Ended> => workshop.run(['debug', 'web', ...args]);

async function pod(): Promise<Pod> {
  return JSON.parse((await workshop.run(['get', 'pod', 'web', '-o', 'json'])).stdout) as Pod;
}

describe('podrun debug', () => {
  it('adds a container that runs once beside the containers of the Pod', async () => {
    expect(await debug('-c', 'look', '--', ...stage.command('look'))).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    const look = await stage.puppet('look');
    look.exit(4);
    await applied.until(({ stdout }) => stdout.includes('exited with code 4'));
    const { metadata, spec, status } = await pod();
    expect(metadata?.generation).toBe(2);
    expect(spec?.ephemeralContainers?.[0]).toMatchObject({ name: 'look', image: 'host', imagePullPolicy: 'Always' });
    expect(status?.ephemeralContainerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 4, reason: 'Error' });
    expect(status).toMatchObject({ phase: 'Running', observedGeneration: 2 });
    expect(status?.containerStatuses?.[0]).toMatchObject({ name: 'main', ready: true, restartCount: 0 });
    const events = await workshop.run(['get', 'events', '-o', 'json']);
    expect(events.stdout).toContain('spec.ephemeralContainers{look}');
    expect((await debug('-c', 'look', '--', 'true')).stderr).toBe(
      'The Pod "web" is invalid: spec.ephemeralContainers[1].name: Duplicate value: "look"\n',
    );
  });

  it('shows the output of the container, and exits with its exit code', async () => {
    const script = 'echo $COLOR $EXTRA; pwd; echo trouble >&2; exit 6';
    const args = ['--attach', '--target=main', '--env', 'EXTRA=1,2', '-c', 'look', '--', 'sh', '-c', script];
    const ended = await debug(...args);
    expect(ended).toMatchObject({ exitCode: 6, stderr: 'trouble\n' });
    const [targeting, ...printed] = ended.stdout.split('\n');
    expect(targeting).toMatch(/^Targeting container "main"\. If you don't see processes from this container/);
    expect(printed).toEqual(['red 1,2', '/usr', '']);
    expect((await workshop.run(['logs', 'web', '-c', 'look'])).stdout).toBe('red 1,2\n/usr\ntrouble\n');
  });

  it('passes on standard input and its end', async () => {
    const podrun = workshop.start(['debug', 'web', '-i', '-q', '--', 'sh', '-c', 'cat; echo end'], {}, 'typed\n');
    expect(await podrun.ended).toEqual({ exitCode: 0, stdout: 'typed\nend\n', stderr: '' });
  });

  it('reports why the container does not start, and that it never will', async () => {
    const waiting = workshop.start(['debug', 'web', '-q', '--attach', '-c', 'look', '--image=nosuch', '--env=A=b']);
    const loud = workshop.start(['debug', 'web', '--attach', '-c', 'loud', '--image=nosuch']);
    // The two containers may fail in either order: the next attempt of the first would come ten seconds later.
    await applied.until(({ stdout }) => /look.*ErrImagePull/.test(stdout) && /loud.*ErrImagePull/.test(stdout));
    await workshop.run(['delete', 'pod', 'web', '--now']);
    expect(await waiting.ended).toMatchObject({ exitCode: 1, stdout: '' });
    const { stderr } = await loud.ended;
    expect(stderr).toMatch(/^Warning: container loud: podrun runs programs of this host, and the entry point of image/);
    expect(stderr).toMatch(/pods? "web" (not found|has ended before container "loud" could run)/);
  });

  it.each([
    [['nope'], /^Error from server \(NotFound\): pods "nope" not found\n$/, 1],
    [['web', '--target=x', '-q'], /spec\.ephemeralContainers\[0\]\.targetContainerName: Not found: "x"\n$/, 1],
    [['web', '-t'], /^error: -i\/--stdin is required for containers with -t\/--tty=true\n/, 2],
    [['web', '--copy-to=other'], /^error: you must specify --image, --set-image or command arguments\.\n/, 2],
    [['web', '--env', 'A'], /A must be formatted as key=value/, 2],
    [[], /^error: NAME is required for debug\n/, 2],
    [['cm/x'], /^error: "configmaps" not supported by debug/, 2],
  ])('refuses %j', async (args, stderr, exitCode) => {
    const ended = await workshop.begin(['debug', ...args]).ended;
    expect(ended).toMatchObject({ exitCode, stdout: '' });
    expect(ended.stderr).toMatch(stderr);
  });

  it('refuses a Pod in which no container can start', async () => {
    applied.signal('SIGTERM');
    await applied.ended;
    expect(await debug('--', 'true')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/cannot add an ephemeral container to a completed pod/),
    });
  });
});

describe('podrun debug -it', needs('terminals'), () => {
  it('is a terminal, from the first prompt to the exit code', async () => {
    const terminal = startAtTerminal(workshop, ['debug', 'web', '-it', '--env=PS1=prompt>']);
    const first = 'Defaulting debug container name to debugger-\\w{5}\\.';
    await terminal.shows(
      new RegExp(`^${first}\r\nIf you don't see a command prompt, try pressing enter\\.\r\nprompt>`),
    );
    // The size of the terminal may arrive a moment after the prompt.
    terminal.type("until [ \"$(stty size)\" = '20 90' ]; do :; done; echo fi''rst\n");
    await terminal.shows(/[^\r]\r\nfirst\r\nprompt>$/);
    terminal.resize(70, 10);
    terminal.type("until [ \"$(stty size)\" = '10 70' ]; do :; done; echo sec''ond\n");
    await terminal.shows(/\r\nsecond\r\nprompt>$/);
    terminal.type('sh -c \'trap "echo caught; exit" INT; echo rea""dy; while :; do sleep 0.01; done\'\n');
    await terminal.shows(/\r\nready\r\n$/);
    terminal.type('\x03');
    await terminal.shows(/\^Ccaught\r\nprompt>$/);
    terminal.type('exit 5\n');
    expect(await terminal.ended).toBe(5);
    // The output of `debug` is not in the output of `apply`.
    await applied.until(({ stdout }) => /debugger-\w{5} +debug +exited with code 5/.test(stdout));
    expect(applied.stdout).not.toContain('prompt>');
  });
});
