import type { ContainerState, ContainerStatus, PodSpec } from '../../../src/api/generated/types.ts';
import type { StoredEvent, StoredPod } from '../../../src/api/base/objects.ts';
import { formatTime } from '../../../src/api/base/time.ts';
import type { RecordedUsage } from '../../../src/machine/usage-totals.ts';
import type { RecordedRun, RecordedTransition } from '../../../src/history/base/recorded-run.ts';
import type { ProbeType } from '../../../src/lifecycle/probes/probe.ts';
import type { ProbeAttempt } from '../../../src/lifecycle/probes/probe-attempt.ts';
import { type EventDraft, killing } from '../../../src/lifecycle/texts/events.ts';

const START_MS = Date.UTC(2026, 0, 15, 12);

type Answer = Partial<Omit<ProbeAttempt, 'time' | 'container' | 'probe'>>;

/**
 * Builds the record of an imaginary run, one happening after the other. Times are seconds after the creation of the
 * Pod.
 */
export class Story {
  readonly usages: RecordedUsage[] = [];
  readonly #spec: PodSpec;
  readonly #transitions: RecordedTransition[] = [];
  readonly #probes: ProbeAttempt[] = [];
  readonly #hooks: Array<RecordedRun['hooks'][number]> = [];
  readonly #statuses = new Map<string, ContainerStatus>();

  constructor(spec: Partial<PodSpec> & Pick<PodSpec, 'containers'>) {
    this.#spec = { restartPolicy: 'Always', terminationGracePeriodSeconds: 30, ...spec };
    this.#write(0);
  }

  start(container: string, at: number): this {
    const before = this.#statuses.get(container);
    const restartCount = before === undefined ? 0 : before.restartCount + 1;
    return this.#turn(container, at, { running: { startedAt: time(at) } }, restartCount);
  }

  end(container: string, at: number, exitCode: number, reason: string = exitCode === 0 ? 'Completed' : 'Error'): this {
    const before = this.#statuses.get(container);
    const startedAt = before?.state?.running?.startedAt ?? time(at);
    const terminated = { exitCode, reason, startedAt, finishedAt: time(at) };
    return this.#turn(container, at, { terminated }, before?.restartCount ?? 0);
  }

  /** Adds a failed start. */
  failStart(container: string, at: number, message: string): this {
    const terminated = { exitCode: 128, reason: 'StartError', message, startedAt: '1970-01-01T00:00:00Z' };
    const before = this.#statuses.get(container);
    const restartCount = before === undefined ? 0 : before.restartCount + 1;
    return this.#turn(container, at, { terminated: { ...terminated, finishedAt: time(at) } }, restartCount);
  }

  stop(container: string, at: number): this {
    return this.event(container, at, killing(container, 'Stopping'));
  }

  event(container: string, at: number, { reason, message, type }: EventDraft): this {
    const object = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `e${this.#transitions.length}`, namespace: 'default', uid: 'e', resourceVersion: '1' },
      involvedObject: { kind: 'Pod', name: 'web', fieldPath: `spec.containers{${container}}` },
      reason,
      message,
      type,
    };
    this.#transitions.push({ at: START_MS + at * 1000, type: 'ADDED', object: object as unknown as StoredEvent });
    return this;
  }

  /** Adds attempts of a probe, each with its seconds after the start of the container. */
  probe(container: string, probe: ProbeType, answers: ReadonlyArray<readonly [seconds: number, answer: Answer]>): this {
    for (const [offsetSeconds, answer] of answers) {
      this.#probes.push({
        time: time(offsetSeconds),
        offsetSeconds,
        container,
        restartCount: this.#statuses.get(container)?.restartCount ?? 0,
        probe,
        handler: 'exec [check]',
        durationMs: 10,
        result: 'success',
        output: '',
        successes: 0,
        failures: 0,
        successThreshold: 1,
        failureThreshold: 3,
        decision: 'none',
        ...answer,
      });
    }
    return this;
  }

  preStop(container: string, at: number, seconds: number): this {
    const restartCount = this.#statuses.get(container)?.restartCount ?? 0;
    const shared = { time: time(at), container, restartCount, hook: 'preStop', handler: 'exec [drain]' } as const;
    this.#hooks.push({ ...shared, durationMs: seconds * 1000, result: 'success' });
    return this;
  }

  usage(container: string, totals: Omit<RecordedUsage, 'time' | 'container' | 'restartCount'>): this {
    this.usages.push({ time: time(0), container, restartCount: 0, ...totals });
    return this;
  }

  get run(): RecordedRun {
    return {
      namespace: 'default',
      name: 'web',
      uid: 'u',
      transitions: this.#transitions,
      probes: this.#probes,
      hooks: this.#hooks,
    };
  }

  /** The Pod in its current state. */
  get pod(): StoredPod {
    const of = (list: PodSpec['containers'] | undefined): ContainerStatus[] =>
      (list ?? []).flatMap(({ name }) => this.#statuses.get(name) ?? []);
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: time(0) },
      spec: this.#spec,
      status: {
        initContainerStatuses: of(this.#spec.initContainers),
        containerStatuses: of(this.#spec.containers),
      },
    };
  }

  #turn(name: string, at: number, state: ContainerState, restartCount: number): this {
    const before = this.#statuses.get(name);
    const lastState = before?.state?.terminated && state.running ? before.state : before?.lastState;
    const isRunning = state.running !== undefined;
    this.#statuses.set(name, {
      name,
      image: 'busybox',
      imageID: '',
      ready: isRunning,
      restartCount,
      state,
      ...(lastState === undefined ? {} : { lastState }),
    });
    this.#write(at);
    return this;
  }

  #write(at: number): void {
    this.#transitions.push({ at: START_MS + at * 1000, type: 'MODIFIED', object: this.pod });
  }
}

function time(seconds: number): string {
  return formatTime(START_MS + seconds * 1000);
}
