import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { removeLargeTree } from '../../../remove-tree.ts';
import type { FileOwners, PodMemory, PodNamespaces } from '../../base/confinement.ts';
import type { NamespaceFacts } from '../../base/features.ts';
import type { NetworkJoin } from '../../base/join.ts';
import type { PodRequest } from '../../base/runtime.ts';
import { SHARED_MEMORY_OPTIONS } from './devices.ts';
import type { FstabEntry } from './fstab.ts';
import { startHolder, type Holder, jailSource, type NamespaceKind, setUpHolder } from './holder.ts';

/** The shared parts of a Pod's containers. */
export interface PodHolder {
  readonly holder: Holder;
  readonly users: FileOwners;
  /** The folder that is mounted at /dev/shm. Undefined: the host's. */
  readonly sharedMemory: string | undefined;
}

/** The users of a new container or Pod. */
export function usersOf({ mode }: NamespaceFacts, areMapped: boolean): FileOwners {
  if (mode === 'root') return 'root';
  return areMapped ? 'mapped' : 'single';
}

interface SharedPod {
  readonly made: Promise<PodHolder>;
  readonly folder: string;
  /** The number of containers that use the holder, or are about to; one more for a Pod that is held. */
  users: number;
  isHeld: boolean;
}

/**
 * Keeps the namespaces that the containers of a Pod share, as the pause container does on a node: from the first
 * container that needs them to the end of the last one, and of a Pod with file systems in memory to its end.
 */
export class PodHolders {
  readonly #facts: NamespaceFacts;
  /** By uid of the Pod. */
  readonly #pods = new Map<string, SharedPod>();
  /** The ends of holders that are being removed, by uid of the Pod: the next holder has the same folder. */
  readonly #ends = new Map<string, Promise<void>>();

  constructor(facts: NamespaceFacts) {
    this.#facts = facts;
  }

  /**
   * Adds a container. Undefined: it shares nothing.
   * @param layerDir the layer of the container; the Pod's folder is created beside it
   * @throws {Error} with the messages of the tools
   */
  async join(pod: PodNamespaces, layerDir: string, network: NetworkJoin | undefined): Promise<PodHolder | undefined> {
    if (!pod.sharesMemory && !pod.sharesProcesses && !this.#pods.has(pod.uid)) return undefined;
    return this.#use(this.#sharedOf({ pod, folder: `${path.dirname(layerDir)}-pod`, network }), pod);
  }

  /**
   * Keeps the namespaces of a Pod until `letGo`, also while it has no container.
   * @throws {Error} with the messages of the tools
   */
  async hold(request: PodRequest): Promise<PodHolder & { readonly isNew: boolean }> {
    const { pod } = request;
    const present = this.#pods.get(pod.uid);
    if (present?.isHeld === true) return { ...(await present.made), isNew: false };
    if (present !== undefined) throw new Error('its containers run in other namespaces');
    const shared = this.#sharedOf(request);
    shared.isHeld = true;
    return { ...(await this.#use(shared, pod)), isNew: true };
  }

  async letGo(uid: string): Promise<void> {
    if (this.#pods.get(uid)?.isHeld === true) await this.leave({ uid });
  }

  #sharedOf({ pod, folder, network }: PodRequest): SharedPod {
    const present = this.#pods.get(pod.uid);
    if (present !== undefined) return present;
    const former = this.#ends.get(pod.uid) ?? Promise.resolve();
    const made = former.then(() => this.#make(pod, folder, network));
    const shared = { made, folder, users: 0, isHeld: false };
    this.#pods.set(pod.uid, shared);
    return shared;
  }

  async #use(shared: SharedPod, pod: PodNamespaces): Promise<PodHolder> {
    shared.users += 1;
    try {
      return await shared.made;
    } catch (error) {
      await this.leave(pod);
      throw error;
    }
  }

  /** Removes a container. The holder ends with the last one. */
  async leave(pod: Pick<PodNamespaces, 'uid'>): Promise<void> {
    const shared = this.#pods.get(pod.uid);
    if (shared === undefined || --shared.users > 0) return;
    this.#pods.delete(pod.uid);
    const end = endHolder(shared);
    this.#ends.set(pod.uid, end);
    await end;
    if (this.#ends.get(pod.uid) === end) this.#ends.delete(pod.uid);
  }

  killAll(): void {
    for (const { made } of this.#pods.values()) void made.then(({ holder }) => holder.kill()).catch(() => undefined);
  }

  async #make(pod: PodNamespaces, folder: string, network: NetworkJoin | undefined): Promise<PodHolder> {
    const sharedMemory = path.join(folder, 'shm');
    const fstab = path.join(folder, 'fstab');
    mkdirSync(sharedMemory, { recursive: true, mode: 0o700 });
    const options = SHARED_MEMORY_OPTIONS;
    // Containers of the Pod may see its process 1. In user mode they have no rights to it, in their own user
    // namespaces.
    const source = this.#facts.mode === 'root' ? jailSource() : undefined;
    const jail = source && path.join(folder, 'jail');
    if (jail !== undefined) mkdirSync(jail, { mode: 0o700 });
    const entries: FstabEntry[] = [
      { source: 'shm', target: sharedMemory, type: 'tmpfs', options },
      ...(pod.memory ?? []).map(fileSystemOf),
      ...(source && jail ? [{ source, target: jail, type: 'none', options: ['bind', 'ro', 'nosuid', 'nodev'] }] : []),
    ];
    const own: NamespaceKind[] = [
      'mount',
      'uts',
      ...(pod.hostIPC ? [] : (['ipc'] as const)),
      ...(pod.sharesProcesses ? (['pid'] as const) : []),
    ];
    const users = usersOf(this.#facts, pod.hasMappedUsers === true);
    const request = { facts: this.#facts, id: `${pod.uid}/`, own, users, base: undefined, network };
    const holder = await setUpHolder(await startHolder(request), () => ({
      hostname: pod.hostname,
      shmRmidForced: pod.hostIPC ? undefined : pod.shmRmidForced,
      entries,
      fstab,
      root: undefined,
      jail,
    }));
    return { holder, users, sharedMemory: pod.hostIPC ? undefined : sharedMemory };
  }
}

/** The options are the kubelet's, with the mode that it gives the folder afterwards. */
function fileSystemOf({ folder, bytes }: PodMemory): FstabEntry {
  return { source: 'tmpfs', target: folder, type: 'tmpfs', options: [`size=${bytes}`, 'mode=0777'] };
}

async function endHolder({ made, folder }: SharedPod): Promise<void> {
  const pod = await made.catch(() => undefined);
  pod?.holder.kill();
  await pod?.holder.ended;
  await removeLargeTree(folder).catch(() => undefined);
}
