import {
  type KubeObject,
  type StoredEvent,
  type StoredPod,
  usage,
  type WatchEvent,
  type Workload,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { podRoot, type Root } from '../../lifecycle/index.ts';
import { type AwaitedGoal, PodForwards, type Run } from '../../engine/index.ts';
import { authorHere, type LooseEnds, type TakenAddresses, unservedLines } from '../../apiserver/index.ts';
import type { FileStore, ObjectKey } from '../../store/index.ts';
import { type ChangeContext, deleteRoot, patchObject, setCondition } from './change.ts';
import { changesOf } from './changes.ts';
import { asyncDispose, type ListenerSet } from './listener-set.ts';
import { followApplied, followObject, objectAwaited, type ObjectGoal, objectNamed } from './objects.ts';
import { readGoal, type WaitLimits, type WaitSubject, waitUntil } from './until.ts';
import { readGoalRules, timeoutOf } from '../base/options.ts';
import { addressOf, execIn, forwardTo } from './connections.ts';
import { podNamed, podsOf, rootsNamed, workloadNamed, workloadsOf } from './named.ts';
import { describeText, eventsAboutRoots, logText } from './read.ts';
import type { LibraryApi } from '../base/library-api.ts';
import type { StateFolder } from '../base/state-folder.ts';
import { withLibraryErrors } from '../base/library-errors.ts';
import type {
  ConditionOptions,
  ExecOptions,
  ExecResult,
  Forwarding,
  Goal,
  LogsOptions,
  OfPod,
  PatchOptions,
  PatchWorkloadOptions,
  PodChange,
  Pods,
  StopOptions,
  UntilOptions,
  UrlOptions,
} from '../base/types.ts';
import { urlOf } from './urls.ts';

export interface LibraryPodsParts {
  readonly running: Run;
  /** The Services of the manifests. */
  readonly services: readonly ObjectKey[];
  /** The Services and Ingresses of the manifests whose address another program has. */
  readonly taken: TakenAddresses;
  /** The names in the manifests that lead nowhere. */
  readonly loose: LooseEnds;
  /** The API server beside the run. Undefined: there is none. */
  readonly api: LibraryApi | undefined;
  readonly stateFolder: StateFolder;
  readonly clock: Clock;
  /** The namespace of objects that name none. */
  readonly namespace: string;
  readonly warnings: readonly string[];
  readonly warn: (text: string) => void;
  readonly timeout: unknown;
  /** Defaults for all waits, from the options of `run`. */
  readonly goalRules: Pick<UntilOptions, 'settle' | 'allowRestarts'>;
  readonly signal: AbortSignal | undefined;
  readonly onPod: ListenerSet<WatchEvent<StoredPod>>;
}

/** The Pods of this process, as `run` returns them to the user. */
export class LibraryPods implements Pods {
  readonly warnings: readonly string[];
  readonly #parts: LibraryPodsParts;
  readonly #store: FileStore;
  readonly #forwards: PodForwards;
  readonly #deleted = new Set<string>();
  /** Resolves when all Pods have ended and the agent is closed. */
  readonly #finished: Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(parts: LibraryPodsParts) {
    this.#parts = parts;
    this.#store = parts.stateFolder.store;
    this.#forwards = new PodForwards(this.#store);
    this.warnings = parts.warnings;
    const { running, onPod, signal } = parts;
    onPod.add(({ type, object }) => {
      if (type === 'DELETED') this.#deleted.add(object.metadata.uid);
    });
    const onAbort = (): void => running.terminate({ force: false });
    signal?.addEventListener('abort', onAbort);
    this.#finished = running.whenOver().then(async () => {
      signal?.removeEventListener('abort', onAbort);
      this.#forwards.close();
      await running.close();
      this.#parts.taken.close();
      await this.#parts.api?.close();
    });
    // `stop`, `close` and `changes` report a rejection: without one of them, it is not an unhandled rejection.
    this.#finished.catch(() => undefined);
  }

  get stateDir(): string {
    return this.#store.root;
  }

  get kubeconfig(): string | undefined {
    return this.#parts.api?.kubeconfig;
  }

  get names(): readonly string[] {
    return this.#pods.map(({ metadata }) => metadata.name);
  }

  get workloads(): readonly Workload[] {
    return withLibraryErrors(() => structuredClone(workloadsOf(this.#roots).map(({ object }) => object)));
  }

  workload(name?: string): Workload {
    return withLibraryErrors(() => structuredClone(workloadNamed(this.#roots, name)));
  }

  patchWorkload(patch: object, { workload, ...options }: PatchWorkloadOptions = {}): Workload {
    return withLibraryErrors(() =>
      patchObject(this.#changeable(), workloadNamed(this.#roots, workload), patch, options),
    );
  }

  get(name?: string): StoredPod {
    return withLibraryErrors(() => structuredClone(this.#pod(name)));
  }

  until(goal: ObjectGoal, options: UntilOptions = {}): Promise<void> {
    const { timeout = this.#parts.timeout as number, object, signal } = options;
    return withLibraryErrors(async () => {
      const signals = [this.#parts.signal, signal].filter((given) => given !== undefined);
      const rules = readGoalRules({ ...this.#parts.goalRules, ...options });
      const limits = { timeoutMs: timeoutOf(timeout), rules, signals };
      if (object === undefined) await this.#untilPods(readGoal(goal as Goal), options.pod, limits);
      else await this.#untilObject(goal, object, limits);
      await this.#forwards.open(this.#pods);
    });
  }

  object(name: string): KubeObject {
    return withLibraryErrors(() => objectNamed({ store: this.#readable(), namespace: this.#parts.namespace }, name));
  }

  async #untilPods(goal: AwaitedGoal, pod: string | undefined, limits: WaitLimits): Promise<void> {
    const { running, services, taken, loose, api } = this.#parts;
    const known = new Map(rootsNamed(this.#roots, pod).map((root) => [root.object.metadata.uid, root]));
    const applied = pod === undefined ? (api?.custom ?? []) : [];
    const objects = followApplied(this.#places, applied, () => running.changed());
    const awaited = {
      ...this.#subject,
      roots: () => [...known].map(([uid, root]) => this.#root(uid) ?? root),
      unserved: (roots: readonly Root[]) => [
        ...unservedLines(this.#store, services, roots, running),
        ...(api?.pending ?? []),
        ...objects.pending,
      ],
      unservable: (isAllReady: boolean) => [...taken.objects, ...loose.unservable(isAllReady), ...(api?.refused ?? [])],
      beside: () => api?.hooks ?? { unfinished: [], failed: [] },
    };
    await waitUntil(awaited, goal, limits).finally(() => objects.close());
  }

  async #untilObject(goal: ObjectGoal, word: string, limits: WaitLimits): Promise<void> {
    const { running, api } = this.#parts;
    const objects = followObject(this.#places, { word, goal }, () => running.changed());
    const isMeant = (about: string): boolean => about.endsWith(word.slice(word.indexOf('/')));
    const awaited = {
      ...this.#subject,
      mayBeEmpty: true,
      beside: () => ({
        unfinished: [...objects.pending, ...(api?.pending ?? []).filter((line) => isMeant(line.split(': ')[0] ?? ''))],
        failed: (api?.refused ?? []).filter(({ about }) => isMeant(about)),
      }),
    };
    await waitUntil(awaited, objectAwaited(goal), limits).finally(() => objects.close());
  }

  get #places(): { readonly store: FileStore; readonly namespace: string } {
    return { store: this.#store, namespace: this.#parts.namespace };
  }

  /** The common part of waits for Pods and for other objects. */
  get #subject(): WaitSubject {
    const { clock, running } = this.#parts;
    return {
      store: this.#store,
      clock,
      roots: () => [],
      mayBeEmpty: false,
      isDeleted: ({ metadata }) => this.#deleted.has(metadata.uid),
      unserved: () => [],
      unservable: () => [],
      beside: () => ({ unfinished: [], failed: [] }),
      waitsForOthers: (uid) => running.waitsForOthers(uid),
      record: () => running.record,
      onChange: (look) => running.follow({ changed: look }),
    };
  }

  logs(container?: string, options: LogsOptions = {}): string {
    return withLibraryErrors(() => logText(this.#readable(), this.#pod(options.pod), container, options));
  }

  changes(): AsyncGenerator<PodChange, undefined> {
    const { onPod } = this.#parts;
    return changesOf({
      store: this.#readable(),
      pods: () => this.#pods,
      onPod: (take) => onPod.add(take),
      finished: this.#finished,
    });
  }

  events(name?: string): StoredEvent[] {
    return withLibraryErrors(() => eventsAboutRoots(this.#readable(), rootsNamed(this.#roots, name)));
  }

  describe(name?: string): string {
    return withLibraryErrors(() => describeText(this.#readable(), this.#roots, name, this.#parts.clock));
  }

  exec(container: string, argv: readonly string[], { pod, input }: ExecOptions = {}): Promise<ExecResult> {
    const context = { store: this.#store, clock: this.#parts.clock };
    return withLibraryErrors(async () =>
      execIn(context, this.#pod(pod), { container, argv, ...(input === undefined ? {} : { input }) }),
    );
  }

  patch(patch: object, options: PatchOptions = {}): StoredPod {
    return withLibraryErrors(() => patchObject(this.#changeable(), this.#pod(options.pod), patch, options));
  }

  condition(type: string, status: Parameters<Pods['condition']>[1], options: ConditionOptions = {}): StoredPod {
    return withLibraryErrors(() =>
      setCondition(this.#changeable(), this.#pod(options.pod), { ...options, type, status }),
    );
  }

  address(name?: string): string {
    return withLibraryErrors(() => addressOf(this.#pod(name)));
  }

  url(target: number | string, options: UrlOptions = {}): string {
    const context = { roots: this.#roots, forwards: this.#forwards };
    return withLibraryErrors(() => urlOf({ ...context, store: this.#readable() }, target, options));
  }

  forward(port: number | string, { pod }: OfPod = {}): Promise<Forwarding> {
    return withLibraryErrors(async () => {
      const { uid } = this.#pod(pod).metadata;
      const current = (): StoredPod => this.#pods.find(({ metadata }) => metadata.uid === uid) ?? this.#pod(pod);
      return forwardTo(this.#readable(), current, port);
    });
  }

  delete(name?: string, { force = false, gracePeriod }: StopOptions = {}): Promise<void> {
    return withLibraryErrors(async () => {
      const graceSeconds = force ? 0 : graceOf(gracePeriod);
      const author = authorHere(['node', ...process.argv.slice(1)].join(' '), process.env);
      const context = { store: this.#readable(), clock: this.#parts.clock, graceSeconds, author };
      const meant = rootsNamed(this.#roots, name).filter(({ object }) => !this.#deleted.has(object.metadata.uid));
      await Promise.all(meant.map((root) => deleteRoot(context, root)));
      for (const { object } of meant) this.#deleted.add(object.metadata.uid);
    });
  }

  stop({ force = false, gracePeriod }: StopOptions = {}): Promise<void> {
    return withLibraryErrors(async () => {
      const graceSeconds = graceOf(gracePeriod);
      this.#parts.running.terminate({ force, ...(graceSeconds === undefined ? {} : { graceSeconds }) });
      await this.#finished;
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.stop().finally(() => this.#parts.stateFolder.close());
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #roots(): readonly Root[] {
    return this.#parts.running.roots;
  }

  get #pods(): readonly StoredPod[] {
    return podsOf(this.#roots);
  }

  #changeable(): ChangeContext {
    return { store: this.#readable(), clock: this.#parts.clock, warn: this.#parts.warn };
  }

  /** The current state of a root, or of a Pod of a workload. Undefined when it is gone. */
  #root(uid: string): Root | undefined {
    const roots = this.#roots;
    const pod = podsOf(roots).find(({ metadata }) => metadata.uid === uid);
    return roots.find(({ object }) => object.metadata.uid === uid) ?? (pod && podRoot(pod));
  }

  /** The store, while it exists. */
  #readable(): FileStore {
    if (this.#closed === undefined) return this.#store;
    throw usage(
      'these Pods are closed, and their records are removed',
      'Call this before close(). After stop(), the records are still there.',
    );
  }

  #pod(name: string | undefined): StoredPod {
    return podNamed(this.#roots, name);
  }
}

Object.defineProperty(LibraryPods.prototype, asyncDispose, {
  value(this: LibraryPods): Promise<void> {
    return this.close();
  },
});

/** The grace period in seconds, at least 1: only `force` ends a Pod at once. Undefined: the Pod's own. */
function graceOf(seconds: number | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  if (Number.isInteger(seconds) && seconds >= 0) return Math.max(1, seconds);
  throw usage(`gracePeriod must be a whole number of seconds, not ${String(seconds)}`);
}
