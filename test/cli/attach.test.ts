import { beforeEach, describe, expect, it } from 'vitest';
import type { Container } from '../../src/api/generated/types.ts';
import { type Puppet, stageForEach } from '../puppet/stage.ts';
import { startAtTerminal } from './own-terminal.ts';
import { type Podrun, type Running, workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();
const stage = stageForEach();
let applied: Running;
let main: Puppet;

/** Runs a Pod with a puppet and another container, in a process of its own if the test kills it. */
async function run(other: Partial<Container>, { isKilled = false } = {}): Promise<void> {
  const pod = workshop.pod('web', {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    initContainers: [{ name: 'setup', image: 'busybox', command: ['true'] }],
    containers: [
      { name: 'main', command: stage.command('main') },
      { name: 'other', ...other },
    ],
  });
  applied = isKilled ? workshop.start(['apply', pod]) : workshop.begin(['apply', pod]);
  main = await stage.puppet('main');
  await applied.until(({ stdout }) => stdout.includes('Running, ContainersReady, Ready'));
}

const attach = (args: readonly string[], input?: string): Podrun => workshop.start(['attach', ...args], {}, input);
const PROMPT = "If you don't see a command prompt, try pressing enter.\n";

describe('podrun attach', () => {
  it('shows the output from now on, until the container ends', async () => {
    await run({ command: ['sleep', '1000'] });
    main.print('early\n');
    await applied.until(({ stdout }) => stdout.includes('early'));
    const podrun = attach(['web', '-c', 'main']);
    const again = setInterval(() => main.print('late\n'), 10);
    await podrun.until(({ stdout }) => stdout.includes('late\n')).finally(() => clearInterval(again));
    main.exit(3);
    const { stdout, ...rest } = await podrun.ended;
    expect(rest).toEqual({ exitCode: 0, stderr: PROMPT });
    expect(stdout).toMatch(/^(late\n)+$/);
    await applied.until(({ stdout: all }) => all.includes('late\n'));
  });

  it('sends standard input to a container with stdinOnce', async () => {
    await run({ command: ['sh', '-c', 'read -r first; echo "got $first"; cat; exit 4'], stdin: true, stdinOnce: true });
    const podrun = attach(['web', '-c', 'other', '-i', '-q'], 'one\ntwo\n');
    expect(await podrun.ended).toEqual({ exitCode: 0, stdout: 'got one\ntwo\n', stderr: '' });
    await applied.until(({ stdout }) => stdout.includes('exited with code 4'));
  });

  it('detaches from a container that reads on, and attaches again', async () => {
    await run({ command: ['cat'], stdin: true });
    for (const text of ['one\n', 'two\n']) {
      expect((await attach(['pod', 'web', '-c', 'other', '-i', '-q'], text).ended).exitCode).toBe(0);
      await applied.until(({ stdout }) => new RegExp(`│ other +${text}`).test(stdout));
    }
    expect((await workshop.run(['logs', 'web', '-c', 'other'])).stdout).toBe('one\ntwo\n');
  });

  it('reports a missing terminal and a missing stdin', async () => {
    await run({ command: stage.command('other') });
    const other = await stage.puppet('other');
    const podrun = attach(['web', '-c', 'other', '-it'], '');
    await podrun.until(({ stderr }) => stderr.includes(PROMPT));
    expect(podrun.stderr).toBe(
      'error: Unable to use a TTY - container other did not allocate one\n' +
        `Warning: container other has no stdin: podrun drops its input\n${PROMPT}`,
    );
    expect((await podrun.ended).exitCode).toBe(0);
    other.exit(0);
  });

  it('reports the signal that ended the container, or podrun', async () => {
    await run({ command: ['sleep', '1000'], stdin: true }, { isKilled: true });
    const podrun = attach(['web', '-c', 'main', '-q']);
    const again = setInterval(() => main.print('x'), 10);
    await podrun.until(({ stdout }) => stdout.includes('x')).finally(() => clearInterval(again));
    podrun.signal('SIGINT');
    expect(await podrun.ended).toMatchObject({ exitCode: 130, stderr: '' });
    const left = attach(['web', '-c', 'main', '-q']);
    const yetAgain = setInterval(() => main.print('x'), 10);
    await left.until(({ stdout }) => stdout.includes('x')).finally(() => clearInterval(yetAgain));
    applied.signal('SIGKILL');
    expect(await left.ended).toMatchObject({
      exitCode: 1,
      stderr: 'error: lost connection to container "main" of pod "web"\n',
    });
  });

  describe('refuses', () => {
    beforeEach(() => run({ command: ['true'] }));

    it('wrong arguments', async () => {
      const cases: Array<[string[], number, string]> = [
        [[], 2, 'error: at least 1 argument is required for attach\n'],
        [['a', 'b', 'c'], 2, 'error: expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw 3: [a b c]\n'],
        [['nope'], 1, 'Error from server (NotFound): pods "nope" not found\n'],
        [['web', '-c', 'setup'], 1, 'error: unable to upgrade connection: container not found ("setup")\n'],
        [['web', '-c', 'x'], 1, 'error: container x is not valid for pod web out of: main, other, setup (init)\n'],
        [['web', '--detach-keys=ctrl-?'], 2, 'error: invalid detach keys (ctrl-?): "ctrl-?" is no key\n'],
      ];
      const ended = await Promise.all(cases.map(([args]) => workshop.begin(['attach', ...args]).ended));
      expect(
        ended.map(({ stderr, ...rest }, index) => ({ ...rest, stderr: stderr.slice(0, cases[index]?.[2].length) })),
      ).toEqual(cases.map(([, exitCode, stderr]) => ({ exitCode, stdout: '', stderr })));
    });

    it('a Pod that has ended', async () => {
      main.exit(0);
      await applied.ended;
      const stderr = 'error: cannot attach a container in a completed pod; current phase is Succeeded\n';
      expect(await attach(['web']).ended).toEqual({ exitCode: 1, stdout: '', stderr });
    });
  });
});

describe('podrun debug --no-attach -i', () => {
  it('adds a container that waits for a client', async () => {
    await run({ command: ['true'] });
    const added = await workshop.run([
      'debug',
      'web',
      '--attach=false',
      '-i',
      '-c',
      'look',
      '--',
      'sh',
      '-c',
      'cat; exit 3',
    ]);
    expect(added).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    await applied.until(({ stdout }) => /look +debug +started/.test(stdout));
    expect(await attach(['web', '-c', 'look', '-i', '-q'], 'typed\n').ended).toMatchObject({ stdout: 'typed\n' });
    await applied.until(({ stdout }) => stdout.includes('exited with code 3'));
  });
});

describe('podrun attach -it', needs('terminals'), () => {
  it('can be left with the detach keys and resumed', async () => {
    await run({ command: ['env', 'PS1=prompt>', 'sh'], stdin: true, tty: true });
    const first = startAtTerminal(workshop, ['attach', 'web', '-c', 'other', '-it']);
    await first.shows(/try pressing enter\.\r\n/);
    // The size of the terminal may arrive a moment after the input.
    first.type("A=kept; until [ \"$(stty size)\" = '20 90' ]; do :; done; echo fi''rst\n");
    await first.shows(/\r\nfirst\r\nprompt>$/);
    first.type('\x10\x11');
    expect(await first.ended).toBe(0);
    const second = startAtTerminal(workshop, ['attach', 'web', '-c', 'other', '-i', '-q']);
    second.type("echo $A se''cond\n");
    await second.shows(/\r\nkept second\r\nprompt>$/);
    second.type('exit 5\n');
    expect(await second.ended).toBe(0);
    await applied.until(({ stdout }) => /other +exited with code 5/.test(stdout));
  });
});
