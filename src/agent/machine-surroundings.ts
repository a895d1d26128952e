import { PodrunError } from '../api/errors.ts';
import { formatTime } from '../api/time.ts';
import type { StoredPod } from '../api/objects.ts';
import type { Clock } from '../clock.ts';
import { containerKind } from '../lifecycle/status/container-status.ts';
import { imageFolder } from '../lifecycle/environment/entry-point.ts';
import { containerLimits } from '../lifecycle/node/container-limits.ts';
import { podHostname } from '../lifecycle/environment/hostname.ts';
import { containerSpec } from '../lifecycle/observe.ts';
import { MEMORY_POLLED } from '../lifecycle/texts/terminated.ts';
import type { NetworkFacts } from '../runtime/linux/network/detect.ts';
import type { OutputStream, ProcessExit, Runtime } from '../runtime/runtime.ts';
import { AttachPoint } from '../background/attach/attach-point.ts';
import type { InstanceRef, LiveInstance } from './instance.ts';
import type { PodSurroundings } from './pod-surroundings.ts';
import type { ProbeAttempt } from '../lifecycle/probes/probe-attempt.ts';
import type { ProbeOutcome } from '../lifecycle/probes/probe-outcome.ts';
import type { probeOnce } from './probe/index.ts';
import type { ProbeInput } from './probe/input.ts';
import { ContainerLogs, type PodFiles, type ProbeSink } from './container-logs.ts';
import { type HookOutput, isHookOutput } from './hooks/handlers.ts';
import { isStored } from './clean-up/is-stored.ts';
import { type NetworkUser, PodNetworks } from './network/pod-networks.ts';
import { launchSteps, type LaunchOptions } from './steps/index.ts';
import { prepareLaunch, releaseLaunch, restoreLaunch } from './steps/prepare-launch.ts';
import type { LaunchInput, LaunchStep } from './steps/step.ts';
import { volumeGroup } from '../lifecycle/security/volume-group.ts';
import { PodVolumes, type SandboxAttempt } from './volumes/pod-volumes.ts';
import { terminationMessage } from './termination-message.ts';
import { storageUsage } from './volumes/storage-usage.ts';

/** The resources of the machine for containers, and the callbacks for their output. */
export interface MachineOptions extends LaunchOptions {
  readonly files: PodFiles;
  readonly clock: Clock;
  readonly runtime: Runtime;
  /** The tools for private networks. Undefined: Pods share the host's network. */
  readonly privateNetworks: NetworkFacts | undefined;
  /**
   * Called with the output of containers as it arrives; the chunk is valid during the call. A slow reader answers with
   * a promise. podrun reads no more output until it resolves; the container blocks when its pipe is full.
   */
  readonly onOutput: (
    ...[pod, container, stream, chunk]: [StoredPod, string, OutputStream, Buffer]
  ) => Promise<void> | undefined;
  /** Called with the output of hooks' commands, in whole lines. Output of probes is left out. */
  readonly onHookOutput: (pod: StoredPod, output: HookOutput) => void;
  /** True when the Pod's object was removed. */
  readonly isRemoved: (pod: StoredPod) => boolean;
  /** Called when a record could not be written or read. */
  readonly onTrouble: (error: PodrunError) => void;
}

/**
 * The surroundings of containers on this machine: the volumes, networks, logs and files of their Pods, and the clients
 * that are attached. One for all Pods of an Agent.
 */
export class MachineSurroundings {
  readonly #options: MachineOptions;
  readonly #steps: readonly LaunchStep[];
  readonly #logs: ContainerLogs;
  /** The module, imported once: another `import()` costs a tenth of a TCP probe. */
  #probes: { readonly probeOnce: typeof probeOnce } | undefined;
  /** By uid of the Pod; only Pods that have volumes and have not ended. */
  readonly #volumes = new Map<string, PodVolumes>();
  /** By id of the instance. */
  readonly #live = new Map<string, LiveInstance>();
  /** By uid of the Pod; only Pods that were probed and have not ended. */
  readonly #probeJournals = new Map<string, ProbeSink>();
  readonly #networks: PodNetworks;
  readonly #attachPoint: AttachPoint;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#logs = new ContainerLogs(options);
    this.#networks = new PodNetworks(options);
    this.#attachPoint = new AttachPoint({ ...options, socketOf: (pod) => options.files.attachSocket(pod) });
    this.#steps = launchSteps(options, this.#attachPoint);
  }

  /** Updates the Pod's volumes after a change of its object: their content may depend on it. */
  podChanged(pod: StoredPod): void {
    this.#volumes.get(pod.metadata.uid)?.podChanged(pod);
  }

  /** The surroundings for a PodRun, which records the events of its Pod itself. */
  surroundings(): Omit<PodSurroundings, 'event'> {
    const logs = this.#logs;
    const { onOutput, onHookOutput, files, clock } = this.#options;
    return {
      createSandbox: async (pod, attempt) => {
        await files.prepare(pod);
        if ((pod.spec.volumes ?? []).length > 0) await this.#setUpVolumes(pod, attempt);
        const hostname = podHostname(pod);
        if (!hostname.ok) throw new Error(hostname.message);
        return this.#networks.join(pod, attempt);
      },
      removeSandbox: async (pod) => {
        this.#volumes.get(pod.metadata.uid)?.remove();
        this.#volumes.delete(pod.metadata.uid);
        this.#record(pod, () => this.#closeProbeJournal(pod));
        await Promise.all([this.#networks.leave(pod), this.#attachPoint.close(pod)]);
      },
      measureStorage: (pod, wanted) => storageUsage(pod, wanted, files),
      prepare: (pod, instance) => prepareLaunch(this.#steps, this.#launchInput(pod, instance)),
      startFailed: (pod, instance) => releaseLaunch(this.#steps, this.#launchInput(pod, instance)),
      limitsOf: ({ spec }, container) => containerLimits(spec, container, this.#options.podPidsLimit),
      logFile: (pod, instance) => files.logFile(pod, instance),
      started: (pod, live) => {
        const { ref, running } = live;
        this.#recordInPlace(pod, () => files.recordProcess(pod, ref, running));
        this.#live.set(ref.id, live);
        this.#attachPoint.started(pod, containerSpec(pod, ref.container), live);
      },
      // Clients that were attached have to attach again.
      adopted: (pod, live) => void this.#expectAgain(pod, live),
      restore: (pod, instance, launch) => restoreLaunch(this.#steps, this.#launchInput(pod, instance), launch),
      output: (pod, instance, stream, chunk) => {
        this.#recordInPlace(pod, () => logs.write(pod, instance, stream, chunk));
        this.#attachPoint.output(instance, stream, chunk);
        // Control sequences for the terminal of the container must not reach the terminal that shows the run.
        const isElsewhere = isEphemeral(pod, instance) && this.#attachPoint.hasTerminal(instance);
        const wait = isElsewhere ? undefined : onOutput(pod, instance.container, stream, chunk);
        if (wait !== undefined) void this.#holdUntil(wait, instance);
      },
      exited: (pod, instance, exit) => {
        this.#live.delete(instance.id);
        this.#record(pod, () => logs.close(instance));
        this.#attachPoint.exited(instance, exit.exitCode);
        this.#recordUsage(pod, instance, exit);
        const message = this.#terminationMessage(pod, instance, exit);
        releaseLaunch(this.#steps, this.#launchInput(pod, instance));
        return exit.oomPolled === true ? [MEMORY_POLLED, message].filter(Boolean).join('\n') : message;
      },
      explain: (pod, instance, symptom) => this.#networks.explain(this.#networkUser(pod, instance), symptom),
      probed: (pod, attempt) => this.#recordInPlace(pod, () => this.#probed(pod, attempt)),
      hooked: (pod, run) => this.#recordInPlace(pod, () => files.recordHook(pod, run, clock.now().wallMs)),
      logHandlerOutput: (pod, instance, output) => {
        this.#recordInPlace(pod, () => files.logHandler(pod, instance, output, clock.now().wallMs));
        if (isHookOutput(pod, instance, output)) onHookOutput(pod, { ...output, container: instance.container });
      },
      // Loaded late: most Pods have no hooks and no probes, and node:http, https and http2 load slower than the rest of
      // a start.
      runHook: async (input) =>
        (await import('./hooks/hooks.ts')).runHook({ ...input, dial: this.#networks.dialerOf(input.pod) }),
      runProbe: (input) => this.#runProbe(input),
    };
  }

  /**
   * Runs a read or write of records. An error is reported, and the Pod goes on: a lost log is better than a container
   * that podrun stops watching.
   */
  #record<T>(pod: StoredPod, use: () => T): T | undefined {
    try {
      return use();
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      // A Pod that was removed by force has no record any more, and is being ended.
      if (isStored(this.#options.store, pod)) this.#options.onTrouble(error);
      return undefined;
    }
  }

  /**
   * Records something about a Pod whose object still exists. A Pod that was removed by force runs on for a moment, when
   * its record may already belong to the next Pod of that name.
   */
  #recordInPlace(pod: StoredPod, use: () => void): void {
    if (!this.#options.isRemoved(pod)) this.#record(pod, use);
  }

  async #runProbe(input: ProbeInput): Promise<ProbeOutcome> {
    this.#probes ??= await import('./probe/index.ts');
    return this.#probes.probeOnce(input, this.#networks.dialerOf(input.pod));
  }

  #probed(pod: StoredPod, attempt: ProbeAttempt): void {
    const { files, clock } = this.#options;
    const { uid } = pod.metadata;
    const journal = this.#probeJournals.get(uid) ?? files.probeJournal(pod);
    this.#probeJournals.set(uid, journal);
    journal.append(attempt, clock.now().wallMs);
  }

  #closeProbeJournal({ metadata: { uid } }: StoredPod): void {
    const journal = this.#probeJournals.get(uid);
    this.#probeJournals.delete(uid);
    journal?.close();
  }

  #recordUsage(pod: StoredPod, { container, attempt }: InstanceRef, { usage }: ProcessExit): void {
    if (usage === undefined) return;
    const { wallMs } = this.#options.clock.now();
    const entry = { time: formatTime(wallMs), container, restartCount: attempt, ...usage };
    this.#recordInPlace(pod, () => this.#options.files.recordUsage(pod, entry, wallMs));
  }

  async #holdUntil(wait: Promise<void>, { id }: InstanceRef): Promise<void> {
    const streams = this.#live.get(id)?.streams;
    streams?.holdOutput(true, 'shown');
    await wait;
    streams?.holdOutput(false, 'shown');
  }

  async #expectAgain(pod: StoredPod, live: LiveInstance): Promise<void> {
    const container = containerSpec(pod, live.ref.container);
    this.#live.set(live.ref.id, live);
    if (isEphemeral(pod, live.ref)) await this.#attachPoint.expect(pod, container, live.ref);
    this.#attachPoint.started(pod, container, live);
  }

  async #setUpVolumes(pod: StoredPod, attempt: SandboxAttempt): Promise<void> {
    const { store, clock, node, files, cwd, rights } = this.#options;
    const { namespace, uid } = pod.metadata;
    const claim = (name: string): string | undefined =>
      store.get('persistentvolumeclaims', namespace, name) && files.claimedVolume(namespace, name);
    const image = (reference: string): string | undefined => imageFolder(reference, this.#options.images);
    const group = volumeGroup(pod.spec, rights());
    const sources = { volumes: files.volumes(pod), memory: files.memory, claim, image, cwd, group };
    this.#volumes.get(uid)?.close();
    const volumes = new PodVolumes({ pod, store, clock, node, sources });
    this.#volumes.set(uid, volumes);
    await volumes.setUp(attempt);
  }

  #launchInput(pod: StoredPod, instance: InstanceRef): LaunchInput {
    const volumes = this.#volumes.get(pod.metadata.uid);
    const podIP = this.#networks.addressOf(pod);
    const network = this.#networks.privateNetworkOf(pod)?.join;
    return { pod, container: containerSpec(pod, instance.container), instance, sandbox: { volumes, podIP, network } };
  }

  #networkUser(pod: StoredPod, instance: InstanceRef): NetworkUser {
    const logTail = (lines: number): string => this.#logTail(pod, instance, lines);
    return { pod, container: containerSpec(pod, instance.container), id: instance.id, logTail };
  }

  #logTail(pod: StoredPod, instance: InstanceRef, lines: number): string {
    return this.#record(pod, () => this.#options.files.logTail(pod, instance, lines)) ?? '';
  }

  #terminationMessage(pod: StoredPod, instance: InstanceRef, { exitCode }: ProcessExit): string | undefined {
    const { files } = this.#options;
    const container = containerSpec(pod, instance.container);
    const file = files.terminationLog(pod, instance);
    const logTail = (lines: number): string => this.#logTail(pod, instance, lines);
    return terminationMessage(pod, container, exitCode, { file, logTail });
  }
}

function isEphemeral(pod: StoredPod, { container }: InstanceRef): boolean {
  return containerKind(pod, container) === 'ephemeral';
}
