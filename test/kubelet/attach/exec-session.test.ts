import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import type { LiveInstance } from '../../../src/kubelet/base/instance.ts';
import { ExecSession } from '../../../src/kubelet/attach/exec-session.ts';
import type { ExecStart, Runtime } from '../../../src/runtime/base/runtime.ts';

const client = { send: () => undefined, end: () => undefined, isBehind: false };
const streams = { input: undefined, terminal: undefined, holdOutput: () => undefined };
const order = { type: 'exec', container: 'main', argv: ['true'], stdin: false, tty: false } as const;

function liveContainer(): LiveInstance {
  return {
    ref: { id: 'u1/main/0', container: 'main', attempt: 0 },
    launch: { argv: ['sh'], env: {}, cwd: '/', stdin: false },
    running: { pid: 1, startedAt: { monotonicMs: 0, wallMs: 0 }, signal: () => false, kill: () => undefined, streams },
    streams,
    ended: new AbortController(),
    postStart: new AbortController(),
    hooks: new Set(),
  };
}

/** Runs commands that end at once, or never. */
function runtimeFor(endsAtOnce: boolean, kill: () => void): Runtime {
  const startExec: Runtime['startExec'] = ({ onExit }) => {
    if (endsAtOnce) onExit(0);
    const started: ExecStart = { ok: true, command: { streams, kill }, notice: undefined };
    return Promise.resolve(started);
  };
  return { startExec } as Runtime;
}

it('a command that has ended does not wait for the end of its container', async () => {
  const live = liveContainer();
  await new ExecSession(client).start(
    order,
    live,
    runtimeFor(true, () => undefined),
  );
  expect(getEventListeners(live.ended.signal, 'abort')).toEqual([]);
});

it('a command that runs is killed with its container', async () => {
  const live = liveContainer();
  let kills = 0;
  await new ExecSession(client).start(
    order,
    live,
    runtimeFor(false, () => (kills += 1)),
  );
  expect(kills).toBe(0);
  live.ended.abort();
  expect(kills).toBe(1);
});
