import {
  goMapJson,
  isJsonObject,
  isSameJson,
  type JsonObject,
  type KubeObject,
  PodrunError,
  qualifiedKind,
  threeWayMerge,
  withoutNulls,
} from '../../api/index.ts';
import { ANNOTATIONS_MAX_BYTES } from '../../manifest/index.ts';
import {
  applyConflict,
  type HookLimits,
  type HookState,
  type ManifestManager,
  runHooks,
} from '../../apiserver/index.ts';
import { inBackground } from '../../defects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import type { BesideRoots } from '../../engine/index.ts';
import type { HelmHook, HelmHookEvent } from '../../manifest/index.ts';
import type { Store } from '../../store/index.ts';
import { type ApiClient, type ApiResponse, messageOf } from './api-client.ts';
import { hookObjectsOn } from './hook-objects.ts';
import { callFor, placeOnServer, withNamespace } from './object-place.ts';

/** An object of a manifest for an API server. */
export interface ObjectToApply {
  /** As written. */
  readonly object: KubeObject;
  /** The place of the object, for messages: `app.yaml:6`. */
  readonly place: string;
}

/** An object that is not stored. */
export interface UnstoredObject {
  /** `gadget.try.example.com/g`. */
  readonly about: string;
  /** Why not, in the words of the API server. */
  readonly reason: string;
  readonly place: string;
}

/** The reports of `ApplyObjects`. */
export interface ApplyListener {
  /** A line such as `gadget.try.example.com/g created`. */
  readonly note: (line: string) => void;
  readonly warn: (text: string) => void;
  /** Called when what is pending or refused has changed. */
  readonly changed: () => void;
}

/** The annotation in which kubectl keeps what it has applied last. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const FIRST_DELAY_MS = 100;
const DELAY_MAX_MS = 1000;
/** The number of tries of an update while other clients are faster. */
const TRIES = 5;

type StoreOutcome =
  | { readonly type: 'stored'; readonly how: 'created' | 'configured' | 'unchanged' | 'serverside-applied' }
  /** The server may take it later: its definition or its webhook is not ready yet. */
  | { readonly type: 'pending'; readonly reason: string }
  | { readonly type: 'refused'; readonly reason: string };

/** The choices of a user about objects. */
export interface HowToApply {
  /** The owner of the fields of the objects. Undefined: podrun. */
  readonly manager?: ManifestManager | undefined;
  /** True: an object that exists is refused. Default: it is changed. */
  readonly creates?: boolean | undefined;
}

interface ApplyOptions extends HowToApply {
  readonly client: ApiClient;
  /** The objects of the server. */
  readonly store: Store;
  readonly clock: Clock;
  /** The namespace of objects that name none. */
  readonly namespace: string;
}

/** Applies objects through an API server, as `kubectl apply` does. What has to wait is tried again until `close`. */
export class ApplyObjects {
  readonly #client: ApiClient;
  readonly #objects: Store;
  readonly #clock: Clock;
  readonly #listener: ApplyListener;
  readonly #namespace: string;
  readonly #manager: ManifestManager | undefined;
  readonly #creates: boolean;
  #pending: Array<{ readonly to: ObjectToApply; reason: string }> = [];
  readonly #refused: UnstoredObject[] = [];
  #alarm: Alarm | undefined;
  #delayMs = FIRST_DELAY_MS;
  /** The hook that runs. */
  #hook: HookState | undefined;
  #failedHook: HookState | undefined;
  readonly #closing = new AbortController();

  constructor({ client, store, clock, namespace, manager, creates = false }: ApplyOptions, listener: ApplyListener) {
    this.#client = client;
    this.#objects = store;
    this.#clock = clock;
    this.#namespace = namespace;
    this.#manager = manager;
    this.#creates = creates;
    this.#listener = listener;
  }

  /** The objects that wait for what defines or checks them. */
  get pending(): readonly UnstoredObject[] {
    return this.#pending.map(({ to, reason }) => ({ about: nameOf(to.object), reason, place: to.place }));
  }

  /** The objects that the server does not take. */
  get refused(): readonly UnstoredObject[] {
    return this.#refused;
  }

  /** A running hook, and a failed one. */
  get hooks(): BesideRoots {
    const [running, failed] = [this.#hook, this.#failedHook];
    return {
      unfinished: running === undefined ? [] : [`${running.about}: ${running.message}`],
      failed: failed === undefined ? [] : [{ ...failed, path: '' }],
    };
  }

  /**
   * Applies what comes before anything else runs: definitions, the hooks of before an installation, the rest.
   * @throws {PodrunError} when a hook fails, or its time passes; the reason of an aborted signal
   */
  async applyFirst(
    objects: readonly ObjectToApply[],
    hooks: readonly HelmHook[] = [],
    limits: HookLimits = {},
  ): Promise<void> {
    const isDefinition = ({ object }: ObjectToApply): boolean => object.kind === 'CustomResourceDefinition';
    await this.apply(objects.filter(isDefinition));
    const failed = await this.#runHooks('pre-install', hooks, limits);
    if (failed !== undefined) {
      const message = `${failed.about}: ${failed.message}`;
      throw new PodrunError('GoalNotReached', message, { hint: 'Nothing else was started.' });
    }
    await this.apply(objects.filter((each) => !isDefinition(each)));
  }

  /**
   * Runs the hooks of after an installation. A failure is in `hooks`.
   * @throws {PodrunError} when their time passes; the reason of an aborted signal
   */
  async applyLast(hooks: readonly HelmHook[], limits: HookLimits = {}): Promise<void> {
    this.#failedHook = await this.#runHooks('post-install', hooks, limits);
    this.#listener.changed();
  }

  /** Runs hooks one after the other, up to the first that fails. Resolves with its state. */
  async #runHooks(
    event: HelmHookEvent,
    hooks: readonly HelmHook[],
    { deadlineMs, signal }: HookLimits,
  ): Promise<HookState | undefined> {
    const signals = [this.#closing.signal, ...(signal === undefined ? [] : [signal])];
    return runHooks(event, hooks, {
      objects: hookObjectsOn(this.#client, this.#namespace),
      store: this.#objects,
      clock: this.#clock,
      deadlineMs,
      signal: AbortSignal.any(signals),
      note: this.#listener.note,
      onHook: (hook) => {
        this.#hook = hook;
        this.#listener.changed();
      },
    }).finally(() => (this.#hook = undefined));
  }

  /** Applies objects in their order. Resolves when each was tried once. */
  async apply(objects: readonly ObjectToApply[]): Promise<void> {
    for (const to of objects) await this.#try(to);
    this.#plan();
  }

  close(): void {
    this.#closing.abort(new PodrunError('NotRunning', 'the run has ended'));
    this.#alarm?.cancel();
  }

  #plan(): void {
    if (this.#pending.length === 0 || this.#closing.signal.aborted) return;
    this.#alarm?.cancel();
    this.#alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + this.#delayMs, () =>
      inBackground(this.#tryAgain()),
    );
    this.#delayMs = Math.min(this.#delayMs * 2, DELAY_MAX_MS);
  }

  async #tryAgain(): Promise<void> {
    const due = this.#pending;
    this.#pending = [];
    for (const { to, reason } of due) {
      if (this.#closing.signal.aborted) this.#pending.push({ to, reason });
      else await this.#try(to);
    }
    this.#listener.changed();
    this.#plan();
  }

  async #try(to: ObjectToApply): Promise<void> {
    const about = nameOf(to.object);
    const outcome = await this.#store(to.object).catch((error: unknown): StoreOutcome => {
      return { type: 'pending', reason: `the API server does not respond: ${String(error)}` };
    });
    if (outcome.type === 'stored') this.#listener.note(`${about} ${outcome.how}`);
    else if (outcome.type === 'pending') this.#pending.push({ to, reason: outcome.reason });
    else this.#refused.push({ about, reason: outcome.reason, place: to.place });
  }

  async #store(object: KubeObject): Promise<StoreOutcome> {
    const at = await placeOnServer(this.#client, object, this.#namespace);
    if ('reason' in at) return { type: 'pending', reason: at.reason };
    const { collection, namespace } = at;
    const wanted = withNamespace(object, namespace);
    const path = `${collection}/${encodeURIComponent(wanted.metadata.name ?? '')}`;
    const fieldManager = encodeURIComponent(this.#manager?.name ?? 'podrun');
    const query = `fieldManager=${fieldManager}&fieldValidation=Strict`;
    if (this.#manager?.isServerSide === true)
      return this.#patch(`${path}?${query}&force=${this.#manager.isForced}`, namespace, wanted);
    if (this.#creates) {
      const path = `${collection}?fieldManager=kubectl-create&fieldValidation=Strict`;
      return this.#created(await callFor(this.#client, namespace, { method: 'POST', path, body: { ...wanted } }));
    }
    for (let left = TRIES; ; left -= 1) {
      const present = await this.#client.call({ method: 'GET', path });
      if (present.code !== 200 && present.code !== 404) return failure(present);
      const isNew = present.code === 404;
      const body = isNew ? newBody(wanted) : merged(present.body, wanted);
      if (!isNew && isSameJson(body, present.body)) return { type: 'stored', how: 'unchanged' };
      const stored = isNew
        ? await callFor(this.#client, namespace, { method: 'POST', path: `${collection}?${query}`, body })
        : await this.#client.call({ method: 'PUT', path: `${path}?${query}`, body });
      for (const text of stored.warnings) this.#listener.warn(text);
      if (stored.code < 300) return { type: 'stored', how: isNew ? 'created' : 'configured' };
      if (stored.code !== 409 || left === 1) return failure(stored);
    }
  }

  #created(response: ApiResponse): StoreOutcome {
    for (const text of response.warnings) this.#listener.warn(text);
    return response.code < 300 ? { type: 'stored', how: 'created' } : failure(response);
  }

  /** Applies an object on the server. */
  async #patch(path: string, namespace: string | undefined, body: KubeObject): Promise<StoreOutcome> {
    const contentType = 'application/apply-patch+yaml';
    const stored = await callFor(this.#client, namespace, { method: 'PATCH', path, body, contentType });
    for (const text of stored.warnings) this.#listener.warn(text);
    if (stored.code < 300) return { type: 'stored', how: 'serverside-applied' };
    const failed = failure(stored);
    return stored.code === 409 ? { type: 'refused', reason: applyConflict(messageOf(stored)).message } : failed;
  }
}

function nameOf(object: KubeObject): string {
  return `${qualifiedKind(object)}/${object.metadata.name ?? ''}`;
}

/** A new object has no nulls, as after a change of it. Source: k8s.io/kubectl/pkg/cmd/apply/apply.go, pruneNulls. */
function newBody(wanted: KubeObject): JsonObject {
  return withLastApplied(withoutNulls(wanted) as KubeObject, wanted);
}

/**
 * An object that says what was applied. Source: k8s.io/kubectl/pkg/util/apply.go. Where that is too long for an
 * annotation, kubectl fails; here the object goes without, and later changes remove nothing.
 */
function withLastApplied(object: KubeObject, applied: KubeObject): JsonObject {
  const { annotations, ...metadata } = applied.metadata;
  const text = goMapJson({ ...applied, metadata: { annotations: annotations ?? {}, ...metadata } });
  const all = { ...object.metadata.annotations, [LAST_APPLIED]: `${text}\n` };
  const bytes = Object.entries(all).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
  if (bytes > ANNOTATIONS_MAX_BYTES) return { ...object };
  return { ...object, metadata: { ...object.metadata, annotations: all } };
}

/** The stored object, changed as the manifest says. What was applied before and is gone from the manifest goes. */
function merged(present: JsonObject, wanted: KubeObject): JsonObject {
  const live = present as unknown as KubeObject;
  const { [LAST_APPLIED]: text, ...annotations } = live.metadata.annotations ?? {};
  const { status: _, ...written } = wanted as KubeObject & { readonly status?: unknown };
  const bare = { ...live, metadata: { ...live.metadata, annotations } };
  const next = threeWayMerge(lastApplied(text), written, bare);
  const result = withLastApplied(next, wanted);
  // An annotation alone changes nothing that the manifest says.
  return isSameJson(next, bare) && (text !== undefined || isSameJson(result, next)) ? present : result;
}

function lastApplied(text: string | undefined): KubeObject | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isJsonObject(value) ? (value as unknown as KubeObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Failures of what is called about an object: it may be called a moment later. */
const MAY_PASS = ['failed calling webhook', 'conversion webhook for ', 'error trying to reach service'];

function failure(response: ApiResponse): StoreOutcome {
  const reason = messageOf(response);
  const mayPass =
    response.code === 503 ||
    response.code === 429 ||
    (response.code === 500 && MAY_PASS.some((text) => reason.includes(text)));
  return { type: mayPass ? 'pending' : 'refused', reason };
}
