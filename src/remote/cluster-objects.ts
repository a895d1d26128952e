import type { HookObjects } from '../apiserver/index.ts';
import {
  hasCode,
  type KubeObject,
  PodrunError,
  type ResourceType,
  resourceTypeOf,
  type StoredKubeObject,
  type StoredPod,
} from '../api/index.ts';
import { type Clock, sleep } from '../clock.ts';
import { type ClusterConnection, objectPathOf } from './base/connection.ts';
import { type CreatedObject, createdObject, createOn, namespaceReady, removeFrom } from './created-objects.ts';
import type { ForeignObject } from './custom-objects.ts';

export interface ClusterObjectsOptions {
  readonly connection: ClusterConnection;
  readonly clock: Clock;
  /** Names the run: the value of its label, and its namespace if it has one of its own. */
  readonly runId: string;
  /** The namespace of all objects of the run. */
  readonly namespace: string;
  /** The objects of the run whose kinds are none of Kubernetes' own. */
  readonly custom: readonly ForeignObject[];
  /** Called for each object that was created. */
  readonly onCreated: (object: StoredKubeObject) => void;
  /** The Pods of the run that the cluster has, as last seen. */
  readonly pods: () => readonly StoredPod[];
}

const GONE_LOOK_MS = 250;
/** A cluster that does not answer at the end of a run is asked so many times more, at this interval. */
const REMOVE_RETRIES = 5;
const REMOVE_RETRY_MS = 1000;
/** The finalizers of custom objects have this long to go before the Pods of the run end. */
const CUSTOM_MAX_MS = 30_000;
/** After a second request to end, podrun waits this long: a finalizer may keep a namespace for ever. */
const FORCED_MAX_MS = 30_000;

/** The objects that a run has created on a cluster: creates and removes them, and never any other object. */
export class ClusterObjects {
  readonly #options: ClusterObjectsOptions;
  readonly #created: CreatedObject[] = [];
  /** The uids of objects of hooks that were removed by their policy. */
  readonly #removedHooks = new Set<string>();

  constructor(options: ClusterObjectsOptions) {
    this.#options = options;
  }

  /**
   * Creates an object with the label of the run.
   * @param type the type of its kind. Default: a kind of Kubernetes
   */
  async create(object: KubeObject, type: ResourceType = resourceTypeOf(object)): Promise<StoredKubeObject> {
    const { connection, runId, namespace, onCreated } = this.#options;
    const created = await createOn(connection, runId, namespace, object, type);
    this.#created.push(createdObject(created, namespace, type));
    onCreated(created);
    return created;
  }

  /** Creates the namespace of the run. Resolves when Pods can be created in it. */
  async createNamespace(namespace: KubeObject): Promise<void> {
    const { connection, clock, runId } = this.#options;
    await this.create(namespace);
    await namespaceReady(connection, clock, runId);
  }

  /** True for an object that the run has created, and has not removed as the policy of a hook says. */
  isExpected(uid: string): boolean {
    return !this.#removedHooks.has(uid) && this.#created.some((created) => created.uid === uid);
  }

  /** The objects of hooks. An object that the run has not created is never deleted. */
  ofHooks(): HookObjects {
    const { connection, namespace } = this.#options;
    const createdAs = ({ kind, metadata }: KubeObject): CreatedObject | undefined =>
      this.#created.find(({ type, name }) => type.kind === kind && name === metadata.name);
    return {
      create: async (object) => ({ namespace, name: (await this.create(object)).metadata.name }),
      remove: async (object) => {
        const created = createdAs(object);
        if (created === undefined) return false;
        this.#removedHooks.add(created.uid);
        await removeFrom(connection, created);
        return true;
      },
      isGone: async (object) => {
        const created = createdAs(object);
        return created === undefined || !(await this.#isPresent(created));
      },
    };
  }

  /**
   * Removes all of the run. Returns true when nothing of it is left on the cluster, and false as soon as `isOver`.
   * @param force kill the Pods at once, and give up after half a minute
   * @throws {PodrunError} when the cluster refuses, does not answer, or keeps an object
   */
  async remove({ force, isOver }: { readonly force: boolean; readonly isOver: () => boolean }): Promise<boolean> {
    let triesLeft = force ? 0 : REMOVE_RETRIES;
    for (;;) {
      try {
        return await this.#removeOnce(force, isOver);
      } catch (error) {
        if (triesLeft === 0 || !hasCode(error, 'Unreachable')) throw error;
        triesLeft -= 1;
        await sleep(this.#options.clock, REMOVE_RETRY_MS);
        // A forced removal may have given up meanwhile.
        if (isOver()) return false;
      }
    }
  }

  async #removeOnce(force: boolean, isOver: () => boolean): Promise<boolean> {
    const { connection, clock } = this.#options;
    if (force) for (const pod of this.#pods()) await removeFrom(connection, pod, 0);
    else await this.#removeCustom();
    for (const object of this.#created.toReversed()) await removeFrom(connection, object);
    const untilMs = force ? clock.now().monotonicMs + FORCED_MAX_MS : Number.POSITIVE_INFINITY;
    while (await this.#isSomethingLeft()) {
      if (isOver()) return false;
      if (clock.now().monotonicMs > untilMs) throw new PodrunError('Timeout', 'something keeps it there');
      await sleep(clock, GONE_LOOK_MS);
    }
    return true;
  }

  /** Removes custom objects while the programs still run that take their finalizers away. */
  async #removeCustom(): Promise<void> {
    const { connection, clock, custom } = this.#options;
    const created = this.#created.filter(({ type }) => custom.some((each) => each.type === type)).toReversed();
    for (const object of created) await removeFrom(connection, object);
    const untilMs = clock.now().monotonicMs + CUSTOM_MAX_MS;
    for (const object of created)
      while (clock.now().monotonicMs < untilMs && (await this.#isPresent(object))) await sleep(clock, GONE_LOOK_MS);
  }

  #pods(): CreatedObject[] {
    const { pods, namespace } = this.#options;
    return pods().map((pod) => createdObject(pod, namespace));
  }

  async #isSomethingLeft(): Promise<boolean> {
    const namespace = this.#created.find(({ type }) => type.kind === 'Namespace');
    for (const object of namespace === undefined ? this.#pods() : [namespace]) {
      if (await this.#isPresent(object)) return true;
    }
    return false;
  }

  async #isPresent({ type, name, uid }: CreatedObject): Promise<boolean> {
    const { connection, namespace } = this.#options;
    const path = objectPathOf(type, namespace, name);
    const current = await connection
      .request<StoredKubeObject>({ method: 'GET', path })
      .catch((error: PodrunError) => (hasCode(error, 'NotFound') ? undefined : Promise.reject(error)));
    return current?.metadata.uid === uid;
  }
}
