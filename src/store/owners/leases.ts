import { readdirSync, unlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { PodrunError } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { inFolder, namesIn, writePrivateFile } from '../disk/atomic-file.ts';
import { errorCode, ifPossible, ifPresent, onDisk } from '../disk/disk-errors.ts';
import { type KnownProcess, knownProcess, presenceOf, type ProcessLookup } from '../disk/known-process.ts';
import { leasesFolder } from '../base/layout.ts';
import { statQuietly, statIfThere } from '../../quietly.ts';

/** The period at which an agent renews its lease. Source: kubelet config, nodeStatusUpdateFrequency. */
export const LEASE_RENEWAL_MS = 10_000;
/** An older lease makes the Pods of its agent Unknown. Source: kube-controller-manager, node-monitor-grace-period. */
const LEASE_DURATION_MS = 40_000;

export interface Lease {
  /** Milliseconds since 1970, by the clock of the agent. */
  readonly renewedMs: number;
  readonly isExpired: boolean;
}

const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** A lease, as this process first saw it with this renewal time. */
interface Sighting {
  readonly renewedMs: number;
  readonly ageMs: number;
  readonly monotonicMs: number;
}

interface LeaseParts {
  readonly root: string;
  readonly clock: Clock;
  readonly lookup: ProcessLookup;
}

/**
 * The leases of agents. A lease is an empty file: its modification time is the agent's last renewal. A renewal needs no
 * room on the disk. It fails when the state folder is gone, read-only or broken.
 */
export class Leases {
  readonly #parts: LeaseParts;
  readonly #sightings = new Map<string, Sighting>();
  /** Device and inode of the state folder, when the lease was made. */
  #folder: string | undefined;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /**
   * Makes the lease of this process, and removes the leases of processes that are gone.
   * @throws {PodrunError} when the state folder cannot be written
   */
  begin(): void {
    this.#onDisk(() => {
      this.#make();
      this.#folder = identityOf(this.#parts.root);
    });
    ifPossible(() => sweepLeases(this.#parts.root, this.#parts.lookup));
  }

  /**
   * Renews the lease of this process. Makes it anew when only the lease was removed.
   * @param isDoubtful true when other files are missing: if the lease is missing too, the folder was emptied
   * @throws {PodrunError} when the state folder is gone, was replaced, or cannot be written
   */
  renew(isDoubtful = false): void {
    const { root } = this.#parts;
    this.#onDisk(() => {
      const now = identityOf(root);
      if (now === undefined) throw new PodrunError('NotFound', `the state folder ${root} was removed`);
      if (now !== this.#folder)
        throw new PodrunError('Conflict', `the state folder ${root} was replaced by another folder`);
      try {
        this.#touch();
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error;
        if (isDoubtful) throw new PodrunError('NotFound', `the state folder ${root} was removed`);
        this.#make();
      }
    });
  }

  /** True when other processes have a lease. A killed one may have left it. */
  get areOthers(): boolean {
    return namesIn(leasesFolder(this.#parts.root)).some((name) => name !== path.basename(this.#ownFile()));
  }

  /** True when other processes have a lease that live, as far as this one can tell. */
  get areOthersAlive(): boolean {
    ifPossible(() => sweepLeases(this.#parts.root, this.#parts.lookup));
    return this.areOthers;
  }

  /** Removes the lease of this process. */
  end(): void {
    ifPossible(() => {
      ifPresent(() => unlinkSync(this.#ownFile()));
    });
  }

  /**
   * The lease of a process, if it has one. After the first look, the monotonic clock measures the age: a change of the
   * wall clock, or a sleep of the machine, makes no lease expire.
   */
  leaseOf(process: KnownProcess): Lease | undefined {
    const file = this.#file(process);
    const renewedMs = statIfThere(file)?.mtimeMs;
    if (renewedMs === undefined) return undefined;
    const { wallMs, monotonicMs } = this.#parts.clock.now();
    let seen = this.#sightings.get(file);
    if (seen?.renewedMs !== renewedMs) {
      seen = { renewedMs, ageMs: wallMs - renewedMs, monotonicMs };
      this.#sightings.set(file, seen);
    }
    const ageMs = seen.ageMs + monotonicMs - seen.monotonicMs;
    return { renewedMs, isExpired: ageMs > LEASE_DURATION_MS };
  }

  /** Makes no lease on a full disk: the next renewal tries again. */
  #make(): void {
    try {
      inFolder(leasesFolder(this.#parts.root), () => writePrivateFile(this.#ownFile(), ''));
      this.#touch();
    } catch (error) {
      if (!NO_ROOM.has(errorCode(error) ?? '')) throw error;
    }
  }

  #touch(): void {
    const seconds = this.#parts.clock.now().wallMs / 1000;
    utimesSync(this.#ownFile(), seconds, seconds);
  }

  #ownFile(): string {
    return this.#file(knownProcess(process.pid, this.#parts.lookup));
  }

  #file(process: KnownProcess): string {
    return path.join(leasesFolder(this.#parts.root), nameOf(process));
  }

  #onDisk(run: () => void): void {
    onDisk(`the state folder ${this.#parts.root}`, run);
  }
}

/** Removes the leases of processes that are gone. */
export function sweepLeases(root: string, lookup: ProcessLookup): void {
  const folder = leasesFolder(root);
  for (const name of ifPresent(() => readdirSync(folder)) ?? []) {
    if (presenceOf(parseName(name), lookup) !== 'gone') continue;
    ifPresent(() => unlinkSync(path.join(folder, name)));
  }
}

/** The file name of a lease: all parts of the process, from which {@link parseName} reads it again. */
function nameOf({ pid, startTime, bootId, pidNamespace = '', machineId = '' }: KnownProcess): string {
  return [pid, startTime, bootId, pidNamespace, machineId].map(String).map(encodeURIComponent).join(',');
}

function parseName(name: string): KnownProcess {
  const [pid = '0', startTime = '', bootId = '', pidNamespace = '', machineId = ''] = name
    .split(',')
    .map(decodeURIComponent);
  return { pid: Number(pid), startTime, bootId, pidNamespace, machineId };
}

/** Device and inode of a folder. Undefined when there is no such folder. */
function identityOf(folder: string): string | undefined {
  const stats = statQuietly(folder);
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}
