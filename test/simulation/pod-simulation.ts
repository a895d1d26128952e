import { allContainerStatuses, type StoredPod } from '../../src/api/base/objects.ts';
import type {
  Container,
  ContainerStatus,
  EphemeralContainer,
  PodSpec,
  PodStatus,
} from '../../src/api/generated/types.ts';
import { ContainerEffects } from '../../src/kubelet/container-effects.ts';
import type { PodMachine } from '../../src/kubelet/pod-machine.ts';
import type { HandlerOutput } from '../../src/kubelet/hooks/handler-log.ts';
import type { LaunchOutcome } from '../../src/kubelet/steps/step.ts';
import { containerSpec } from '../../src/lifecycle/observe.ts';
import { PodWorker } from '../../src/kubelet/pod-worker.ts';
import { type BackOffLimits, CRASH_LOOP } from '../../src/lifecycle/plan/back-off.ts';
import type { HookRun } from '../../src/lifecycle/activity.ts';
import type { ProbeAttempt } from '../../src/lifecycle/probes/probe-attempt.ts';
import type { ImageVerdicts } from '../../src/lifecycle/plan/image-pull.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { simulatedMachine } from '../../src/simulation/simulated-machine.ts';
import type { ExecBehaviour, ProgramBehaviour } from '../../src/simulation/read-program.ts';
import { SimulatedRuntime } from '../../src/simulation/simulated-runtime.ts';
import type { EventDraft } from '../../src/lifecycle/texts/events.ts';
import type { StorageUsage } from '../../src/lifecycle/base/facts.ts';
import { newPod } from './new-pod.ts';

export interface PodSimulationOptions {
  readonly spec: Partial<PodSpec>;
  readonly behave?: (container: string, attempt: number) => ProgramBehaviour;
  readonly behaveExec?: (container: string, argv: readonly string[]) => ExecBehaviour;
  readonly crashLoop?: BackOffLimits;
  /** The images of containers. `volumeImages` are those of volumes. */
  readonly images?: (pod: StoredPod) => ImageVerdicts['containers'];
  readonly volumeImages?: () => ImageVerdicts['volumes'];
  /** Creates the Pod's sandbox. Default: at once. */
  readonly createSandbox?: PodMachine['createSandbox'];
  /** Looks for the cause of a network fault. Default: there is none to look for. */
  readonly explain?: PodMachine['explain'];
}

/** One line of the story: the time, and the new status, event or hook output. */
export interface Seen {
  readonly atMs: number;
  readonly status?: PodStatus;
  readonly event?: EventDraft;
  /** The output of a hook or probe: `main preStop stdout: text`. Notes are `main preStop: text`. */
  readonly said?: string;
}

/** A Pod of the real PodWorker in a simulated machine. The test controls time, programs and commands. */
export class PodSimulation {
  readonly clock: ManualClock = new ManualClock();
  readonly seen: Seen[] = [];
  /** The hook journal. */
  readonly hookRuns: HookRun[] = [];
  /** The probe journal. */
  readonly attempts: ProbeAttempt[] = [];
  readonly runtime: SimulatedRuntime;
  readonly worker: PodWorker;
  finished = false;
  /** The disk usage of the Pod. */
  usage: StorageUsage = { volumes: {}, logs: {}, layers: {} };

  constructor(options: PodSimulationOptions) {
    const { spec, behave, behaveExec, crashLoop, images, volumeImages, createSandbox, explain } = options;
    const nameOf = (subject: { readonly id: string; readonly env: Readonly<Record<string, string>> }): string =>
      subject.env['SIMULATED_NAME'] ?? subject.id;
    this.runtime = new SimulatedRuntime({
      clock: this.clock,
      nameOf,
      ...(behave === undefined ? {} : { behave }),
      ...(behaveExec === undefined ? {} : { behaveExec }),
    });
    this.worker = new PodWorker({
      pod: newPod(spec),
      clock: this.clock,
      config: (pod) => ({
        crashLoop: crashLoop ?? CRASH_LOOP,
        images: { containers: images?.(pod) ?? {}, volumes: volumeImages?.() ?? {} },
      }),
      hostIP: '127.0.0.1',
      report: {
        saveStatus: (status) => {
          this.seen.push({ atMs: this.clock.now().monotonicMs, status });
          return { ...this.worker.pod, status };
        },
        saved: () => undefined,
        events: (_pod, events) => {
          for (const event of events) this.seen.push({ atMs: this.clock.now().monotonicMs, event });
        },
        finished: () => {
          this.finished = true;
        },
        broken: (defect) => {
          throw defect;
        },
      },
      effects: (report) =>
        new ContainerEffects({
          clock: this.clock,
          runtime: this.runtime,
          report,
          machine: simulatedMachine({
            ...(createSandbox && { createSandbox }),
            ...(explain && { explain }),
            measureStorage: () => Promise.resolve(this.usage),
            prepare: (pod, instance) => Promise.resolve(this.#prepared(containerSpec(pod, instance.container))),
            probed: (_pod, attempt) => this.attempts.push(attempt),
            hooked: (_pod, run) => this.hookRuns.push(run),
            logHandlerOutput: (_pod, { container }, said) =>
              this.seen.push({ atMs: this.clock.now().monotonicMs, said: saying(container, said) }),
          }),
        }),
    });
  }

  #prepared({ name, command }: Container): LaunchOutcome {
    const launch = { argv: [command?.[0] ?? name] as const, env: { SIMULATED_NAME: name }, cwd: '/', stdin: false };
    return { ok: true, launch, notices: [] };
  }

  async start(): Promise<this> {
    this.worker.start();
    await this.clock.run(0);
    return this;
  }

  /** Adds an ephemeral container to the Pod. */
  async addEphemeral(container: EphemeralContainer): Promise<void> {
    const { pod } = this.worker;
    const ephemeralContainers = [...(pod.spec.ephemeralContainers ?? []), container];
    const generation = (pod.metadata.generation ?? 0) + 1;
    const metadata = { ...pod.metadata, generation };
    this.worker.objectChanged({ ...pod, metadata, spec: { ...pod.spec, ephemeralContainers } });
    await this.clock.run(0);
  }

  /** Changes the spec of the Pod. */
  change(spec: Partial<PodSpec>): void {
    const { pod } = this.worker;
    const generation = (pod.metadata.generation ?? 1) + 1;
    this.worker.objectChanged({
      ...pod,
      metadata: { ...pod.metadata, generation },
      spec: { ...pod.spec, ...spec },
    });
  }

  /** Writes into the stored status. */
  writeStatus(status: PodStatus): void {
    this.worker.objectChanged({ ...this.worker.pod, status });
  }

  /** Deletes the Pod. */
  delete(graceSeconds: number): void {
    const { pod } = this.worker;
    this.worker.objectChanged({
      ...pod,
      metadata: {
        ...pod.metadata,
        generation: 2,
        deletionTimestamp: '2026-01-01T00:00:00Z',
        deletionGracePeriodSeconds: graceSeconds,
      },
    });
  }

  /** Evicts the Pod for the sake of its node. */
  evict(message: string, graceSeconds: number): void {
    this.worker.evict({ message, graceSeconds });
  }

  get status(): PodStatus {
    return this.worker.pod.status;
  }

  container(name: string): ContainerStatus {
    const status = allContainerStatuses(this.status).find((one) => one.name === name);
    if (status === undefined) throw new Error(`no status of ${name}`);
    return status;
  }

  /** The distinct phases, in order. */
  get phases(): string[] {
    return distinct(this.seen.flatMap(({ status }) => (status?.phase === undefined ? [] : [status.phase])));
  }

  /** The distinct values of a condition, in order, with their reasons: `False/PodFailed`. */
  condition(type: string): string[] {
    return distinct(
      this.seen.flatMap(({ status }) => {
        const condition = status?.conditions?.find((one) => one.type === type);
        if (condition === undefined) return [];
        return [condition.reason === undefined ? condition.status : `${condition.status}/${condition.reason}`];
      }),
    );
  }

  /** Every event in order, as `reason message`. */
  get events(): string[] {
    return this.seen.flatMap(({ event }) => (event === undefined ? [] : [`${event.reason} ${event.message}`]));
  }

  /** The output of hooks and probes, in order. */
  get hookOutput(): string[] {
    return this.seen.flatMap(({ said }) => said ?? []);
  }

  /** The starts of the container's programs, in milliseconds of the simulation. */
  startsOf(name: string): number[] {
    return this.runtime.journal.filter((entry) => entry.name === name && entry.what === 'running').map((e) => e.atMs);
  }
}

function saying(container: string, { handler, stream, lines }: HandlerOutput): string {
  return `${[container, handler, stream].filter(Boolean).join(' ')}: ${lines.toString().trimEnd()}`;
}

/** Removes consecutive duplicates. */
export function distinct(values: readonly string[]): string[] {
  return values.filter((value, index) => index === 0 || value !== values[index - 1]);
}
