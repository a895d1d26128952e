import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type HelperCall, runHelper } from '../../src/runtime/base/helper.ts';
import { until } from './support/process-rig.ts';

const sh = (script: string): HelperCall => ({ program: 'sh', args: ['-c', script], env: { PATH: '/usr/bin:/bin' } });

const ROWS: ReadonlyArray<{ readonly call: HelperCall; readonly outcome: object }> = [
  { call: sh('echo one; echo two'), outcome: { ok: true, stdout: 'one\ntwo' } },
  { call: { ...sh('pwd'), cwd: tmpdir() }, outcome: { ok: true, stdout: tmpdir() } },
  { call: sh('pwd; cat'), outcome: { ok: true, stdout: '/' } },
  { call: sh('exit 3'), outcome: { ok: false, errno: undefined, why: 'sh ended with exit code 3' } },
  {
    call: sh('echo well; echo first >&2; echo last >&2; exit 1'),
    outcome: { ok: false, errno: undefined, why: 'sh ended with exit code 1: last' },
  },
  { call: sh('kill -TERM $$'), outcome: { ok: false, errno: undefined, why: 'sh was ended by SIGTERM' } },
  {
    call: { ...sh("trap '' TERM; exec sleep 60"), timeoutMs: 100 },
    outcome: { ok: false, why: 'sh took longer than 0.1s' },
  },
  {
    call: { program: '/no/such', args: [] },
    outcome: { ok: false, errno: 'ENOENT', why: '/no/such did not start: no such file or directory' },
  },
  {
    call: { program: 'true', args: ['x'.repeat(300_000)] },
    outcome: { ok: false, errno: 'E2BIG', why: 'true did not start: argument list too long' },
  },
];

it.each(ROWS)('$call.args ends as $outcome', async ({ call, outcome }) => {
  expect(await runHelper(call)).toMatchObject(outcome);
});

it('leaves signals to podrun while a helper runs', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-helper-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const mark = path.join(folder, 'running');
  const listeners = (): number[] => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => process.listenerCount(signal));
  const before = listeners();
  const ended = runHelper(sh(`: > '${mark}'; while [ -e '${mark}' ]; do sleep 0.01; done`));
  await until(
    () => existsSync(mark),
    () => 'not started',
  );
  expect(listeners()).toEqual(before);
  rmSync(mark);
  expect(await ended).toEqual({ ok: true, stdout: '' });
});
