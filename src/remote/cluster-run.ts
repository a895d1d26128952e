import { controlledTypes, type HookLimits, runHooks } from '../apiserver/index.ts';
import { ForeignRoots, type RunListener, StartedRun } from '../engine/index.ts';
import {
  errorMessage,
  hasCode,
  isWorkload,
  type KubeObject,
  PodrunError,
  qualifiedKind,
  type ResourceType,
  resourceTypeOf,
  type StoredKubeObject,
  type StoredPod,
  type WatchEvent,
} from '../api/index.ts';
import { type Clock, sleep } from '../clock.ts';
import type { Root, RunRecord } from '../lifecycle/index.ts';
import type { HelmHook, HelmHookEvent, HelmHooks } from '../manifest/index.ts';
import type { FileStore } from '../store/index.ts';
import type { ClusterConnection } from './base/connection.ts';
import { type ForeignObject, onceServed } from './custom-objects.ts';
import { ClusterResource } from './cluster-resource.ts';
import { Mirror } from './mirror.ts';
import { OwnObjects } from './own-objects.ts';
import { PodLogs } from './pod-logs.ts';
import { ClusterObjects } from './cluster-objects.ts';
import { recordRun } from './run-record.ts';

export interface ClusterRunOptions {
  readonly connection: ClusterConnection;
  /** The store that gets a copy of everything. */
  readonly store: FileStore;
  readonly clock: Clock;
  /** Names the run: the value of its label, and its namespace if it has one of its own. */
  readonly runId: string;
  /** The namespace of the user. Undefined: the run makes one of its own. */
  readonly namespace: string | undefined;
  /** The objects to create, as the manifests say, in this order. */
  readonly objects: readonly KubeObject[];
  /** The objects of kinds that are none of Kubernetes' own, to create after these. */
  readonly custom: readonly ForeignObject[];
  /** The hooks to run before and after these. */
  readonly hooks: HelmHooks;
  readonly hookLimits: HookLimits & { readonly signal: AbortSignal };
  /** The command of the user, for messages. */
  readonly command: string;
  readonly listener: RunListener;
  /** Called for each object that was created: `deployment.apps/web created`. */
  readonly note: (text: string) => void;
}

const EVENTS: ResourceType = resourceTypeOf({ apiVersion: 'v1', kind: 'Event' });
/** The logs of containers that have ended arrive within this time, or not at all. */
const LOGS_MAX_MS = 5000;

/**
 * A run on a cluster: creates the objects, follows all that becomes of them, and removes them at the end. To the rest
 * of podrun it looks like Pods of this machine.
 */
export class ClusterRun extends StartedRun {
  readonly #options: ClusterRunOptions;
  readonly #namespace: string;
  readonly #own: OwnObjects;
  readonly #logs: PodLogs;
  readonly #mirror: Mirror;
  readonly #objects: ClusterObjects;
  /** The uids of objects that another client has deleted. */
  readonly #deletedByOthers = new Set<string>();
  #followed: readonly ClusterResource[] = [];
  #roots: ForeignRoots | undefined;
  #forget: () => void = () => undefined;
  #ending: Promise<void> | undefined;
  #isRemoved = false;
  /** True when the cluster lets podrun in no more: it learns nothing from now on. */
  #isLockedOut = false;
  #isFollowing = false;

  /**
   * Runs the hooks and creates the objects. When one fails or is refused, removes those before it.
   * @throws {PodrunError} the refusal, or the failure of a hook
   */
  static async start(options: ClusterRunOptions): Promise<ClusterRun> {
    const run = new ClusterRun(options);
    await run.#create();
    run.#isFollowing = true;
    return run;
  }

  private constructor(options: ClusterRunOptions) {
    super();
    const { store, listener } = options;
    this.#options = options;
    this.#namespace = options.namespace ?? options.runId;
    this.#own = new OwnObjects(options.namespace === undefined);
    this.#logs = new PodLogs({ ...options, ...listener });
    this.#mirror = new Mirror({ store, command: options.command, listener, logs: this.#logs });
    this.#objects = new ClusterObjects({
      ...options,
      namespace: this.#namespace,
      onCreated: (object) => this.#take(object),
      pods: () => this.#mirror.pods,
    });
  }

  async #create(): Promise<void> {
    const { clock, namespace, note, objects, custom, hooks, hookLimits, runId, store } = this.#options;
    const ownNamespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: runId } };
    const all = [...objects, ...[...hooks.preInstall, ...hooks.postInstall].map(({ object }) => object)];
    const types = [
      ...custom.map(({ type }) => type),
      ...[...all, ...(namespace ? [] : [ownNamespace])].map(resourceTypeOf),
    ];
    const distinct = [...new Map(types.map((type) => [`${type.apiVersion} ${type.kind}`, type])).values()];
    this.#forget = recordRun(store.root, runId, {
      namespace: this.#namespace,
      types: distinct.map(({ apiVersion, kind, plural, isNamespaced }) => ({ apiVersion, kind, plural, isNamespaced })),
    });
    try {
      if (namespace === undefined) await this.#objects.createNamespace(ownNamespace);
      this.#followed = [...controlledTypes(), EVENTS].map((type) => this.#follow(type));
      await Promise.all(this.#followed.map(({ listed }) => listed));
      await this.#runHooks('pre-install', hooks.preInstall);
      for (const object of objects) {
        await this.#objects.create(object);
        note(`${qualifiedKind(resourceTypeOf(object))}/${object.metadata.name} created`);
      }
      for (const { object, type } of custom) {
        const name = `${qualifiedKind(type)}/${object.metadata.name}`;
        await onceServed(() => this.#objects.create(object, type), { ...hookLimits, clock, name, note });
        note(`${name} created`);
      }
      await this.#runHooks('post-install', hooks.postInstall);
      this.#followRoots();
    } catch (error) {
      // The cluster may have created an object without podrun getting the answer: the next run looks for it.
      if (hasCode(error, 'Unreachable')) this.#forget = () => undefined;
      await this.#remove({ force: true });
      await this.close();
      throw error;
    }
  }

  /** @throws {PodrunError} when a hook fails or is refused, or its time passes; the reason of an aborted signal */
  async #runHooks(event: HelmHookEvent, hooks: readonly HelmHook[]): Promise<void> {
    const { store, clock, hookLimits, note } = this.#options;
    const { deadlineMs, signal } = hookLimits;
    const run = { objects: this.#objects.ofHooks(), store, clock, deadlineMs, signal, note, onHook: () => undefined };
    const failed = await runHooks(event, hooks, run);
    if (failed !== undefined) throw new PodrunError('GoalNotReached', `${failed.about}: ${failed.message}`);
  }

  get roots(): readonly Root[] {
    return this.#roots?.roots ?? [];
  }

  /** The same: nothing of a cluster's is lost with this machine. */
  get endedRoots(): readonly Root[] {
    return this.roots;
  }

  get allPods(): readonly StoredPod[] {
    return this.#mirror.pods;
  }

  get record(): RunRecord {
    return this.#roots?.record ?? 'complete';
  }

  /** True when all roots have ended, or podrun is locked out; once the run ends, when nothing of it is left there. */
  get isOver(): boolean {
    return this.#ending === undefined ? this.#isLockedOut || this.#roots?.isOver === true : this.#isRemoved;
  }

  /** A cluster does not tell. */
  readonly areServicesCurrent = true;

  /** A cluster does not tell what a container is about to do. */
  activityOf(): undefined {
    return undefined;
  }

  /** The cluster schedules its Pods. */
  waitsForOthers(): boolean {
    return false;
  }

  /** Removes everything that the run has created. */
  terminate({ force }: { readonly force: boolean }): void {
    if (this.#ending !== undefined && !force) return;
    this.#mirror.end();
    // The mirror may still be about to take the state that ends the run: it has, one step later.
    this.#ending = Promise.resolve()
      .then(() => (force ? undefined : this.#logsIn(this.#logs.completeOfEnded(this.#mirror.pods))))
      .then(() => this.#remove({ force }))
      .then(() => this.#logsIn(this.#logs.complete()))
      .then(() => {
        this.#isRemoved = true;
        this.changed();
      });
  }

  /** Stops following. The record of the run stays on this machine. */
  async close(): Promise<void> {
    await this.#ending;
    for (const followed of this.#followed) followed.close();
    this.#roots?.close();
    this.#logs.close();
    this.#mirror.close();
  }

  #follow(type: ResourceType): ClusterResource {
    const { connection, clock, listener } = this.#options;
    return new ClusterResource({
      connection,
      clock,
      type,
      namespace: this.#namespace,
      onEvent: (event) => this.#see(event),
      onTrouble: (error) => {
        if (this.#ending === undefined) listener.onTrouble(error.message);
        this.#isLockedOut ||= hasCode(error, 'Unauthorized');
        if (this.#isFollowing) this.changed();
      },
    });
  }

  #see(event: WatchEvent<StoredKubeObject>): void {
    this.#tellOfDeletion(event);
    if (event.type === 'DELETED') {
      if (this.#own.remove(event.object)) this.#mirror.take(event);
    } else {
      const [first, ...others] = this.#own.sort(event.object);
      if (first !== undefined) this.#mirror.take(event);
      for (const object of others) this.#mirror.take({ type: 'ADDED', object });
    }
    if (this.#isFollowing) this.changed();
  }

  /**
   * Tells once of an object of the run that another client has deleted: the run cannot end well without it. Its
   * deletion may have begun long before it is gone, and the end of its containers may end the run in between.
   */
  #tellOfDeletion({ type, object: { apiVersion, kind, metadata } }: WatchEvent<StoredKubeObject>): void {
    const { deletionTimestamp, name, uid } = metadata;
    if (type !== 'DELETED' && deletionTimestamp === undefined) return;
    if (this.#ending !== undefined || this.#deletedByOthers.has(uid) || !this.#objects.isExpected(uid)) return;
    this.#deletedByOthers.add(uid);
    const object = `${qualifiedKind({ apiVersion, kind })}/${name}`;
    this.#options.listener.onTrouble(`another client has deleted ${object} from the cluster`);
  }

  /** Takes an object that this run has created. */
  #take(object: StoredKubeObject): void {
    const below = this.#own.add(object);
    // A watch tells of Pods and workloads; of a new one perhaps before this answer.
    const isWatched = controlledTypes().some(({ kind }) => kind === object.kind);
    if (isWatched && !below.some(({ metadata }) => metadata.uid === object.metadata.uid)) {
      this.#mirror.take({ type: 'ADDED', object });
    }
    for (const each of below) this.#mirror.take({ type: 'ADDED', object: each });
  }

  #followRoots(): void {
    const { objects, store } = this.#options;
    const namespace = this.#namespace;
    const keys = objects.map(({ apiVersion, kind, metadata }) => ({
      apiVersion,
      kind,
      namespace,
      name: metadata.name ?? '',
    }));
    this.#roots = new ForeignRoots(
      store,
      {
        pods: keys.flatMap(({ kind, name }) =>
          kind === 'Pod' ? (store.get<StoredPod>('pods', namespace, name) ?? []) : [],
        ),
        workloads: keys.filter(isWorkload),
        services: keys.filter(({ kind }): boolean => kind === 'Service'),
      },
      () => {
        if (this.#isFollowing) this.changed();
      },
    );
  }

  /** Resolves when nothing of the run is left on the cluster, or podrun has given up. */
  async #remove({ force }: { readonly force: boolean }): Promise<void> {
    try {
      if (await this.#objects.remove({ force, isOver: () => this.#isRemoved })) this.#forget();
    } catch (error) {
      // The record of the run stays: the next run removes what is left.
      const why = errorMessage(error);
      this.#options.listener.onTrouble(
        `the run is not removed from the cluster: ${why}. The next podrun apply --context tries again.`,
      );
    }
  }

  /** Waits for logs, which may come after the end of the Pods, or not at all. */
  async #logsIn(complete: Promise<void>): Promise<void> {
    await Promise.race([complete, sleep(this.#options.clock, LOGS_MAX_MS)]);
  }
}
