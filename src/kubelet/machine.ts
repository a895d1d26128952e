import path from 'node:path';
import { inBackground } from '../defects.ts';
import { topWorkload, workloadsAbove } from '../apiserver/index.ts';
import type { Container, HTTPGetAction, StoredEvent, StoredPod, WatchEvent } from '../api/index.ts';
import { type Clock, machineClock } from '../clock.ts';
import { AttachPoint } from './attach/attach-point.ts';
import {
  containerKind,
  containerLimits,
  containerSpec,
  type EnsuredImage,
  type EventDraft,
  type HookRun,
  MEMORY_POLLED,
  type NodeFacts,
  type OwnRights,
  podHostname,
  type ProbeAttempt,
  type ProbeOutcome,
  type StorageMeasures,
  type StorageUsage,
  userOf,
} from '../lifecycle/index.ts';
import { atExit, type OutputStream, type ProcessExit, type ResourceLimits, type Runtime } from '../runtime/index.ts';
import { type FileStore, holdMemoryFolders, type InstanceRef, type NetworkRecord, PodFiles } from '../store/index.ts';
import type { Faults } from './faults.ts';
import { type HandlerOutput, type HookOutput, isHookOutput } from './hooks/handler-log.ts';
import type { HookInput, HookOutcome } from './hooks/hooks.ts';
import type { Launch, LiveInstance } from './base/instance.ts';
import type { EnsureCall, NodeImages } from '../images/index.ts';
import { Journals } from './journals.ts';
import type { PodMachine } from './pod-machine.ts';
import { policyEventsOf } from './policy-events.ts';
import { type NetworkSymptom, PodNames, PodNetworks } from '../network/index.ts';
import type { probeOnce } from './probe/index.ts';
import type { ProbeInput } from './probe/input.ts';
import { PodHandlers } from './runtime-class/pod-handlers.ts';
import type { AgentSettings } from '../settings/index.ts';
import { namespacesOf } from './steps/confinement.ts';
import { type LaunchInput, type LaunchOutcome, prepareLaunch, releaseLaunch, restoreLaunch } from './steps/step.ts';
import { terminationMessage } from './termination-message.ts';
import type { SandboxAttempt } from './volumes/pod-volumes.ts';
import { VolumesOfPods } from './volumes/volumes-of-pods.ts';
import { storageUsage } from './volumes/storage-usage.ts';

/** The resources of an agent for containers on this machine, and the callbacks for their output. */
export interface AgentResources {
  readonly settings: AgentSettings;
  readonly store: FileStore;
  readonly clock: Clock;
  readonly runtime: Runtime;
  /** True when the runtime writes the logs of containers itself. */
  readonly runtimeWritesLogs?: boolean;
  /** The record of a cluster that outlives this process. Undefined: it ends with this process. */
  readonly networkRecord?: NetworkRecord | undefined;
  /** Faults on purpose. Undefined: none. */
  readonly faults?: Faults | undefined;
  /**
   * Called with the output of containers as it arrives; the chunk is valid during the call. A slow reader returns a
   * promise. podrun reads no more output until it resolves; the container blocks when its pipe is full.
   */
  readonly onOutput: (
    ...[pod, container, stream, chunk]: [StoredPod, string, OutputStream, Buffer]
  ) => Promise<void> | undefined;
  /** Called with the output of hooks' commands, in whole lines. Output of probes is left out. */
  readonly onHookOutput: (pod: StoredPod, output: HookOutput) => void;
  /** Called when a record could not be written or read. */
  readonly onTrouble: (error: Error) => void;
}

interface MachineOptions extends AgentResources {
  /** The node of a Pod. */
  readonly nodeOf: (pod: Pick<StoredPod, 'spec'>) => NodeFacts;
  /** The images from which containers run. Undefined: all of them run programs of this machine. */
  readonly images: NodeImages | undefined;
  /** The rights of this process. Read when the first Pod needs them. */
  readonly rights: () => OwnRights;
  /** True when the Pod's object was removed. */
  readonly isRemoved: (pod: StoredPod) => boolean;
  /** True for a Pod that the agent runs. */
  readonly isOwn: (pod: StoredPod) => boolean;
  /** Called for every event about NetworkPolicies. */
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
}

/**
 * This machine, for the containers of all Pods of an Agent: their volumes, networks, logs and files, the steps of their
 * starts, and the clients that are attached to them.
 */
export class Machine implements PodMachine {
  readonly #options: MachineOptions;
  readonly #files: PodFiles;
  readonly #journals: Journals;
  /** The networks of the Pods. */
  readonly networks: PodNetworks;
  readonly #attachPoint: AttachPoint;
  readonly #names: PodNames;
  readonly #handlers: PodHandlers;
  readonly #volumes: VolumesOfPods;
  /** By id of the instance. */
  readonly #live = new Map<string, LiveInstance>();
  /** The module, imported once: another `import()` costs a tenth of a TCP probe. */
  #probes: { readonly probeOnce: typeof probeOnce } | undefined;
  readonly #release: () => void;

  constructor(options: MachineOptions) {
    const { store, settings } = options;
    const files = new PodFiles(store);
    this.#options = options;
    this.#files = files;
    this.#release = settings.features.tier === 'namespace' ? holdUntilExit(store) : () => undefined;
    this.#journals = new Journals({ ...options, files });
    const { privateNetworks, hostEnv } = settings;
    const clock = machineClock(options.clock);
    this.networks = new PodNetworks({
      ...options,
      clock,
      files,
      privateNetworks,
      hostEnv,
      networkRecord: options.networkRecord,
      policyEvents: policyEventsOf({ ...options, clock }),
      workloadOf: (pod) => topWorkload(workloadsAbove(store), pod),
    });
    this.#volumes = new VolumesOfPods({ ...options, files });
    this.#attachPoint = new AttachPoint({ ...options, socketOf: (pod) => files.paths(pod).attachSocket });
    this.#names = new PodNames({
      ...options,
      clock,
      network: privateNetworks?.kind ?? 'host',
      isOnMachine: (pod) => this.networks.isOnMachine(pod),
      hasOwnFiles: settings.features.tier === 'namespace',
      helper: () => this.networks.clusterHelper(),
    });
    this.#handlers = new PodHandlers({
      ...options,
      files,
      attachPoint: this.#attachPoint,
      names: this.#names,
      networks: this.networks,
    });
  }

  /** Updates the Pod's volumes after a change of its object: their content may depend on it. */
  podChanged(pod: StoredPod): void {
    this.#volumes.of(pod)?.podChanged(pod);
  }

  /** See PodNames. */
  clusterDns(): Promise<string | undefined> {
    return this.#names.clusterDns();
  }

  /** Lets go of the folders that this process holds, and of what the Pods share. */
  async close(): Promise<void> {
    this.#names.close();
    await this.networks.close();
    this.#release();
  }

  async createSandbox(pod: StoredPod, attempt: SandboxAttempt): Promise<string | undefined> {
    if ((pod.spec.volumes ?? []).length > 0) await this.#volumes.setUp(pod, attempt);
    const network = await this.#handlers.choose(pod);
    await this.#options.images?.open(pod);
    const hostname = podHostname(pod);
    if (!hostname.ok) throw new Error(hostname.message);
    const [address, events] = await Promise.all([this.networks.join(pod, attempt, network), this.#names.open(pod)]);
    for (const event of events) attempt.event(event);
    await this.#sizeVolumes(pod);
    await this.#meetFaults(pod);
    return address;
  }

  async #meetFaults(pod: StoredPod): Promise<void> {
    const { faults, store } = this.#options;
    if (faults === undefined || pod.spec.hostNetwork === true) return;
    if (this.networks.privateNetworkOf(pod) === undefined) return;
    const names = [pod.metadata.name, ...workloadsAbove(store)(pod).map(({ name }) => name)];
    await faults.joined(pod, names, (isCut) => this.networks.cutOff(pod, isCut));
  }

  /** Gives volumes their file systems in the mounts of the Pod. */
  async #sizeVolumes(pod: StoredPod): Promise<void> {
    const { runtime, images } = this.#options;
    await this.#volumes.of(pod)?.size(async (memory) => {
      if (this.#handlers.isPlain(pod) || runtime.openPod === undefined)
        return { ok: false, error: 'it has no mounts of its own' };
      return runtime.openPod({
        pod: namespacesOf(pod, images, { memory }),
        folder: path.join(this.#files.paths(pod).layers, '.pod'),
        network: this.networks.privateNetworkOf(pod)?.join,
      });
    });
  }

  async removeSandbox(pod: StoredPod): Promise<void> {
    if ((this.#volumes.of(pod)?.memory ?? []).length > 0) await this.#options.runtime.closePod?.(pod.metadata.uid);
    this.#volumes.remove(pod);
    this.#handlers.forget(pod);
    this.#journals.close(pod);
    this.#options.images?.left(pod);
    await Promise.all([this.networks.leave(pod), this.#attachPoint.close(pod)]);
  }

  measureStorage(pod: StoredPod, wanted: StorageMeasures): Promise<StorageUsage> {
    return storageUsage(pod, wanted, this.#files);
  }

  async ensureImage(pod: StoredPod, call: EnsureCall): Promise<EnsuredImage> {
    return (await this.#options.images?.ensure(pod, call)) ?? { type: 'absent' };
  }

  async prepare(pod: StoredPod, instance: InstanceRef): Promise<LaunchOutcome> {
    await this.#sizeVolumes(pod);
    const outcome = await prepareLaunch(this.#handlers.stepsOf(pod), this.#launchInput(pod, instance));
    return outcome.ok ? { ...outcome, user: userOf(outcome.launch.identity, this.#options.rights()) } : outcome;
  }

  startFailed(pod: StoredPod, instance: InstanceRef): void {
    releaseLaunch(this.#handlers.stepsOf(pod), this.#launchInput(pod, instance));
  }

  restore(pod: StoredPod, instance: InstanceRef, launch: Launch): Launch {
    return restoreLaunch(this.#handlers.stepsOf(pod), this.#launchInput(pod, instance), launch);
  }

  limitsOf({ spec }: StoredPod, container: Container): ResourceLimits | undefined {
    return containerLimits(spec, container, this.#options.settings.podPidsLimit);
  }

  logFile(pod: StoredPod, instance: InstanceRef): string {
    return this.#files.log(pod, instance);
  }

  started(pod: StoredPod, live: LiveInstance): void {
    this.#journals.process(pod, live.ref, live.running);
    this.#live.set(live.ref.id, live);
    this.#attachPoint.started(pod, containerSpec(pod, live.ref.container), live);
  }

  async adopted(pod: StoredPod, live: LiveInstance): Promise<void> {
    const container = containerSpec(pod, live.ref.container);
    inBackground(this.#names.open(pod));
    inBackground(this.#options.images?.adopted(pod));
    this.#live.set(live.ref.id, live);
    if (isEphemeral(pod, live.ref)) await this.#attachPoint.expect(pod, container, live.ref);
    this.#attachPoint.started(pod, container, live);
  }

  output(pod: StoredPod, instance: InstanceRef, stream: OutputStream, chunk: Buffer): void {
    this.#journals.output(pod, instance, stream, chunk);
    this.#attachPoint.output(instance, stream, chunk);
    // Control sequences for the terminal of the container must not reach the terminal that shows the run.
    if (isEphemeral(pod, instance) && this.#attachPoint.hasTerminal(instance)) return;
    const wait = this.#options.onOutput(pod, instance.container, stream, chunk);
    if (wait !== undefined) inBackground(this.#holdUntil(wait, instance));
  }

  exited(pod: StoredPod, instance: InstanceRef, exit: ProcessExit): string | undefined {
    this.#live.delete(instance.id);
    this.#journals.exited(pod, instance, exit);
    this.#attachPoint.exited(instance, exit.exitCode);
    const message = terminationMessage(pod, containerSpec(pod, instance.container), exit.exitCode, {
      file: this.#files.terminationLog(pod, instance),
      logTail: (lines) => this.#journals.logTail(pod, instance, lines),
    });
    releaseLaunch(this.#handlers.stepsOf(pod), this.#launchInput(pod, instance));
    return exit.oomPolled === true ? [MEMORY_POLLED, message].filter(Boolean).join('\n') : message;
  }

  explain(pod: StoredPod, instance: InstanceRef, symptom: NetworkSymptom): Promise<EventDraft | undefined> | undefined {
    const container = containerSpec(pod, instance.container);
    const logTail = (lines: number): string => this.#journals.logTail(pod, instance, lines);
    return this.networks.explain({ pod, container, id: instance.id, logTail }, symptom);
  }

  // Loaded late, as probes are: most Pods have none, and node:http, https and http2 load slower than the rest.
  async runHook(input: HookInput): Promise<HookOutcome> {
    const { runHook } = await import('./hooks/hooks.ts');
    const { pod, container } = input;
    const foreignAnswer = async (httpGet: HTTPGetAction): Promise<string | undefined> => {
      const subject = { pod, container, probe: { httpGet }, mains: () => this.#mainsOf(pod) };
      const { result, output } = await this.networks.judgeProbe(subject, { result: 'success', output: '' });
      return result === 'failure' ? output : undefined;
    };
    return runHook({ ...input, dial: this.networks.dialerOf(pod), foreignAnswer });
  }

  async runProbe(input: ProbeInput): Promise<ProbeOutcome> {
    const fault = this.#options.faults?.probe(input);
    if (fault !== undefined) return fault;
    this.#probes ??= await import('./probe/index.ts');
    const { pod, container, probe } = input;
    const outcome = await this.#probes.probeOnce(input, this.networks.dialerOf(pod));
    return this.networks.judgeProbe({ pod, container, probe, mains: () => this.#mainsOf(pod) }, outcome);
  }

  /** The main processes of the Pod's containers. */
  #mainsOf({ metadata: { uid } }: StoredPod): number[] {
    const own = [...this.#live.values()].filter(({ ref }) => ref.id.startsWith(`${uid}/`));
    return own.map(({ running }) => running.pid);
  }

  probed(pod: StoredPod, attempt: ProbeAttempt): void {
    this.#journals.probed(pod, attempt);
  }

  hooked(pod: StoredPod, run: HookRun): void {
    this.#journals.hooked(pod, run);
  }

  logHandlerOutput(pod: StoredPod, instance: InstanceRef, output: HandlerOutput): void {
    this.#journals.handlerOutput(pod, instance, output);
    if (!isHookOutput(pod, instance, output)) return;
    this.#options.onHookOutput(pod, { ...output, container: instance.container });
  }

  async #holdUntil(wait: Promise<void>, { id }: InstanceRef): Promise<void> {
    const streams = this.#live.get(id)?.streams;
    streams?.holdOutput(true, 'shown');
    await wait;
    streams?.holdOutput(false, 'shown');
  }

  #launchInput(pod: StoredPod, instance: InstanceRef): LaunchInput {
    const volumes = this.#volumes.of(pod);
    const podIP = this.networks.addressOf(pod);
    const network = this.networks.privateNetworkOf(pod)?.join;
    const hostAddress = network && this.networks.hostAddress;
    const sandbox = { volumes, podIP, network, hostAddress };
    return { pod, container: containerSpec(pod, instance.container), instance, sandbox };
  }
}

function isEphemeral(pod: StoredPod, { container }: InstanceRef): boolean {
  return containerKind(pod, container) === 'ephemeral';
}

/** Holds podrun's folders in memory, at most until this process exits. Returns the function that lets go of them. */
function holdUntilExit({ memory }: FileStore): () => void {
  const release = holdMemoryFolders(memory);
  const forgetAtExit = atExit(release);
  return () => {
    release();
    forgetAtExit();
  };
}
