import type { Probe } from '../../src/api/generated/types.ts';
import {
  NEW_PROBE_WORKER,
  type ProbedContainer,
  type ProbedPod,
  type ProbeWorker,
} from '../../src/lifecycle/probes/probe.ts';

export const probe: Probe = {
  exec: { command: ['true'] },
  periodSeconds: 10,
  failureThreshold: 3,
  successThreshold: 1,
};
export const pod: ProbedPod = { stage: 'running' };
export const at = (monotonicMs: number): ProbedContainer['startedAt'] => ({ monotonicMs, wallMs: 1_800_000_000_000 });

/** A container that runs, has started and is ready. */
export const up: ProbedContainer = {
  container: { name: 'main', startupProbe: probe, livenessProbe: probe, readinessProbe: probe },
  instanceId: 'main-0',
  restartCount: 0,
  running: true,
  startedAt: at(1000),
  started: true,
  ready: true,
  willRestart: true,
  restartsAfterKill: true,
};
export const starting: ProbedContainer = { ...up, started: false, ready: false };
export const ended: ProbedContainer = { ...up, running: false, started: false, ready: false };

/** A worker that has watched the instance for a while. */
export const watching: ProbeWorker = {
  ...NEW_PROBE_WORKER,
  instanceId: 'main-0',
  result: 'success',
  lastOutcome: 'success',
};
