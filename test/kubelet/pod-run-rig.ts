import { onTestFinished } from 'vitest';
import { PodRun } from '../../src/kubelet/pod-run.ts';
import type { RunOfPod } from '../../src/kubelet/pod-run-agent.ts';
import type { SandboxAttempt } from '../../src/kubelet/volumes/pod-volumes.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { CRASH_LOOP } from '../../src/lifecycle/plan/back-off.ts';
import type { Store, Subscription } from '../../src/store/base/store.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';
import { node } from '../lifecycle/base-objects.ts';
import type { ManualClock } from '../../src/simulation/manual-clock.ts';
import { SimulatedRuntime } from '../../src/simulation/simulated-runtime.ts';

/** A store whose watches hear nothing. */
export class DeafStore extends MemoryStore {
  override watch(): Subscription {
    return { close: () => undefined };
  }
}

export interface PodRunRig {
  readonly run: PodRun;
  /** Texts of errors that were reported. */
  readonly troubles: string[];
  /** The labels of the Pods for which the agent was asked for settings, or told of a change. */
  readonly labels: Array<[asked: 'config' | 'changed', label: string | undefined]>;
  /** The number of times that the run was over. */
  readonly ends: { count: number };
  /** The number of times that the agent was notified of the removal of the ended Pod's object. */
  readonly removals: { count: number };
  /** The number of times that the record was found lost. */
  readonly losses: { count: number };
}

export interface FormerRun extends Pick<RunOfPod<PodRun>, 'restoration' | 'runtime' | 'former'> {
  /** Called while the sandbox of the former agent is being found. */
  readonly onResume: () => void;
}

/** A run of the Pod, whose sandbox is never ready. */
export function runOf(
  pod: StoredPod,
  store: Store,
  clock: ManualClock,
  former?: FormerRun,
  machine: Partial<RunOfPod<PodRun>['machine']> = {},
): PodRunRig {
  const troubles: string[] = [];
  const labels: PodRunRig['labels'] = [];
  const ends = { count: 0 };
  const removals = { count: 0 };
  const losses = { count: 0 };
  const labelOf = ({ metadata }: StoredPod): string | undefined => metadata.labels?.['label'];
  const run = new PodRun({
    pod,
    store,
    clock,
    runtime: former?.runtime ?? new SimulatedRuntime({ clock }),
    restoration: former?.restoration,
    former: former?.former,
    agent: {
      config: (changed) => {
        labels.push(['config', labelOf(changed)]);
        return { crashLoop: CRASH_LOOP, images: { containers: { main: { type: 'present' } }, volumes: {} } };
      },
      notices: () => [],
      schedulerFacts: () => ({ nodes: [node], placed: [] }),
      nodeOf: () => node,
      alone: (step) => step(),
      preempt: (_victims, _by, publish) => publish(),
      placed: () => undefined,
      changed: (changed) => {
        if (changed.state === 'waiting') changed.begin();
        else labels.push(['changed', labelOf(changed.pod)]);
      },
      recorded: () => undefined,
      over: () => (ends.count += 1),
      removed: () => (removals.count += 1),
    },
    machine: {
      createSandbox: (_pod: StoredPod, { signal }: SandboxAttempt) => {
        former?.onResume();
        return untilAborted(signal);
      },
      restore: (_pod: StoredPod, _instance: object, launch: object) => launch,
      adopted: () => undefined,
      exited: () => undefined,
      removeSandbox: () => Promise.resolve(),
      ...machine,
    } as unknown as RunOfPod<PodRun>['machine'],
    onEvent: () => undefined,
    onTrouble: ({ message }) => troubles.push(message),
    onRecordLost: () => (losses.count += 1),
  });
  onTestFinished(() => run.close());
  return { run, troubles, labels, ends, removals, losses };
}

/** A creation that waits until the Pod goes down. */
export const untilAborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
