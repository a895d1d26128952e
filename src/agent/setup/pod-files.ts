import path from 'node:path';
import type { PodFiles } from '../container-logs.ts';
import type { StoredMeta } from '../../api/objects.ts';
import type { NetworkJoin } from '../../runtime/linux/network/join.ts';
import { startTimeOf } from '../../runtime/watch/process-identity.ts';
import { appendToHookLog, ContainerLog } from '../../store/logs/container-log.ts';
import { objectPath } from '../../store/layout.ts';
import { hookLogPath, instanceLogPath } from '../../store/logs/log-files.ts';
import { logOutput } from '../../store/logs/log-reader.ts';
import { appendToJournal, Journal } from '../../store/logs/probe-journal.ts';
import type { FileStore } from '../../store/file-store.ts';

/** The files of Pods, in the store's folders. */
export function podFiles(store: FileStore): PodFiles {
  return {
    addressesInUse: () => store.addressesInUse(),
    memory: store.memory,
    prepare: () => Promise.resolve(),
    volumes: ({ metadata }) => store.paths(metadata.namespace, metadata.name).volumes,
    logs: ({ metadata }, container) =>
      path.dirname(instanceLogPath(store.paths(metadata.namespace, metadata.name).logs, container, 0)),
    etc: ({ metadata }) => store.paths(metadata.namespace, metadata.name).etc,
    layer: ({ metadata }, { container, attempt }) =>
      path.join(store.paths(metadata.namespace, metadata.name).layers, container, String(attempt)),
    layers: ({ metadata }, container) => path.join(store.paths(metadata.namespace, metadata.name).layers, container),
    claimedVolume: (namespace, claim) => objectPath(store.root, 'claims', namespace, claim),
    openLog: ({ metadata }, container, attempt) =>
      new ContainerLog(instanceLogPath(store.paths(metadata.namespace, metadata.name).logs, container, attempt)),
    logFile: ({ metadata }, { container, attempt }) =>
      instanceLogPath(store.paths(metadata.namespace, metadata.name).logs, container, attempt),
    probeJournal: ({ metadata }) => new Journal(store.paths(metadata.namespace, metadata.name).probes),
    recordHook: ({ metadata }, run, wallMs) =>
      appendToJournal(store.paths(metadata.namespace, metadata.name).hooks, run, wallMs),
    recordUsage: ({ metadata }, usage, wallMs) =>
      appendToJournal(store.paths(metadata.namespace, metadata.name).usage, usage, wallMs),
    logHandler: ({ metadata }, { container, attempt }, output, wallMs) => {
      const { logs } = store.paths(metadata.namespace, metadata.name);
      appendToHookLog(hookLogPath(logs, container, attempt), output, wallMs);
    },
    logTail: ({ metadata }, { container, attempt }, lines) =>
      logOutput(
        instanceLogPath(store.paths(metadata.namespace, metadata.name).logs, container, attempt),
        lines,
      ).toString(),
    terminationLog: ({ metadata }, { container, attempt }) =>
      path.join(store.paths(metadata.namespace, metadata.name).folder, 'termination', `${container}.${attempt}`),
    attachSocket: ({ metadata }) => store.paths(metadata.namespace, metadata.name).attachSocket,
    recordedNetwork: ({ metadata }) => networkOf(store, metadata),
    recordNetwork: ({ metadata: { namespace, name, uid } }, network) => {
      const startTime = startTimeOf(network.holderPid);
      if (startTime === undefined) return;
      store.recordProcess(namespace, name, {
        id: `${uid}/`,
        pid: network.holderPid,
        startTime,
        containerName: '',
        network,
      });
    },
    recordProcess: ({ metadata }, { id, container: containerName }, { pid, cgroups = [] }) => {
      const startTime = startTimeOf(pid);
      // The process has ended already: no later command has to end it.
      if (startTime === undefined) return;
      const started = { id, pid, startTime, containerName, ...(cgroups.length === 0 ? {} : { cgroups }) };
      store.recordProcess(metadata.namespace, metadata.name, started);
    },
  };
}

/** The way into the private network of a Pod. Undefined: the Pod has none. */
export function networkOf(store: FileStore, { namespace, name, uid }: StoredMeta): NetworkJoin | undefined {
  return store.survivingProcesses(namespace, name).findLast(({ id, network }) => id === `${uid}/` && network)?.network;
}
