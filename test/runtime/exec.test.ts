import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Alarm, SystemClock } from '../../src/clock.ts';
import { HOST, type Inside, insideWith } from '../../src/runtime/base/inside.ts';
import { ProcessRuntime } from '../../src/runtime/process-runtime.ts';
import { checkCommand } from '../../src/runtime/start/exec.ts';
import { isRunning, makeRig, marked, PATH, sh, until } from './support/process-rig.ts';

const rig = makeRig();

const HOUR_MS = 3_600_000;

/** A clock on which an hour is over when the test says so. */
class HourClock extends SystemClock {
  readonly #held = new Set<() => void>();

  override wakeAt(atMs: number, run: () => void): Alarm {
    if (atMs - this.now().monotonicMs < HOUR_MS / 2) return super.wakeAt(atMs, run);
    this.#held.add(run);
    return { cancel: () => void this.#held.delete(run) };
  }

  strike(): void {
    for (const run of this.#held) run();
  }
}

/** A clock, and a runtime whose commands have an hour of it. */
function withinAnHour(): { clock: HourClock; exec: (script: string) => ReturnType<ProcessRuntime['exec']> } {
  const clock = new HourClock();
  const runtime = new ProcessRuntime({ clock, fifoDir: join(rig.folder, 'fifos-of-an-hour') });
  return { clock, exec: (script) => runtime.exec(rig.execRequest(sh(script), { timeoutMs: HOUR_MS })) };
}

const words = (why: string): RegExp =>
  new RegExp(
    '^failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: exec failed: ' +
      `unable to start container process: ${why.replaceAll(/[$().[\]]/g, '\\$&')}$`,
  );

describe('a command for a container that has ended', () => {
  it('is refused for that, and not for a folder that went with the container', () => {
    const call = { argv: ['true'] as const, cwd: '/app', env: { PATH } };
    const inside = (root: string): Inside => insideWith(HOST, { pathOf: (file) => join(root, file) });
    expect(checkCommand(call, inside('/proc/0/root'))).toEqual({
      ok: false,
      error: 'cannot exec in a stopped container',
    });
    expect(checkCommand(call, inside('/'))).toMatchObject({ error: expect.stringMatching(/^chdir to cwd/) as string });
  });
});

describe('exec()', () => {
  it.each([
    { name: 'a success', script: 'echo out; echo err >&2', exitCode: 0, stdout: 'out\n', stderr: 'err\n' },
    { name: 'a failure', script: 'exit 7', exitCode: 7, stdout: '', stderr: '' },
    { name: 'a death by signal', script: 'echo last; kill -SEGV $$', exitCode: 139, stdout: 'last\n', stderr: '' },
    { name: 'an end of input at once', script: 'cat; echo end', exitCode: 0, stdout: 'end\n', stderr: '' },
    { name: 'an unfinished line', script: 'printf x', exitCode: 0, stdout: 'x', stderr: '' },
  ])('tells of $name', async ({ script, exitCode, stdout, stderr }) => {
    const outcome = await rig.runtime.exec(rig.execRequest(sh(script)));
    expect(outcome).toEqual({ type: 'exited', exitCode, stdout, stderr });
  });

  it('passes arguments, environment and folder as they stand', async () => {
    const env = { PATH, WORD: 'a b' };
    const argv = ['sh', '-c', 'echo "$WORD|$1|$(pwd)|$PODRUN_CONTAINER_ID|${HOME-none}"', 'sh', '$HOME'] as const;
    const outcome = await rig.runtime.exec(rig.execRequest(argv, { env, cwd: '/', id: 'some-id' }));
    expect(outcome).toMatchObject({ stdout: 'a b|$HOME|/|some-id|none\n' });
  });

  it('lets a script open /dev/stdout and /dev/stderr', async () => {
    const script = 'echo one; echo two > /dev/stdout; echo three > /dev/stderr; echo four';
    const outcome = await rig.runtime.exec(rig.execRequest(sh(script)));
    expect(outcome).toEqual({ type: 'exited', exitCode: 0, stdout: 'one\ntwo\nfour\n', stderr: 'three\n' });
  });

  it('keeps the first bytes of stdout, then of stderr, and lets the command write on', async () => {
    const run = (script: string) => rig.runtime.exec(rig.execRequest(sh(script), { maxOutputBytes: 10 }));
    expect(await run('printf 12345678; printf abcdef >&2')).toMatchObject({ stdout: '12345678', stderr: 'ab' });
    expect(await run('seq 1 100000; echo err >&2; exit 3')).toEqual({
      type: 'exited',
      exitCode: 3,
      stdout: '1\n2\n3\n4\n5\n',
      stderr: '',
    });
  });

  it.each([
    { argv: ['/no/such'] as const, why: 'exec: "/no/such": stat /no/such: no such file or directory' },
    { argv: ['nope'] as const, why: 'exec: "nope": executable file not found in $PATH' },
    { argv: ['/etc'] as const, why: 'exec: "/etc": permission denied' },
  ])('says why $argv cannot be started', async ({ argv, why }) => {
    const outcome = await rig.runtime.exec(rig.execRequest(argv));
    expect(outcome).toEqual({ type: 'failedToStart', error: expect.stringMatching(words(why)) });
  });

  it('does not make a missing folder, and blames it', async () => {
    const cwd = join(rig.folder, 'missing');
    const outcome = await rig.runtime.exec(rig.execRequest(['true'], { cwd }));
    const why = `chdir to cwd ("${cwd}") set in config.json failed: no such file or directory`;
    expect(outcome).toEqual({ type: 'failedToStart', error: expect.stringMatching(words(why)) });
    expect(existsSync(cwd)).toBe(false);
  });

  it.each([
    { argv: ['/bin/true', 'x'.repeat(300_000)] as const, why: 'exec /bin/true: argument list too long' },
    { argv: ['/bin/true', 'a\0b'] as const, why: 'exec /bin/true: invalid argument' },
  ])('says what execve(2) refuses: $why', async ({ argv, why }) => {
    const outcome = await rig.runtime.exec(rig.execRequest(argv));
    expect(outcome).toEqual({ type: 'failedToStart', error: expect.stringMatching(words(why)) });
  });

  it('is over when the output is closed, not before', async () => {
    const [pid, late] = ['pid', 'late'].map((name) => join(rig.folder, name)) as [string, string];
    const { clock, exec } = withinAnHour();
    const outcome = exec(`(until [ -e ${late} ]; do sleep 0.01; done; echo late) & echo $$ >${pid}; exit 1`);
    await until(
      () => existsSync(pid) && readFileSync(pid, 'utf8').endsWith('\n'),
      () => 'not started',
    );
    // The command has ended when its parent has heard of that.
    const main = readFileSync(pid, 'utf8').trim();
    await until(
      () => !existsSync(`/proc/${main}`),
      () => `${main} lives`,
    );
    clock.strike();
    writeFileSync(late, '');
    expect(await outcome).toEqual({ type: 'exited', exitCode: 1, stdout: 'late\n', stderr: '' });
  });
});

describe('the timeout of exec()', () => {
  it('kills the command with its process group, and keeps what it said', async () => {
    const said = join(rig.folder, 'said');
    const { id } = rig.execRequest(['true']);
    const { clock, exec } = withinAnHour();
    const outcome = exec(`trap "" TERM; sleep 60 & echo said; : >${said}; sleep 60; true`);
    await until(
      () => existsSync(said),
      () => 'not started',
    );
    clock.strike();
    expect(await outcome).toEqual({ type: 'timedOut', stdout: 'said\n', stderr: '' });
    await until(
      () => marked(id).length === 0,
      () => marked(id).join(),
    );
  });

  it('is not reached by a command that ends in time', async () => {
    const outcome = await rig.runtime.exec(rig.execRequest(['true'], { timeoutMs: 10_000 }));
    expect(outcome).toMatchObject({ type: 'exited', exitCode: 0 });
  });
});

describe('aborting exec()', () => {
  it('kills the command with its process group, at once', async () => {
    const abort = new AbortController();
    const request = rig.execRequest(sh('sleep 60 & sleep 60'), { signal: abort.signal });
    const outcome = rig.runtime.exec(request);
    await until(
      () => marked(request.id).length === 3,
      () => marked(request.id).join(),
    );
    abort.abort();
    expect(await outcome).toEqual({ type: 'aborted' });
    await until(
      () => marked(request.id).length === 0,
      () => marked(request.id).join(),
    );
  });

  it('also when only a background child is left that holds the output', async () => {
    const abort = new AbortController();
    const request = rig.execRequest(sh('sleep 60 & exit 0'), { signal: abort.signal });
    const outcome = rig.runtime.exec(request);
    await until(
      () => marked(request.id).join().includes('sleep 60') && marked(request.id).length === 1,
      () => marked(request.id).join(),
    );
    abort.abort();
    expect(await outcome).toEqual({ type: 'aborted' });
  });

  it('before it has begun starts nothing', async () => {
    const touched = join(rig.folder, 'touched');
    const outcome = await rig.runtime.exec(rig.execRequest(['touch', touched], { signal: AbortSignal.abort() }));
    expect(outcome).toEqual({ type: 'aborted' });
    expect(existsSync(touched)).toBe(false);
  });
});

describe('exec() and its container', () => {
  it('a command ends with the container it runs in', async () => {
    const started = await rig.start(sh('echo ready; exec sleep 60'));
    const outcome = rig.runtime.exec(rig.execRequest(sh('setsid sleep 60 & sleep 60'), { id: started.id }));
    await until(
      () => marked(started.id).length === 4,
      () => marked(started.id).join(),
    );
    started.container.kill();
    await started.gone;
    expect(await outcome).toMatchObject({ type: 'exited', exitCode: 137 });
  });

  it('a child it leaves in the background lives on until then', async () => {
    const started = await rig.start(sh('echo ready; exec sleep 60'));
    await rig.runtime.exec(rig.execRequest(sh('sleep 60 >/dev/null 2>&1 & echo $! > child'), { id: started.id }));
    const { text } = await rig.run(['cat', 'child']);
    expect(isRunning(Number(text))).toBe(true);
    started.container.kill();
    await started.gone;
    expect(isRunning(Number(text))).toBe(false);
  });
});
