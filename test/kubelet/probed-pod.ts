import { type ProbedContainer, type ProbeOutcome, Prober, type ProbeType } from '../../src/kubelet/probe/prober.ts';
import type { ProbeAbort } from '../../src/kubelet/probe/input.ts';
import type { Container, Probe } from '../../src/api/generated/types.ts';
import type { ProbeAttempt } from '../../src/lifecycle/probes/probe-attempt.ts';
import type { probedStage } from '../../src/lifecycle/probes/probed-containers.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

export const PASS: ProbeOutcome = { result: 'success', output: '' };
export const FAIL: ProbeOutcome = { result: 'failure', output: 'no' };
export const ERROR: ProbeOutcome = { result: 'error', output: 'gone' };

type Stage = ReturnType<typeof probedStage>;
type Probes = Pick<Container, `${ProbeType}Probe`>;

/** A Pod with one container, its prober, and a diary of probes, results and events with their times. */
export class ProbedPod {
  readonly clock: ManualClock = new ManualClock();
  readonly diary: string[] = [];
  readonly aborts: ProbeAbort[] = [];
  readonly attempts: ProbeAttempt[] = [];
  /** Answers the next probes. May return a promise. */
  answer: (type: ProbeType) => ProbeOutcome | Promise<ProbeOutcome> = () => PASS;
  seen: ProbedContainer;
  #stage: Stage = 'running';
  readonly #prober: Prober;

  constructor(probes: Probes) {
    const nothing = {
      instanceId: undefined,
      restartCount: 0,
      running: false,
      startedAt: undefined,
      started: false,
      ready: false,
    };
    this.seen = { container: { name: 'main', ...probes }, ...nothing, willRestart: true, restartsAfterKill: true };
    this.#prober = new Prober({
      clock: this.clock,
      probe: async (_container, type, _probe, abort) => {
        this.#note(type);
        this.aborts.push(abort);
        return this.answer(type);
      },
      onResult: ({ instanceId, type, success }) => {
        this.#note(`${instanceId} ${type}=${success}`);
        if (type === 'startup' && success) this.tell({ started: true });
        if (type === 'readiness') this.tell({ ready: success });
      },
      onEvent: ({ message }) => this.#note(message),
      onAttempt: (attempt) => this.attempts.push(attempt),
      onDefect: (defect) => {
        throw defect;
      },
    });
    this.tell({});
  }

  /** Changes the container. */
  tell(change: Partial<ProbedContainer>): void {
    this.seen = { ...this.seen, ...change };
    this.#prober.update({ stage: this.#stage, containers: [this.seen] });
  }

  tellPod(stage: Stage): void {
    this.#stage = stage;
    this.tell({});
  }

  start(instanceId: string): void {
    const { startupProbe, readinessProbe } = this.seen.container;
    const started = startupProbe === undefined;
    const ready = started && readinessProbe === undefined;
    const restartCount = Number(instanceId.split('-')[1]);
    this.tell({
      instanceId,
      restartCount,
      running: true,
      startedAt: this.clock.now(),
      started,
      ready,
      willRestart: true,
    });
  }

  end(): void {
    this.tell({ running: false, started: false, ready: false });
  }

  close(): void {
    this.#prober.close();
  }

  #note(what: string): void {
    this.diary.push(`${this.clock.now().monotonicMs / 1000} ${what}`);
  }
}

/** A probe with this period; the third failure decides. */
export const every = (periodSeconds: number, rest: Probe = {}): Probe => ({
  periodSeconds,
  failureThreshold: 3,
  ...rest,
});
