import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../src/clock.ts';
import { ProcessRuntime } from '../../src/runtime/process-runtime.ts';
import type { ExecOutcome } from '../../src/runtime/base/runtime.ts';
import { AMPLE_SECONDS, probing } from './probing.ts';

const exited = (exitCode: number, stdout = '', stderr = ''): ExecOutcome => ({
  type: 'exited',
  exitCode,
  stdout,
  stderr,
});

describe('an exec probe', () => {
  it.each<{ name: string; outcome: ExecOutcome; want: { result: string; output: string } }>([
    { name: 'exits with 0', outcome: exited(0, 'fine\n'), want: { result: 'success', output: 'fine\n' } },
    {
      name: 'exits otherwise',
      outcome: exited(1, 'out\n', 'err\n'),
      want: { result: 'failure', output: 'out\nerr\n' },
    },
    { name: 'says nothing', outcome: exited(137), want: { result: 'failure', output: '' } },
    {
      name: 'takes too long',
      outcome: { type: 'timedOut', stdout: 'half', stderr: '' },
      want: { result: 'failure', output: 'command timed out: "sh -c sleep 10" timed out after 1m30s' },
    },
    {
      name: 'cannot be started',
      outcome: { type: 'failedToStart', error: 'failed to exec in container: no' },
      want: { result: 'error', output: 'rpc error: code = Unknown desc = failed to exec in container: no' },
    },
    {
      name: 'is broken off',
      outcome: { type: 'aborted' },
      want: { result: 'error', output: 'rpc error: code = Canceled desc = context canceled' },
    },
  ])('that $name is a $want.result', async ({ outcome, want }) => {
    const command = ['sh', '-c', 'sleep 10'];
    const exec = (): Promise<ExecOutcome> => Promise.resolve(outcome);
    expect(await probing({ exec: { command }, timeoutSeconds: 90 }, { exec })).toEqual(want);
  });

  it('has what stands in the spec put into its command, nothing else', async () => {
    const container = {
      env: [
        { name: 'PORT', value: '80' },
        { name: 'URL', value: 'localhost:$(PORT)' },
        { name: 'UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
      ],
    };
    const seen: unknown[] = [];
    await probing(
      { exec: { command: ['curl', '$(URL)', '[$(UID)]', '$(HOME)', '$$(PORT)'] }, timeoutSeconds: 2 },
      {
        container,
        exec: (argv, timeoutMs) => {
          seen.push(argv, timeoutMs);
          return Promise.resolve(exited(0));
        },
      },
    );
    expect(seen).toEqual([['curl', 'localhost:$(PORT)', '[]', '$(HOME)', '$(PORT)'], 2000]);
  });

  it('keeps the first 10 KiB of what it says', async () => {
    const exec = (): Promise<ExecOutcome> => Promise.resolve(exited(1, 'o'.repeat(10_000), 'e'.repeat(10_000)));
    const { output } = await probing({ exec: { command: ['x'] } }, { exec });
    expect(output).toBe('o'.repeat(10_000) + 'e'.repeat(240));
  });
});

describe('an exec probe on this machine', () => {
  const NOT_STARTED =
    'rpc error: code = Unknown desc = failed to exec in container: failed to start exec "ID": ' +
    'OCI runtime exec failed: exec failed: unable to start container process: exec: ';

  it.each([
    { command: ['true'], want: { result: 'success', output: '' } },
    { command: ['sh', '-c', 'echo err >&2; echo out; exit 3'], want: { result: 'failure', output: 'out\nerr\n' } },
    {
      command: ['sleep', '60'],
      want: { result: 'failure', output: 'command timed out: "sleep 60" timed out after 1s' },
    },
    {
      command: ['/no/such'],
      want: { result: 'error', output: `${NOT_STARTED}"/no/such": stat /no/such: no such file or directory` },
    },
  ])('$command: $want.result', async ({ command, want }) => {
    const fifoDir = mkdtempSync(path.join(tmpdir(), 'podrun-probe-'));
    onTestFinished(() => rmSync(fifoDir, { recursive: true }));
    const clock = new SystemClock();
    const runtime = new ProcessRuntime({ clock, fifoDir });
    const env = { PATH: process.env['PATH'] ?? '' };
    const outcome = await probing(
      { exec: { command }, timeoutSeconds: command[0] === 'sleep' ? 1 : AMPLE_SECONDS },
      {
        clock,
        exec: (argv, timeoutMs) =>
          runtime.exec({ id: 'probe', argv, env, cwd: fifoDir, timeoutMs, maxOutputBytes: 10_240 }),
      },
    );
    expect({ ...outcome, output: outcome.output.replace(/exec "[\da-f]+"/, 'exec "ID"') }).toEqual(want);
  });
});

describe('a probe without a handler', () => {
  it('cannot be carried out', async () => {
    expect(await probing({})).toEqual({
      result: 'error',
      output: 'missing probe handler for web_shop(7b3d8f6e-0000-4000-8000-000000000001):main',
    });
  });
});
