import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import type { Instant } from '../../src/api/index.ts';
import { SystemClock } from '../../src/clock.ts';
import { startCommand, type CommandRequest } from '../../src/runtime/helpers/command.ts';
import { startTimeOf } from '../../src/runtime/watch/process-identity.ts';
import { needs } from '../needs.ts';
import { PATH, sh, until, type Argv } from './support/process-rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'podrun-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

function request(argv: Argv, changes: Partial<CommandRequest> = {}): CommandRequest {
  return { argv, env: { PATH }, cwd: folder, interactive: false, ...changes };
}

const clock = new SystemClock();

async function exitCodeOf(argv: Argv, changes: Partial<CommandRequest> = {}): Promise<number> {
  const outcome = await startCommand(request(argv, changes), clock);
  if (!outcome.ok) throw new Error(outcome.error);
  return await outcome.command.exitCode;
}

describe('startCommand()', () => {
  it.each([
    { script: 'exit 0', exitCode: 0 },
    { script: 'exit 42', exitCode: 42 },
    { script: 'kill -TERM $$', exitCode: 143 },
    { script: 'test "$(pwd)" = "$WHERE"', exitCode: 0 },
  ])('passes the exit code of "$script"', async ({ script, exitCode }) => {
    expect(await exitCodeOf(sh(script), { env: { PATH, WHERE: folder } })).toBe(exitCode);
  });

  it('stays in our process group', async () => {
    const pgrp = '$(cut -d" " -f5 /proc/$$/stat)';
    expect(await exitCodeOf(sh(`test "${pgrp}" = "$(cut -d' ' -f5 /proc/$PPID/stat)"`))).toBe(0);
  });

  it('finds nothing: 127, may not run it: 126, as a shell', async () => {
    const file = join(folder, 'plain');
    writeFileSync(file, '');
    chmodSync(file, 0o644);
    // A fixed PATH: the user of the tests may not be able to read some folders of theirs.
    const env = { PATH: '/usr/bin:/bin' };
    expect(await startCommand(request(['nope'], { env }), clock)).toEqual({
      ok: false,
      error: 'cannot run "nope": executable file not found in $PATH',
      exitCode: 127,
    });
    expect(await startCommand(request(['/no/such']), clock)).toEqual({
      ok: false,
      error: 'cannot run "/no/such": no such file or directory',
      exitCode: 127,
    });
    expect(await startCommand(request([file]), clock)).toEqual({
      ok: false,
      error: `cannot run "${file}": permission denied`,
      exitCode: 126,
    });
    expect(await startCommand(request(['true', 'x'.repeat(300_000)]), clock)).toMatchObject({
      ok: false,
      exitCode: 126,
    });
  });

  it.each([
    { interactive: false, signal: 'SIGTERM', reaches: true },
    { interactive: false, signal: 'SIGINT', reaches: true },
    { interactive: true, signal: 'SIGTERM', reaches: true },
    { interactive: true, signal: 'SIGHUP', reaches: true },
    { interactive: true, signal: 'SIGINT', reaches: false },
    { interactive: true, signal: 'SIGQUIT', reaches: false },
  ] as const)('$signal is handed on (interactive: $interactive): $reaches', async (row) => {
    const mark = join(folder, `started-${row.signal}-${row.interactive}`);
    const outcome = await startCommand(request(['sh', '-c', `: > "${mark}"; exec sleep 60`], row), clock);
    if (!outcome.ok) throw new Error(outcome.error);
    await until(
      () => existsSync(mark),
      () => 'not started',
    );
    outcome.command.forward(row.signal);
    if (!row.reaches) outcome.command.forward('SIGTERM');
    const numbers = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129, SIGQUIT: 131 };
    expect(await outcome.command.exitCode).toBe(row.reaches ? numbers[row.signal] : 143);
  });

  it('shares our standard streams', () => {
    const outfile = parentOf('read word; echo "got $word"; echo err >&2; exit 3');
    const result = spawnSync(process.execPath, [outfile], { input: 'hello\n', encoding: 'utf8' });
    expect(result).toMatchObject({ stdout: 'got hello\n', stderr: 'err\n', status: 3 });
  });
});

/** A program that starts a command with its own streams. */
function parentOf(script: string): string {
  const source = (name: string): string => JSON.stringify(fileURLToPath(new URL(`../../src/${name}`, import.meta.url)));
  const contents = `
    import { SystemClock } from ${source('clock.ts')};
    import { startCommand } from ${source('runtime/helpers/command.ts')};
    const argv = ['sh', '-c', ${JSON.stringify(script)}];
    const started = startCommand({ argv, env: process.env, cwd: '/', interactive: false }, new SystemClock());
    void started.then(async ({ command }) => (process.exitCode = await command.exitCode));`;
  const outfile = join(folder, 'parent.cjs');
  const stdin = { contents, resolveDir: folder };
  buildSync({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
  return outfile;
}

/** A shell that runs a child, starts a process in a session of its own, and writes both of their pids. */
function family(at: string): string {
  const [child, daemon] = [`${at}.child`, `${at}.daemon`];
  const sleeper = (file: string): string => `sh -c 'echo $$ >${file}; exec sleep 300'`;
  const wait = `until [ -s ${child} ] && [ -s ${daemon} ]; do sleep 0.01; done`;
  return `setsid ${sleeper(daemon)} & ${sleeper(child)} & ${wait}`;
}

/** Resolves when both processes of the family have ended. */
async function untilGone(at: string): Promise<void> {
  const pids = ['child', 'daemon'].map((name) => Number(readFileSync(`${at}.${name}`, 'utf8')));
  await until(
    () => pids.every((pid) => startTimeOf(pid) === undefined),
    () => `${pids.join(' or ')} lives`,
  );
}

/** A clock on which no time passes before something has happened. */
class PausedClock extends SystemClock {
  readonly #begun = super.now();
  readonly #hasHappened: () => boolean;

  constructor(hasHappened: () => boolean) {
    super();
    this.#hasHappened = hasHappened;
  }

  override now(): Instant {
    return this.#hasHappened() ? super.now() : this.#begun;
  }
}

describe('the processes of a command', needs({ Linux: process.platform === 'linux' }), () => {
  it('end with it, also those in a session of their own', async () => {
    const at = join(folder, 'ends');
    const outcome = await startCommand(request(sh(`${family(at)}; exit 7`)), clock);
    if (!outcome.ok) throw new Error(outcome.error);
    expect(await outcome.command.exitCode).toBe(7);
    await outcome.command.swept;
    await untilGone(at);
  });

  it('end when a signal ends it', async () => {
    const at = join(folder, 'signalled');
    const outcome = await startCommand(request(sh(`${family(at)}; : >${at}.up; sleep 300; true`)), clock);
    if (!outcome.ok) throw new Error(outcome.error);
    await until(
      () => existsSync(`${at}.up`),
      () => 'not started',
    );
    outcome.command.forward('SIGTERM');
    expect(await outcome.command.exitCode).toBe(143);
    await outcome.command.swept;
    await untilGone(at);
  });

  it('may write their last lines after its end', async () => {
    const file = join(folder, 'last');
    const script = `(sleep 0.05; echo last >${file}) & exit 0`;
    const outcome = await startCommand(request(sh(script)), new PausedClock(() => existsSync(file)));
    if (!outcome.ok) throw new Error(outcome.error);
    await outcome.command.swept;
    expect(readFileSync(file, 'utf8')).toBe('last\n');
  });

  it('end when podrun is killed', async () => {
    const at = join(folder, 'killed');
    const parent = spawn(process.execPath, [parentOf(`${family(at)}; : >${at}.up; sleep 300; true`)], {
      stdio: 'ignore',
    });
    await until(
      () => existsSync(`${at}.up`),
      () => 'not started',
    );
    parent.kill('SIGKILL');
    expect(await once(parent, 'exit')).toEqual([null, 'SIGKILL']);
    await untilGone(at);
  });
});
