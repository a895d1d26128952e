import {
  DEFAULT_NAMESPACE,
  isJsonObject,
  type JsonObject,
  PodrunError,
  qualifiedKind,
  type StoredKubeObject,
} from '../../api/index.ts';
import { waitForObject } from '../../apiserver/index.ts';
import { type Clock, sleep } from '../../clock.ts';
import type { HelmHook, HelmHookEvent } from '../../manifest/index.ts';
import type { Store } from '../../store/index.ts';
import { type ApiClient, messageOf } from './api-client.ts';
import { callFor, placeOnServer, withNamespace } from './object-place.ts';

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

interface RunningHooks {
  readonly client: ApiClient;
  /** The objects of the server. */
  readonly store: Store;
  readonly clock: Clock;
  /** The namespace of hooks that name none. */
  readonly namespace: string;
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
  const { client, namespace, note } = run;
  const { kind, metadata } = hook.object;
  const place = await placeOnServer(client, hook.object, namespace);
  if ('reason' in place) return place.reason;
  const stays = hook.policies.includes('before-hook-creation') ? await remove(hook, run) : undefined;
  if (stays !== undefined) return stays;
  const body: JsonObject = { ...withNamespace(hook.object, place.namespace) };
  const path = `${place.collection}?fieldManager=helm&fieldValidation=Strict`;
  const created = await callFor(client, place.namespace, { method: 'POST', path, body });
  if (created.code >= 300) return messageOf(created);
  note(`${about} created`);
  if (kind !== 'Job' && kind !== 'Pod') return undefined;
  const at = { namespace: place.namespace ?? DEFAULT_NAMESPACE, name: metadata.name ?? '' };
  const reason = await endOf(kind === 'Job' ? 'jobs' : 'pods', at, { about, run });
  if (reason === undefined) note(`${about} has succeeded`);
  else if (hook.policies.includes('hook-failed')) await remove(hook, run);
  return reason;
}

/** Waits for the end of a Job or a Pod. Returns why it failed. */
async function endOf(
  plural: 'jobs' | 'pods',
  at: { readonly namespace: string; readonly name: string },
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
  const { client, clock, namespace, signal, deadlineMs = Number.POSITIVE_INFINITY } = run;
  if (object.kind === 'CustomResourceDefinition') return undefined;
  const place = await placeOnServer(client, object, namespace);
  if ('reason' in place) return undefined;
  const path = `${place.collection}/${encodeURIComponent(object.metadata.name ?? '')}`;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' };
  const deleted = await client.call({ method: 'DELETE', path, body });
  if (deleted.code === 404) return undefined;
  if (deleted.code >= 300) return messageOf(deleted);
  const about = `${qualifiedKind(object)}/${object.metadata.name ?? ''}`;
  while ((await client.call({ method: 'GET', path })).code !== 404) {
    if (signal.aborted || clock.now().monotonicMs >= deadlineMs) throw lateOrAborted(about, run);
    await sleep(clock, LOOK_EVERY_MS);
  }
  run.note(`${about} deleted`);
  return undefined;
}

function lateOrAborted(about: string, { signal }: RunningHooks): unknown {
  return signal.aborted ? signal.reason : new PodrunError('Timeout', `timed out, waiting for the hook ${about}`);
}
