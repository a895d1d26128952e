import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { resolvedUid, type StoredMeta } from '../../api/index.ts';
import { podPaths } from '../base/layout.ts';
import { notInStore } from '../base/store-errors.ts';
import { ifPresent, onDisk } from '../disk/disk-errors.ts';
import { distanceOf, type KnownProcess, type ProcessLookup, stillExists } from '../disk/known-process.ts';
import { isProcess, parseStored } from '../disk/stored-json.ts';

/** A process that an agent started for a container. */
export interface RecordedProcess extends KnownProcess {
  /** The ID of the container instance, which marks all of its processes. */
  readonly id: string;
  readonly containerName: string;
  /** Folders of its cgroups, to be removed after the process. Absent without cgroups. */
  readonly cgroups?: readonly string[];
  /**
   * The way into the Pod's network. Only for the process that keeps this network, which belongs to no container: it may
   * be the agent itself.
   */
  readonly network?: RecordedNetwork;
}

/** A process as its agent records it. The store adds the place. */
export type StartedProcess = Omit<RecordedProcess, 'bootId' | 'pidNamespace' | 'machineId'>;

/** The way into the private network of a Pod: see NetworkJoin of the runtime. */
export interface RecordedNetwork {
  readonly nsenter: string;
  readonly holderPid: number;
  readonly isUsers: boolean;
  readonly files?: { readonly net: number; readonly user: number } | undefined;
  readonly cluster?: string | undefined;
}

/**
 * The processes that agents have started for Pods, on record: a later command ends them after an agent was killed. Each
 * method throws a PodrunError for trouble with the disk.
 */
export class PodProcesses {
  readonly #root: string;
  readonly #lookup: ProcessLookup;

  constructor(root: string, lookup: ProcessLookup) {
    this.#root = root;
    this.#lookup = lookup;
  }

  /**
   * Records a process of a container. Call this before anything else happens to it.
   * @throws {PodrunError} when the Pod is gone
   */
  record(namespace: string, name: string, started: StartedProcess): void {
    this.#onDisk(() => {
      const paths = podPaths(this.#root, namespace, name);
      if (!existsSync(paths.transitions)) throw notInStore('pods', name);
      const lookup = this.#lookup;
      const scope = { bootId: lookup.bootId(), pidNamespace: lookup.pidNamespace?.(), machineId: lookup.machineId?.() };
      const line = JSON.stringify({ ...started, ...scope });
      appendFileSync(paths.processes, `${line}\n`, { mode: 0o600 });
    });
  }

  /**
   * The recorded processes of a Pod that still exist. Other processes that reuse their pids do not count, nor does the
   * agent.
   */
  surviving(namespace: string, name: string): RecordedProcess[] {
    return this.#existing(namespace, name).filter(({ network }) => network?.files === undefined);
  }

  /** The way into the recorded network of the Pod, if that still exists. */
  networkOf(metadata: StoredMeta): RecordedNetwork | undefined {
    const id = `${resolvedUid({ metadata })}/`;
    const existing = this.#existing(metadata.namespace, metadata.name);
    return existing.findLast((recorded) => recorded.id === id && recorded.network)?.network;
  }

  /**
   * The cgroups of a Pod's containers that were recorded in this boot of the machine and this PID namespace, by
   * container ID. They may no longer exist.
   */
  cgroupsOf(namespace: string, name: string): ReadonlyMap<string, readonly string[]> {
    const isHere = (recorded: RecordedProcess): boolean =>
      recorded.bootId === this.#lookup.bootId() && distanceOf(recorded, this.#lookup) === undefined;
    const recorded = this.#onDisk(() => this.#recorded(namespace, name).filter(isHere));
    return new Map(recorded.flatMap(({ id, cgroups }) => (cgroups === undefined ? [] : [[id, cgroups]])));
  }

  #existing(namespace: string, name: string): RecordedProcess[] {
    return this.#onDisk(() => this.#recorded(namespace, name).filter((one) => stillExists(one, this.#lookup)));
  }

  #recorded(namespace: string, name: string): RecordedProcess[] {
    const file = podPaths(this.#root, namespace, name).processes;
    const lines = ifPresent(() => readFileSync(file, 'utf8'))?.split('\n') ?? [];
    return lines.flatMap(parseRecord);
  }

  #onDisk<T>(run: () => T): T {
    return onDisk(`the state folder ${this.#root}`, run);
  }
}

function parseRecord(line: string): RecordedProcess[] {
  // A crash may leave half a line. The text after the last newline is empty.
  const recorded = parseStored<RecordedProcess>(line, isProcess);
  return recorded === undefined ? [] : [recorded];
}
