import { describe, expect, it } from 'vitest';
import { type BackOffLimits, backOffVerdict } from '../../src/lifecycle/plan/back-off.ts';
import type { BackOff } from '../../src/lifecycle/base/facts.ts';
import { initContainerRestarts, shouldRestart } from '../../src/lifecycle/base/restart-policy.ts';
import { backOffRestarting } from '../../src/lifecycle/texts/events.ts';
import { crashLoopMessage } from '../../src/lifecycle/texts/container-states.ts';
import { tableRows } from './table.ts';

interface Run {
  readonly runSeconds: number;
  readonly exitCode: number;
  /** Between this exit and the next start; null: it is not started again. */
  readonly delaySeconds: number | null;
}

interface DelayRow {
  readonly id: string;
  readonly initialSeconds: number;
  readonly maxSeconds: number;
  readonly kind?: 'init' | 'sidecar';
  readonly restartPolicy?: string;
  readonly runs: readonly Run[];
}

interface MessageRow {
  readonly id: string;
  readonly initialSeconds: number;
  readonly pod: string;
  readonly namespace: string;
  readonly uid: string;
  readonly container: string;
  readonly expect: { readonly waitingMessage: string; readonly eventMessage: string };
}

const rows = tableRows<DelayRow | MessageRow>('backoff');

describe('backoff', () => {
  it.each(rows.filter((row) => 'runs' in row))('$id', (row) => {
    expect(delaysOf(row)).toEqual(row.runs.map(({ delaySeconds }) => delaySeconds));
  });

  it.each(rows.filter((row) => 'expect' in row))('$id', ({ pod, namespace, uid, container, ...row }) => {
    const metadata = { name: pod, namespace, uid, resourceVersion: '1', creationTimestamp: '' };
    expect(crashLoopMessage(row.initialSeconds * 1000, container, metadata)).toBe(row.expect.waitingMessage);
    expect(backOffRestarting(container, metadata).message).toBe(row.expect.eventMessage);
  });
});

/** Plays the runs one after the other: asks at each exit, waits as told, asks again. */
function delaysOf({ initialSeconds, maxSeconds, restartPolicy, kind, runs }: DelayRow): Array<number | null> {
  const limits: BackOffLimits = { initialMs: initialSeconds * 1000, maxMs: maxSeconds * 1000 };
  const container = { name: 'main', ...(kind === 'sidecar' ? { restartPolicy: 'Always' as const } : {}) };
  const restarts = kind === undefined ? shouldRestart : initContainerRestarts;
  let nowMs = 0;
  let entry: BackOff | undefined;
  return runs.map(({ runSeconds, exitCode }) => {
    nowMs += runSeconds * 1000;
    if (!restarts(restartPolicy, container, exitCode)) return null;
    const failedAtMs = nowMs;
    let verdict = backOffVerdict(entry, failedAtMs, nowMs, limits);
    if (verdict.type === 'wait') {
      nowMs = verdict.untilMs;
      verdict = backOffVerdict(entry, failedAtMs, nowMs, limits);
    }
    if (verdict.type === 'wait') throw new Error(`asked to wait once more, ${verdict.delayMs} ms`);
    entry = verdict.next;
    return (nowMs - failedAtMs) / 1000;
  });
}
