import {
  isJsonObject,
  type JsonObject,
  type KubeObject,
  PodrunError,
  qualifiedKind,
  type StoredKubeObject,
} from '../api/index.ts';
import { type Clock, sleep } from '../clock.ts';
import type { HelmHook, HelmHookEvent } from '../manifest/index.ts';
import type { ObjectKey, Store } from '../store/index.ts';
import { waitForObject } from './object-wait.ts';

/** The ends of hooks that do not end by themselves. */
export interface HookLimits {
  /** Monotonic milliseconds. Undefined: hooks have all the time that they need. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The state of a hook. */
export interface HookState {
  /** `job.batch/migrate`. */
  readonly about: string;
  /** `the pre-install hook has not ended` */
  readonly message: string;
}

/** The objects of a chart's hooks on an API server. */
export interface HookObjects {
  /** Creates an object. Returns its key, or why the server does not take it. */
  create(object: KubeObject): Promise<ObjectKey | { readonly reason: string }>;
  /**
   * Deletes an object, with all that it has made, which may take a while. Returns false when there is none, or why it
   * cannot be deleted.
   */
  remove(object: KubeObject): Promise<boolean | { readonly reason: string }>;
  isGone(object: KubeObject): Promise<boolean>;
}

/** The surroundings of hooks that run. */
interface RunningHooks {
  readonly objects: HookObjects;
  /** The objects of the server, as far as they are Jobs or Pods. */
  readonly store: Store;
  readonly clock: Clock;
  readonly deadlineMs: number | undefined;
  readonly signal: AbortSignal;
  /** A line such as `job.batch/migrate created`. */
  readonly note: (line: string) => void;
  /** Called with each hook before it runs. */
  readonly onHook: (hook: HookState) => void;
}

/** The pause between looks for an object that is being deleted, milliseconds. */
const LOOK_EVERY_MS = 50;

/**
 * Runs the hooks of a chart as `helm install` does: creates one after the other, waits for the end of Jobs and Pods,
 * and deletes by the policies of each. Resolves with the first hook that fails. Source: helm, pkg/action/hooks.go,
 * execHook.
 * @throws {PodrunError} when the time passes; the reason of an aborted signal
 */
export async function runHooks(
  event: HelmHookEvent,
  hooks: readonly HelmHook[],
  run: RunningHooks,
): Promise<HookState | undefined> {
  const succeeded: HelmHook[] = [];
  let failed: HookState | undefined;
  for (const hook of hooks) {
    run.signal.throwIfAborted();
    const about = `${qualifiedKind(hook.object)}/${hook.object.metadata.name ?? ''}`;
    run.onHook({ about, message: `the ${event} hook has not ended` });
    const reason = await runHook(about, hook, run).catch((error: unknown) => {
      if (run.signal.aborted || error instanceof PodrunError) throw error;
      return `the API server does not respond: ${String(error)}`;
    });
    if (reason !== undefined) {
      failed = { about, message: `the ${event} hook failed: ${reason}` };
      break;
    }
    succeeded.push(hook);
  }
  for (const hook of succeeded.toReversed()) {
    if (hook.policies.includes('hook-succeeded')) await remove(hook, run);
  }
  return failed;
}

/** Returns why the hook failed. Undefined: it did not. */
async function runHook(about: string, hook: HelmHook, run: RunningHooks): Promise<string | undefined> {
  const { objects, note } = run;
  const { kind } = hook.object;
  const stays = hook.policies.includes('before-hook-creation') ? await remove(hook, run) : undefined;
  if (stays !== undefined) return stays;
  const created = await objects.create(hook.object);
  if ('reason' in created) return created.reason;
  note(`${about} created`);
  if (kind !== 'Job' && kind !== 'Pod') return undefined;
  const reason = await endOf(kind === 'Job' ? 'jobs' : 'pods', created, { about, run });
  if (reason === undefined) note(`${about} has succeeded`);
  else if (hook.policies.includes('hook-failed')) await remove(hook, run);
  return reason;
}

/** Waits for the end of a Job or a Pod. Returns why it failed. */
async function endOf(
  plural: 'jobs' | 'pods',
  at: ObjectKey,
  { about, run }: { readonly about: string; readonly run: RunningHooks },
): Promise<string | undefined> {
  const { store, clock, deadlineMs, signal } = run;
  let reason: string | undefined;
  const hasEnded = await waitForObject({
    store,
    clock,
    of: { type: { plural }, ...at },
    ...(deadlineMs !== undefined && { deadlineMs }),
    signal,
    isMet: (object) => {
      const end = object === undefined ? 'it was deleted' : plural === 'jobs' ? endOfJob(object) : endOfPod(object);
      if (end !== 'succeeded') reason = end;
      return end !== undefined;
    },
  });
  if (!hasEnded) throw lateOrAborted(about, run);
  return reason;
}

/** Source: helm, pkg/kube/client.go, waitForJob. */
function endOfJob(job: StoredKubeObject): string | undefined {
  const { conditions } = statusOf(job);
  const all = Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
  const reached = all.find(({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'));
  if (reached === undefined) return undefined;
  return reached['type'] === 'Complete'
    ? 'succeeded'
    : [reached['reason'], reached['message']].filter(Boolean).map(String).join(': ');
}

/** Source: helm, pkg/kube/client.go, waitForPodSuccess. */
function endOfPod(pod: StoredKubeObject): string | undefined {
  const { phase, reason, message, containerStatuses } = statusOf(pod);
  if (phase === 'Succeeded') return 'succeeded';
  if (phase !== 'Failed') return undefined;
  const all = Array.isArray(containerStatuses) ? containerStatuses.filter(isJsonObject) : [];
  const exits = all.flatMap(({ name, state }) => {
    const ended = isJsonObject(state) && isJsonObject(state['terminated']) ? state['terminated'] : {};
    const { exitCode } = ended;
    return typeof exitCode === 'number' && exitCode !== 0
      ? [`container ${String(name)} exited with code ${exitCode}`]
      : [];
  });
  return [reason, message, ...exits].filter(Boolean).map(String).join(': ') || 'the Pod is Failed';
}

function statusOf(object: StoredKubeObject): JsonObject {
  const { status } = object as StoredKubeObject & { readonly status?: unknown };
  return isJsonObject(status) ? status : {};
}

/**
 * Deletes the object of a hook, with all that it has made, and waits until it is gone. Returns why it cannot be
 * deleted. helm never deletes definitions: their objects would go with them.
 */
async function remove({ object }: HelmHook, run: RunningHooks): Promise<string | undefined> {
  const { objects, clock, signal, deadlineMs = Number.POSITIVE_INFINITY } = run;
  if (object.kind === 'CustomResourceDefinition') return undefined;
  const removed = await objects.remove(object);
  if (typeof removed !== 'boolean') return removed.reason;
  if (!removed) return undefined;
  const about = `${qualifiedKind(object)}/${object.metadata.name ?? ''}`;
  while (!(await objects.isGone(object))) {
    if (signal.aborted || clock.now().monotonicMs >= deadlineMs) throw lateOrAborted(about, run);
    await sleep(clock, LOOK_EVERY_MS);
  }
  run.note(`${about} deleted`);
  return undefined;
}

function lateOrAborted(about: string, { signal }: RunningHooks): unknown {
  return signal.aborted ? signal.reason : new PodrunError('Timeout', `timed out, waiting for the hook ${about}`);
}
