import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stageForEach } from '../puppet/stage.ts';
import { startAtTerminal } from './own-terminal.ts';
import { type Ended, type Running, Workshop, workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';
import { needTier, TIERS } from './tiers.ts';

const workshop = workshopForEach();
const stage = stageForEach();

const STAYS = ['sh', '-c', 'trap "exit 0" TERM; sleep 1000 & wait'];

/**
 * Runs `apply` with these flags, in a process of its own if the test kills it. Without a flag, the machine decides
 * about namespaces.
 */
async function start(place: Workshop, flags: readonly string[] = [], { isKilled = false } = {}): Promise<Running> {
  const pod = place.pod('web', {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 2,
    initContainers: [{ name: 'setup', image: 'busybox', command: ['true'] }],
    containers: [
      {
        name: 'main',
        command: STAYS,
        env: [
          { name: 'COLOR', value: 'red' },
          { name: 'db.password', value: 'hidden' },
        ],
        workingDir: '/usr',
      },
      { name: 'side', command: STAYS },
    ],
  });
  const args = ['apply', pod, ...flags];
  const applied = isKilled ? place.start(args) : place.begin(args);
  await applied.until(({ stdout }) => stdout.includes('Running, ContainersReady, Ready'));
  return applied;
}

const DEFAULTED = 'Defaulted container "main" out of: main, side, setup (init)\n';

describe('podrun exec', () => {
  const shared = new Workshop();
  let applied: Running;
  const exec = (...args: string[]): Promise<Ended> => shared.run(['exec', ...args]);

  beforeAll(async () => {
    applied = await start(shared);
  });
  afterAll(async () => {
    applied.signal('SIGINT');
    await applied.ended;
    const left = await shared.close();
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
  });

  it('runs a command in the container, and exits with its exit code', async () => {
    const script = 'echo "$COLOR $PWD"; echo trouble >&2; exit 7';
    expect(await exec('web', '--', 'sh', '-c', script)).toEqual({
      exitCode: 7,
      stdout: 'red /usr\n',
      stderr: `${DEFAULTED}trouble\ncommand terminated with exit code 7\n`,
    });
    expect(await exec('pod/web', '-c', 'side', '--', 'sh', '-c', 'echo "${COLOR-none}"')).toEqual({
      exitCode: 0,
      stdout: 'none\n',
      stderr: '',
    });
    expect((await exec('web', '-q', '--', 'env')).stdout).toContain('\ndb.password=hidden\n');
    // The output of `exec` is neither in the log nor in the output of `apply`.
    expect(applied.stdout).not.toContain('red');
    expect((await shared.run(['logs', 'web', '-c', 'main'])).stdout).toBe('');
  });

  it('passes on standard input and its end', async () => {
    const text = `${'x'.repeat(80)}\n`.repeat(20_000);
    const podrun = shared.start(['exec', '-i', '-q', 'web', '--', 'sh', '-c', 'cat /dev/stdin; echo end'], {}, text);
    const { stdout, ...rest } = await podrun.ended;
    expect(rest).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout === `${text}end\n`).toBe(true);
    // Without -i, the command has no input.
    expect(await shared.start(['exec', '-q', 'web', '--', 'cat'], {}, 'typed').ended).toMatchObject({ stdout: '' });
  });

  it('reports a missing terminal and continues without', async () => {
    const podrun = shared.start(['exec', '-it', 'web', '-c', 'main', '--', 'tty'], {}, '');
    expect(await podrun.ended).toEqual({
      exitCode: 1,
      stdout: 'not a tty\n',
      stderr:
        'Unable to use a TTY - input is not a terminal or the right kind of file\n' +
        'command terminated with exit code 1\n',
    });
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('ends the command when %s ends podrun', async (signal) => {
    const podrun = shared.start(['exec', '-q', 'web', '--', ...stage.command('command')]);
    const command = await stage.puppet('command');
    podrun.signal(signal);
    await command.gone;
    expect((await podrun.ended).exitCode).toBe(signal === 'SIGINT' ? 130 : 137);
  });

  it('finds the Pod of a Service', async () => {
    const spec = 'spec: { selector: { app: front }, ports: [{ port: 80 }] }';
    const service = shared.file('front.yaml', `apiVersion: v1\nkind: Service\nmetadata: { name: front }\n${spec}\n`);
    expect((await shared.run(['apply', service])).exitCode).toBe(0);
    const impatient = ['svc/front', '-c', 'main', '--pod-running-timeout=1ms', '--', 'pwd'];
    expect(await exec(...impatient)).toMatchObject({
      exitCode: 1,
      stderr: 'error: timed out waiting for the condition\n',
    });
    const waiting = shared.start(['exec', 'svc/front', '-c', 'main', '--', 'pwd']);
    await shared.run(['label', 'pod', 'web', 'app=front']);
    expect(await waiting.ended).toEqual({ exitCode: 0, stdout: '/usr\n', stderr: '' });
  });

  it('refuses wrong arguments', async () => {
    const cases: Array<[string[], number, string]> = [
      [['web', '-c', 'setup', '--', 'true'], 1, 'error: unable to upgrade connection: container not found ("setup")\n'],
      [
        ['web', '-c', 'nope', '--', 'true'],
        1,
        'error: container nope is not valid for pod web out of: main, side, setup (init)\n',
      ],
      [['nope', '--', 'true'], 1, 'Error from server (NotFound): pods "nope" not found\n'],
      [['web'], 2, 'error: you must specify at least one command for the container\n'],
      [
        ['web', 'date'],
        2,
        'error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\n' +
          "See 'podrun exec -h' for help and examples\n",
      ],
      [['pod/a/b', '--', 'true'], 2, 'error: arguments in resource/name form must have a single resource and name\n'],
      [['web', '--pod-running-timeout=0s', '--', 'true'], 2, 'error: --pod-running-timeout must be higher than zero\n'],
    ];
    const ended = await Promise.all(cases.map(([args]) => exec(...args)));
    expect(ended).toEqual(cases.map(([, exitCode, stderr]) => ({ exitCode, stdout: '', stderr })));
  });

  it('reports why a program cannot be started', async () => {
    const { stderr, ...rest } = await exec('web', '-q', '--', 'nosuch');
    expect(rest).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr.replace(/[0-9a-f]{64}/, 'ID')).toBe(
      'error: Internal error occurred: Internal error occurred: error executing command in container: ' +
        'failed to exec in container: failed to start exec "ID": OCI runtime exec failed: exec failed: ' +
        'unable to start container process: exec: "nosuch": executable file not found in $PATH\n',
    );
  });
});

describe('podrun exec when its container ends', () => {
  const exec = (...args: string[]): Promise<Ended> => workshop.run(['exec', ...args]);

  it('ends with the container', async () => {
    await start(workshop);
    const podrun = workshop.start(['exec', '-q', 'web', '--', ...stage.command('command')]);
    const command = await stage.puppet('command');
    await workshop.run(['delete', 'pod', 'web', '--now']);
    await command.gone;
    expect(await podrun.ended).toMatchObject({ exitCode: 137, stderr: 'command terminated with exit code 137\n' });
  });

  it('refuses a Pod that has ended, and one without an agent', async () => {
    const applied = await start(workshop, [], { isKilled: true });
    applied.signal('SIGKILL');
    await applied.ended;
    expect(await exec('web', '--', 'true')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /was killed; .*\nerror: cannot exec into a container in a completed pod; current phase is Failed\n$/,
      ),
    });
    const done = workshop.pod('done', { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] });
    await workshop.run(['apply', done]);
    expect(await exec('done', '--', 'true')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: cannot exec into a container in a completed pod; current phase is Succeeded\n',
    });
  });
});

describe('podrun exec -it', needs('terminals'), () => {
  it.for(TIERS)('is a terminal in the container, to the exit code (%s)', async (tier, test) => {
    needTier(test, tier);
    await start(workshop, [`--runtime=${tier}`]);
    const terminal = startAtTerminal(workshop, ['exec', '-it', 'web', '-q', '--', 'env', 'PS1=prompt>', 'sh']);
    await terminal.shows(/^prompt>$/);
    // The size of the terminal may arrive a moment after the prompt.
    terminal.type("until [ \"$(stty size)\" = '20 90' ]; do :; done; echo $TERM $COLOR $(pwd) fi''rst\n");
    await terminal.shows(/\r\nxterm red \/usr first\r\nprompt>$/);
    terminal.resize(70, 10);
    terminal.type("until [ \"$(stty size)\" = '10 70' ]; do :; done; echo sec''ond\n");
    await terminal.shows(/\r\nsecond\r\nprompt>$/);
    terminal.type('sh -c \'trap "echo caught; exit" INT; echo rea""dy; while :; do sleep 0.01; done\'\n');
    await terminal.shows(/\r\nready\r\n$/);
    terminal.type('\x03');
    await terminal.shows(/\^Ccaught\r\nprompt>$/);
    terminal.type('exit 5\n');
    await terminal.shows(/\r\ncommand terminated with exit code 5\r\n$/);
    expect(await terminal.ended).toBe(5);
  });
});

describe('podrun exec in a container with namespaces', needs('namespaces'), () => {
  beforeEach(async () => void (await start(workshop, ['--runtime=namespace'])));

  it('sees the files and processes of the container, and none of the host', async () => {
    const script =
      'hostname; echo here > /usr/exec-was-here; cat /usr/exec-was-here; kill -0 1 && ls /proc | grep -cx 1';
    expect(await workshop.run(['exec', 'web', '-q', '--', 'sh', '-c', script])).toEqual({
      exitCode: 0,
      stdout: 'web\nhere\n1\n',
      stderr: '',
    });
    expect(existsSync('/usr/exec-was-here')).toBe(false);
  });

  it('ends its command when podrun is killed', async () => {
    const podrun = workshop.start(['exec', '-q', 'web', '--', ...stage.command('command')]);
    const command = await stage.puppet('command');
    podrun.signal('SIGKILL');
    await command.gone;
    expect((await podrun.ended).exitCode).toBe(137);
  });
});
