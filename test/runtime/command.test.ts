import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { startCommand, type CommandRequest } from '../../src/runtime/helpers/command.ts';
import { PATH, sh, until, type Argv } from './support/process-rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'podrun-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

function request(argv: Argv, changes: Partial<CommandRequest> = {}): CommandRequest {
  return { argv, env: { PATH }, cwd: folder, interactive: false, ...changes };
}

async function exitCodeOf(argv: Argv, changes: Partial<CommandRequest> = {}): Promise<number> {
  const outcome = await startCommand(request(argv, changes));
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
    expect(await startCommand(request(['nope'], { env }))).toEqual({
      ok: false,
      error: 'cannot run "nope": executable file not found in $PATH',
      exitCode: 127,
    });
    expect(await startCommand(request(['/no/such']))).toEqual({
      ok: false,
      error: 'cannot run "/no/such": no such file or directory',
      exitCode: 127,
    });
    expect(await startCommand(request([file]))).toEqual({
      ok: false,
      error: `cannot run "${file}": permission denied`,
      exitCode: 126,
    });
    expect(await startCommand(request(['true', 'x'.repeat(300_000)]))).toMatchObject({ ok: false, exitCode: 126 });
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
    const outcome = await startCommand(request(['sh', '-c', `: > "${mark}"; exec sleep 60`], row));
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

  it('shares our standard streams', async () => {
    const source = fileURLToPath(new URL('../../src/runtime/helpers/command.ts', import.meta.url));
    const contents = `
      import { startCommand } from ${JSON.stringify(source)};
      const argv = ['sh', '-c', 'read word; echo "got $word"; echo err >&2; exit 3'];
      const started = startCommand({ argv, env: process.env, cwd: '/', interactive: false });
      void started.then(async ({ command }) => (process.exitCode = await command.exitCode));`;
    const outfile = join(folder, 'parent.cjs');
    const stdin = { contents, resolveDir: folder };
    buildSync({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
    const result = spawnSync(process.execPath, [outfile], { input: 'hello\n', encoding: 'utf8' });
    expect(result).toMatchObject({ stdout: 'got hello\n', stderr: 'err\n', status: 3 });
  });
});
