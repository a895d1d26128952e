import path from 'node:path';
import type { StoredPod } from '../api/index.ts';
import { type NetworkJoin, type RunningContainer, startTimeOf } from '../runtime/index.ts';
import type { FileStore } from './file-store.ts';
import type { PodPaths } from './base/layout.ts';
import { hookLogPath, instanceLogPath } from './logs/log-files.ts';

/** One run of one container. */
export interface InstanceRef {
  readonly id: string;
  readonly container: string;
  readonly attempt: number;
}

/** The files of Pods beside their objects, in the folders of the store. */
export class PodFiles {
  readonly #store: FileStore;

  constructor(store: FileStore) {
    this.#store = store;
  }

  paths({ metadata: { namespace, name } }: StoredPod): PodPaths {
    return this.#store.paths(namespace, name);
  }

  /** The folder that holds the logs of all runs of a container. */
  logs(pod: StoredPod, container: string): string {
    return path.dirname(this.log(pod, { container, attempt: 0 }));
  }

  /** The log of an instance. */
  log(pod: StoredPod, { container, attempt }: Pick<InstanceRef, 'container' | 'attempt'>): string {
    return instanceLogPath(this.paths(pod).logs, container, attempt);
  }

  /** The log of an instance's hooks and probes. */
  hookLog(pod: StoredPod, { container, attempt }: InstanceRef): string {
    return hookLogPath(this.paths(pod).logs, container, attempt);
  }

  /** The folder that holds the layers of all runs of a container. */
  layers(pod: StoredPod, container: string): string {
    return path.join(this.paths(pod).layers, container);
  }

  /** The folder for the files that an instance writes to its copy of the host's root. The runtime creates it. */
  layer(pod: StoredPod, { container, attempt }: InstanceRef): string {
    return path.join(this.layers(pod, container), String(attempt));
  }

  /** The file for an instance's termination message. */
  terminationLog(pod: StoredPod, { container, attempt }: InstanceRef): string {
    return path.join(this.paths(pod).folder, 'termination', `${container}.${attempt}`);
  }

  /** The addresses of all Pods that an agent runs. */
  addressesInUse(): ReadonlySet<string> {
    return this.#store.addressesInUse();
  }

  /** Records a process, so that a later command can end it after a crash of the agent. */
  recordProcess(
    { metadata: { namespace, name } }: StoredPod,
    { id, container }: InstanceRef,
    { pid, cgroups = [] }: Pick<RunningContainer, 'pid' | 'cgroups'>,
  ): void {
    const startTime = startTimeOf(pid);
    // The process has ended already: no later command has to end it.
    if (startTime === undefined) return;
    const started = { id, pid, startTime, containerName: container, ...(cgroups.length === 0 ? {} : { cgroups }) };
    this.#store.podProcesses.record(namespace, name, started);
  }

  /** Records the process that keeps the Pod's network, and how other processes enter that network. */
  recordNetwork({ metadata: { namespace, name, uid } }: StoredPod, network: NetworkJoin): void {
    const pid = network.holderPid;
    const startTime = startTimeOf(pid);
    if (startTime === undefined) return;
    this.#store.podProcesses.record(namespace, name, { id: `${uid}/`, pid, startTime, containerName: '', network });
  }

  /** The recorded network, if its process still runs. */
  recordedNetwork({ metadata }: StoredPod): NetworkJoin | undefined {
    return this.#store.podProcesses.networkOf(metadata);
  }
}
