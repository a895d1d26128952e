import { realpathSync } from 'node:fs';
import path from 'node:path';
import { quietly, statQuietly } from '../../quietly.ts';
import {
  type Container,
  errorMessage,
  isSameJson,
  type StoredConfigMap,
  type StoredPod,
  type StoredSecret,
  type Volume,
  type VolumeMount,
} from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import {
  absoluteMountPath,
  type EventDraft,
  failedMount,
  hostPathMade,
  memoryVolumeSize,
  memoryWanted,
  type Mounted,
  mountSubPath,
  type NodeFacts,
  subPathFailed,
  unusableMountPath,
  usesMemory,
  type VolumeFacts,
  volumeNotFound,
  sizeLimitMeasured,
  volumeOnDisk,
} from '../../lifecycle/index.ts';
import { type FileStore, linkToMemory, removeInMemory, type Subscription } from '../../store/index.ts';
import { accountToken } from '../../apiserver/index.ts';
import { pause } from '../probe/input.ts';
import { fileTrouble, pathInImage, type PodMemory, type PodOutcome } from '../../runtime/index.ts';
import { openSubPath, readInside } from './inside-volume.ts';
import { giveVolume, setUpVolume, type VolumeSources } from './set-up-volume.ts';

export interface PodVolumesOptions {
  readonly pod: StoredPod;
  readonly store: FileStore;
  readonly clock: Clock;
  readonly node: NodeFacts;
  readonly sources: VolumeSources;
}

/** One attempt to create a Pod's sandbox. */
export interface SandboxAttempt {
  /** Aborted when the Pod ends: volumes that it waits for are not needed any more. */
  readonly signal: AbortSignal;
  readonly event: (event: EventDraft) => void;
  /** True for the sandbox of a former agent, whose containers may still run. */
  readonly isFormer: boolean;
}

export type MountOutcome =
  | { readonly ok: true; readonly mounts: readonly Mounted[] }
  /** The reason in kubelet's words why the container cannot be created. */
  | { readonly ok: false; readonly message: string };

/** The delay before a failed attempt is repeated. It doubles. Source: goroutinemap/exponentialbackoff. */
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 122_000;

/** The volumes of one Pod: created before its first container starts, and updated until its end. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;
  readonly #subscriptions: Subscription[] = [];
  /** The folders of volumes that are ready, by name of the volume. */
  readonly #ready = new Map<string, string>();
  /** The volumes with a file system of their own in the mounts of the Pod, by name of the volume. */
  readonly #memory = new Map<string, PodMemory>();
  /** The alarms for new tokens, by name of the volume. */
  readonly #refreshes = new Map<string, Alarm>();
  #pod: StoredPod;
  #event: (event: EventDraft) => void = () => undefined;

  constructor(options: PodVolumesOptions) {
    this.#options = options;
    this.#pod = options.pod;
  }

  /**
   * Sets all volumes up. Resolves when each is ready, or when the Pod ends. Waits for missing objects, and reports them
   * by events.
   */
  async setUp({ signal, event }: Pick<SandboxAttempt, 'event' | 'signal'>): Promise<void> {
    this.#event = event;
    const volumes = this.#pod.spec.volumes ?? [];
    await Promise.all(volumes.map((volume) => this.#setUpInTime(volume, signal)));
  }

  /** The file systems in the mounts of the Pod. */
  get memory(): readonly PodMemory[] {
    return [...this.#memory.values()];
  }

  /**
   * Gives emptyDirs in memory their file systems in the mounts of the Pod, for all that podrun and its containers do
   * with them. Called before each start: these mounts may be new ones.
   */
  async size(open: (memory: readonly PodMemory[]) => Promise<PodOutcome>): Promise<void> {
    if (this.#memory.size === 0) return;
    const { sources } = this.#options;
    const outcome = await open(this.memory);
    for (const [name, { folder }] of this.#memory) {
      const place = outcome.ok ? `${outcome.root}${folder}` : folder;
      if (outcome.ok && outcome.isNew) giveVolume(place, { isReadOnly: false, onlyOnMismatch: false }, sources);
      linkToMemory(path.join(sources.volumes, name), place);
      this.#ready.set(name, place);
      if (!outcome.ok) this.#event(sizeLimitMeasured(name, outcome.error));
    }
    if (!outcome.ok) this.#memory.clear();
  }

  /** Updates volumes that show the Pod's labels or annotations, after a change of these. */
  podChanged(pod: StoredPod): void {
    const { labels, annotations } = this.#pod.metadata;
    this.#pod = pod;
    if (isSameJson([labels, annotations], [pod.metadata.labels, pod.metadata.annotations])) return;
    for (const volume of pod.spec.volumes ?? []) if (showsPod(volume)) this.#refresh(volume);
  }

  /** Stops updates, and removes volumes in memory: the Pod has ended. */
  remove(): void {
    this.close();
    const { memory, volumes } = this.#options.sources;
    if (usesMemory(this.#pod.spec)) removeInMemory(this.#pod, memory, volumes);
  }

  /** Stops updates. */
  close(): void {
    for (const subscription of this.#subscriptions) subscription.close();
    for (const alarm of this.#refreshes.values()) alarm.cancel();
    this.#refreshes.clear();
    this.#ready.clear();
  }

  /** The text of a file in an emptyDir volume. Undefined: it cannot be read. */
  readFile(volumeName: string, file: string): string | undefined {
    const folder = this.#ready.get(volumeName);
    const volume = this.#pod.spec.volumes?.find(({ name }) => name === volumeName);
    return folder === undefined || volume?.emptyDir === undefined ? undefined : readInside(folder, file);
  }

  /**
   * The mounts of a container.
   * Source: pkg/kubelet/kubelet_pods.go makeMounts.
   * @param env the container's final environment
   */
  mount(container: Container, env: ReadonlyMap<string, string>): MountOutcome {
    const mounts: Mounted[] = [];
    for (const mount of container.volumeMounts ?? []) {
      const volume = mount.name;
      const folder = this.#ready.get(volume);
      if (folder === undefined) return { ok: false, message: volumeNotFound(volume, container.name) };
      if (mount.mountPath.includes('\0')) return { ok: false, message: unusableMountPath(mount.mountPath) };
      const chosen = mountSubPath(mount, env);
      if (!chosen.ok) return chosen;
      const spec = this.#pod.spec.volumes?.find(({ name }) => name === volume);
      const mountPath = absoluteMountPath(mount.mountPath);
      if (spec?.image !== undefined && this.#options.sources.image(spec.image.reference ?? '') === undefined) {
        const part = this.#inImage(spec.image.reference ?? '', chosen.subPath);
        if (!part.ok) return { ok: false, message: part.message ?? subPathFailed('not made', volume, container.name) };
        const { image } = part;
        mounts.push({ volume, mountPath, source: image.folder, isReadOnly: true, isAtMountPath: false, image });
        continue;
      }
      const mayMake = spec?.image === undefined;
      const opened =
        chosen.subPath === ''
          ? { ok: true as const, path: this.#memory.get(volume)?.folder ?? folder, identity: undefined }
          : openSubPath(folder, chosen.subPath, mayMake);
      if (!opened.ok) return { ok: false, message: subPathFailed(opened.problem, volume, container.name) };
      const { path: source, identity } = opened;
      const isReadOnly = mount.readOnly === true || isAlwaysReadOnly(spec);
      const isAtMountPath = quietly(() => realpathSync(mountPath) === realpathSync(source)) ?? false;
      const propagation = propagationOf(mount, source);
      mounts.push({ volume, mountPath, source, isReadOnly, identity, isAtMountPath, propagation });
    }
    return { ok: true, mounts };
  }

  /** A part of a pulled image. */
  #inImage(
    reference: string,
    subPath: string,
  ): { ok: true; image: NonNullable<Mounted['image']> } | { ok: false; message?: string } {
    try {
      const files = this.#options.sources.imageFiles?.(reference);
      const pathOfPart = files && pathInImage(files, subPath);
      return files === undefined || pathOfPart === undefined
        ? { ok: false }
        : { ok: true, image: { ...files, path: pathOfPart } };
    } catch (error) {
      return { ok: false, message: errorMessage(error) };
    }
  }

  async #setUpInTime(volume: Volume, signal: AbortSignal): Promise<void> {
    // Watches before it reads the objects for the first time, so that no change is missed.
    this.#follow(volume);
    for (let delayMs = FIRST_RETRY_MS; !signal.aborted; delayMs = Math.min(2 * delayMs, LAST_RETRY_MS)) {
      if (this.#trySetUp(volume)) return;
      await pause(this.#options.clock, delayMs, signal);
    }
  }

  #follow(volume: Volume): void {
    const { store } = this.#options;
    const { namespace } = this.#pod.metadata;
    for (const [resource, name] of sourcesOf(volume)) {
      // An immutable object is not watched, so that a replacement has no effect either.
      if (store.get<StoredConfigMap | StoredSecret>(resource, namespace, name)?.immutable === true) continue;
      this.#subscriptions.push(store.watch(resource, { namespace, name }, () => this.#refresh(volume)));
    }
  }

  #refresh(volume: Volume): void {
    if (this.#ready.has(volume.name)) this.#trySetUp(volume);
  }

  #trySetUp(volume: Volume): boolean {
    const { clock, sources } = this.#options;
    try {
      const onMade = (name: string, made: string): void => this.#event(hostPathMade(name, made));
      const folder = setUpVolume(volume, this.#facts(volume), { ...sources, onMade }, clock.now().wallMs);
      const isNew = !this.#ready.has(volume.name);
      this.#ready.set(volume.name, folder);
      const isOnDisk = folder === path.join(sources.volumes, volume.name);
      if (isNew && memoryWanted(volume) !== undefined) {
        if (isOnDisk) this.#event(volumeOnDisk(volume.name));
        else if (volume.emptyDir !== undefined) this.#isInMemory(volume, folder);
      }
      return true;
    } catch (error) {
      this.#event(failedMount(volume.name, fileTrouble(error)));
      return false;
    }
  }

  #isInMemory(volume: Volume, folder: string): void {
    const { name, emptyDir } = volume;
    const { sizesMemory } = this.#options.sources;
    if (sizesMemory === 'in Pod') {
      const bytes = memoryVolumeSize(volume, this.#pod.spec, this.#options.node);
      this.#memory.set(name, { folder: realpathSync(folder), bytes });
    }
    if (sizesMemory === undefined && emptyDir?.sizeLimit !== undefined) this.#event(sizeLimitMeasured(name));
  }

  #facts(volume: Volume): VolumeFacts {
    const { store, node } = this.#options;
    const { namespace } = this.#pod.metadata;
    return {
      pod: this.#pod,
      node,
      configMap: (name) => store.get<StoredConfigMap>('configmaps', namespace, name),
      secret: (name) => store.get<StoredSecret>('secrets', namespace, name),
      token: (projection) => {
        const token = accountToken(store, this.#pod, projection);
        if (token !== undefined) this.#refreshAfter(volume, token.refreshMs);
        return token?.text;
      },
    };
  }

  /** Replaces the tokens of a volume before they expire. */
  #refreshAfter(volume: Volume, ms: number): void {
    const { clock } = this.#options;
    this.#refreshes.get(volume.name)?.cancel();
    this.#refreshes.set(
      volume.name,
      clock.wakeAt(clock.now().monotonicMs + ms, () => this.#refresh(volume)),
    );
  }
}

/** The tie of a mount to the later mounts of the host. A file has no mounts in it. */
function propagationOf({ mountPropagation }: VolumeMount, source: string): Mounted['propagation'] {
  if (mountPropagation === undefined || mountPropagation === 'None') return undefined;
  if (statQuietly(source)?.isDirectory() !== true) return undefined;
  return mountPropagation === 'Bidirectional' ? 'both ways' : 'from host';
}

/**
 * True for volumes whose files the kubelet writes: no other program may change them.
 * Source: pkg/volume/{configmap,secret,…} GetAttributes.
 */
function isAlwaysReadOnly(volume: Volume | undefined): boolean {
  const { configMap, secret, downwardAPI, projected, image, persistentVolumeClaim: claim } = volume ?? {};
  return (
    claim?.readOnly === true ||
    [configMap, secret, downwardAPI, projected, image].some((source) => source !== undefined)
  );
}

/** The ConfigMaps and Secrets of a volume. */
function sourcesOf({ configMap, secret, projected }: Volume): Array<readonly [resource: string, name: string]> {
  const configMaps = [configMap, ...(projected?.sources ?? []).map((source) => source.configMap)];
  const secrets = [{ name: secret?.secretName }, ...(projected?.sources ?? []).map((source) => source.secret)];
  const named = (resource: string, list: ReadonlyArray<{ readonly name?: string | undefined } | undefined>) =>
    list.flatMap((source) => (source?.name ? [[resource, source.name] as const] : []));
  return [...named('configmaps', configMaps), ...named('secrets', secrets)];
}

function showsPod({ downwardAPI, projected }: Volume): boolean {
  return downwardAPI !== undefined || (projected?.sources ?? []).some((source) => source.downwardAPI !== undefined);
}
