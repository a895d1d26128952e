import { formatGoDuration, goQuote, podFullName, type StoredMeta } from '../../api/index.ts';
import { DEADLINE_EXCEEDED, EVICTED } from './pod-reasons.ts';
import { backingOffPull, neverPulled } from './container-states.ts';

/** An event to record. `container` adds the field path of that container. */
export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly container?: string;
  /** The source of the event. Undefined: the kubelet. Events of podrun itself are recorded once and never combined. */
  readonly component?: 'podrun';
}

// The events of Kubernetes that podrun records, one builder each: the scheduler's, then the kubelet's in the order of a
// Pod's life. Reasons: pkg/kubelet/events/event.go. Texts: the file beside each builder.

/** The reasons of events that podrun reads back. Source: pkg/kubelet/events/event.go. */
export const EVENT_REASON = {
  failedMount: 'FailedMount',
  failedPostStartHook: 'FailedPostStartHook',
  killing: 'Killing',
  started: 'Started',
  unhealthy: 'Unhealthy',
} as const;

/** An event of the scheduler. The newer event format has an action. */
export interface SchedulingEvent extends EventDraft {
  readonly action: 'Binding' | 'Preempting' | 'Scheduling';
}

/** Source: pkg/scheduler/schedule_one.go. */
export function scheduled({ namespace, name }: StoredMeta, nodeName: string): SchedulingEvent {
  const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
  return { ...normal('Scheduled', message), action: 'Binding' };
}

/** Source: pkg/scheduler/schedule_one.go. @param diagnosis see `unschedulable` */
export function failedScheduling(diagnosis: string): SchedulingEvent {
  return { ...warning('FailedScheduling', diagnosis), action: 'Scheduling' };
}

/** A Pod goes for another one. Source: pkg/scheduler/framework/preemption/executor.go. */
export function preemptedBy(uid: string, nodeName: string): SchedulingEvent {
  return { ...normal('Preempted', `Preempted by pod ${uid} on node ${nodeName}`), action: 'Preempting' };
}

/** Source: pkg/controller/tainteviction/taint_eviction.go emitPodDeletionEvent, emitCancelPodDeletionEvent. */
export function taintEviction(
  what: 'Marking for deletion' | 'Cancelling deletion of',
  { namespace, name }: { readonly namespace: string; readonly name: string },
): EventDraft {
  return normal('TaintManagerEviction', `${what} Pod ${namespace}/${name}`);
}

/** The kubelet rejects the Pod. Source: pkg/kubelet/kubelet.go rejectPod; reason and text: pod-reasons.ts. */
export function podRejected({ reason, why }: { readonly reason: string; readonly why: string }): EventDraft {
  return warning(reason, why);
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod. */
export function failedCreatePodSandBox(error: string): EventDraft {
  return warning('FailedCreatePodSandBox', `Failed to create pod sandbox: ${error}`);
}

/** The sandbox is lost and its containers start anew. Source: kuberuntime_manager.go. */
export function sandboxChanged(): EventDraft {
  return normal('SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
}

/** Source: pkg/volume/util/operationexecutor/operation_generator.go GenerateMountVolumeFunc. */
export function failedMount(volume: string, error: string): EventDraft {
  return warning(EVENT_REASON.failedMount, `MountVolume.SetUp failed for volume ${goQuote(volume)} : ${error}`);
}

/** Parses volume and error from the message of `failedMount`. Source: see there. */
export function readFailedMount(message: string): { readonly volume: string; readonly why: string } | undefined {
  const [, volume, why] = /MountVolume\.SetUp failed for volume "([^"]*)" : (.*)/s.exec(message) ?? [];
  return volume === undefined || why === undefined ? undefined : { volume, why };
}

/** Source: pkg/kubelet/images/image_manager.go pullImage. */
export function pulling(container: string, image: string): EventDraft {
  return normal('Pulling', `Pulling image "${image}"`, container);
}

/** The image is present. Source: pkg/kubelet/images/image_manager.go EnsureImageExists. */
export function pulled(container: string, image: string): EventDraft {
  const message = `Container image "${image}" already present on machine and can be accessed by the pod`;
  return normal('Pulled', message, container);
}

/** podrun's own words: the image is not here and not needed, where a node says that it is present. */
export function replacedByProgram(container: string, image: string): EventDraft {
  return normal('Pulled', `Container runs a program of this machine in place of image "${image}"`, container);
}

/** podrun's own words: the same for the image of a volume. */
export function replacedByFolder(image: string): EventDraft {
  return normal('Pulled', `Volume shows a folder of this machine in place of image "${image}"`);
}

/** The image was pulled. Durations are cut to milliseconds. Source: pkg/kubelet/images/image_manager.go pullImage. */
export function pulledNow(
  container: string,
  image: string,
  { size, pullMs, waitedMs }: { readonly size: number; readonly pullMs: number; readonly waitedMs: number },
): EventDraft {
  const [pull, waited] = [pullMs, waitedMs].map((ms) => formatGoDuration(Math.trunc(ms)));
  const message = `Successfully pulled image "${image}" in ${pull} (${waited} including waiting)`;
  return normal('Pulled', `${message}. Image size: ${size} bytes.`, container);
}

/** Source: pkg/kubelet/kubelet_pods.go getPullSecretsForPod. */
export function pullSecretsMissing(names: readonly string[]): EventDraft {
  const message = `Unable to retrieve some image pull secrets (${names.join(', ')})`;
  return warning('FailedToRetrieveImagePullSecret', `${message}; attempting to pull the image may not succeed.`);
}

/** Source: pkg/kubelet/images/image_manager.go pullImage. */
export function failedToPull(container: string, image: string, pullError: string): EventDraft {
  return warning('Failed', `Failed to pull image "${image}": ${pullError}`, container);
}

/** Normal, unlike the other BackOff. Source: pkg/kubelet/images/image_manager.go pullImage. */
export function backOffPulling(container: string, image: string): EventDraft {
  return normal('BackOff', backingOffPull(image), container);
}

/** Source: pkg/kubelet/images/image_manager.go EnsureImageExists. */
export function errImageNeverPull(container: string, image: string): EventDraft {
  return warning('ErrImageNeverPull', neverPulled(image), container);
}

/** Source: pkg/kubelet/images/image_manager.go EnsureImageExists. @param message see `unparsableImage` */
export function inspectFailed(container: string, message: string): EventDraft {
  return warning('InspectFailed', message, container);
}

/**
 * A container did not start. `error` is the message of its error, for an image the waiting reason. Source:
 * pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer.
 */
export function failed(container: string, error: string): EventDraft {
  return warning('Failed', `Error: ${error}`, container);
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer. */
export function created(container: string): EventDraft {
  return normal('Created', 'Container created', container);
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer. */
export function started(container: string): EventDraft {
  return normal('Started', 'Container started', container);
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer. */
export function failedPostStartHook(container: string): EventDraft {
  return warning(EVENT_REASON.failedPostStartHook, 'PostStartHook failed', container);
}

/** Source: pkg/kubelet/lifecycle/handlers.go runHTTPHandler. @param host with its port */
export function lifecycleHttpFallback(container: string, host: string): EventDraft {
  const message = `request to HTTPS lifecycle hook ${host} got HTTP response, retry with HTTP succeeded`;
  return warning('LifecycleHTTPFallback', message, container);
}

const PROBE_TITLE = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' } as const;

type ProbeName = keyof typeof PROBE_TITLE;

/** Source: pkg/kubelet/prober/prober.go probe. */
export function unhealthy(container: string, probe: ProbeName, output: string): EventDraft {
  return warning(EVENT_REASON.unhealthy, `${PROBE_TITLE[probe]} probe failed: ${output}`, container);
}

/** The probe could not be carried out. Source: pkg/kubelet/prober/prober.go probe. */
export function probeErrored(
  container: string,
  probe: ProbeName,
  { state, output }: { readonly state: 'unknown' | 'failure'; readonly output: string },
): EventDraft {
  const message = `${PROBE_TITLE[probe]} probe errored and resulted in ${state} state: ${output}`;
  return warning(EVENT_REASON.unhealthy, message, container);
}

/** Source: pkg/kubelet/prober/prober.go probe. */
export function probeWarning(container: string, probe: ProbeName, output: string): EventDraft {
  return warning('ProbeWarning', `${PROBE_TITLE[probe]} probe warning: ${output}`, container);
}

/** The restart of a crashing container is delayed. Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff. */
export function backOffRestarting(container: string, pod: StoredMeta): EventDraft {
  const message = `Back-off restarting failed container ${container} in pod ${podFullName(pod)}`;
  return warning('BackOff', message, container);
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer. @param why see killing.ts */
export function killing(container: string, why: string): EventDraft {
  return normal(EVENT_REASON.killing, why, container);
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_container.go executePreStopHook. */
export function failedPreStopHook(container: string): EventDraft {
  return warning('FailedPreStopHook', 'PreStopHook failed', container);
}

/** Normal, although the Pod fails. Source: pkg/kubelet/active_deadline.go. */
export function deadlineExceeded(): EventDraft {
  return normal(DEADLINE_EXCEEDED.reason, DEADLINE_EXCEEDED.message);
}

/** An event of the node-controller. Source: pkg/controller/util/node/controller_utils.go MarkPodsNotReady. */
export function nodeNotReady(): EventDraft {
  return warning('NodeNotReady', 'Node is not ready');
}

/** @param why one of EVICTION. Source: pkg/kubelet/eviction/eviction_manager.go evictPod. */
export function evicted(why: string): EventDraft {
  return warning(EVICTED, why);
}

/**
 * The message of an event that combines many similar events. Source:
 * staging/src/k8s.io/client-go/tools/record/events_cache.go EventAggregatorByReasonMessageFunc.
 */
export function combined(latestMessage: string): string {
  return COMBINED + latestMessage;
}

/** The beginning of a combined message. Source: see `combined`. */
export const COMBINED = '(combined from similar events): ';

function normal(reason: string, message: string, container?: string): EventDraft {
  return { type: 'Normal', reason, message, ...(container === undefined ? {} : { container }) };
}

function warning(reason: string, message: string, container?: string): EventDraft {
  return { type: 'Warning', reason, message, ...(container === undefined ? {} : { container }) };
}
