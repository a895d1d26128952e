import type { Dial } from '../../src/network/linux/helper-process.ts';
import { probeOnce } from '../../src/kubelet/probe/index.ts';
import { ProbeAbort } from '../../src/kubelet/probe/input.ts';
import type { ProbeOutcome } from '../../src/kubelet/probe/prober.ts';
import type { Container, HTTPGetAction, Probe } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { type Clock, SystemClock } from '../../src/clock.ts';
import type { ExecOutcome } from '../../src/runtime/base/runtime.ts';
import { podWith } from '../lifecycle/base-objects.ts';

export interface Circumstances {
  readonly container?: Partial<Container>;
  readonly podIP?: string;
  readonly exec?: (argv: [string, ...string[]], timeoutMs: number) => Promise<ExecOutcome>;
  readonly clock?: Clock;
  readonly abort?: ProbeAbort;
  readonly dial?: Dial;
}

/** The outcome that events and counters use. For the exact answer see {@link journalled}. */
export async function probing(probe: Probe, circumstances: Circumstances = {}): Promise<ProbeOutcome> {
  const { answer: _answer, ...outcome } = await journalled(probe, circumstances);
  if ('timedOut' in outcome) delete outcome.timedOut;
  return outcome;
}

/** The time limit of a probe whose outcome does not depend on it: a busy machine may take its time. */
export const AMPLE_SECONDS = 50;

/** Runs an HTTP probe once. */
export function probingHttp(
  port: number,
  action: Partial<HTTPGetAction> = {},
  circumstances?: Circumstances,
): Promise<ProbeOutcome> {
  return probing({ httpGet: { path: '/', port, ...action } }, circumstances);
}

/** Runs a probe once in a Pod with default fields. By a clock of the test, its default time limit is a second. */
export function journalled(probe: Probe, circumstances: Circumstances = {}): Promise<ProbeOutcome> {
  const { container, podIP, dial, clock = new SystemClock() } = circumstances;
  const { abort = new ProbeAbort() } = circumstances;
  const base = podWith();
  const pod: StoredPod = { ...base, status: { ...base.status, podIP } };
  const exec = circumstances.exec ?? (() => Promise.reject(new Error('no command expected')));
  const main: Container = { name: 'main', ...container };
  const limited = circumstances.clock === undefined ? { timeoutSeconds: AMPLE_SECONDS, ...probe } : probe;
  return probeOnce({ pod, container: main, probe: limited, type: 'liveness', exec, clock, abort }, dial);
}
