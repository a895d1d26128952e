import { goQuote } from '../../api/go/go-quote.ts';
import { podFullName, type StoredMeta } from '../../api/objects.ts';
import type { EventDraft } from '../effects.ts';
import type { MissingLabel } from '../node/node-affinity.ts';
import { DEADLINE_EXCEEDED, EVICTED } from './pod-reasons.ts';
import { backingOffPull, neverPulled } from './waiting.ts';

// Every event that podrun records, one builder each: the scheduler's, then the kubelet's in the order of a Pod's life,
// then podrun's own. Reasons: pkg/kubelet/events/event.go. Texts: the file beside each builder.

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

/** Parses volume and error from the message of `failedMount`. */
export function readFailedMount(message: string): { readonly volume: string; readonly why: string } | undefined {
  const [, volume, why] = /MountVolume\.SetUp failed for volume "([^"]*)" : (.*)$/s.exec(message) ?? [];
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

/** podrun's own: the reason of `fieldHasNoEffect`. The live view folds these events. */
export const FIELD_HAS_NO_EFFECT = 'FieldHasNoEffect';

/** The most paths in one event, whose message has at most 1024 bytes. */
const PATHS_MAX = 8;

/** podrun's own: a field of the manifest is accepted, but has no effect. @param paths of the field in the manifest */
export function fieldHasNoEffect(field: { readonly paths: readonly string[]; readonly note: string }): EventDraft {
  const { paths, note } = field;
  const more = paths.length > PATHS_MAX ? ` and ${paths.length - PATHS_MAX} more` : '';
  return podrunEvent(FIELD_HAS_NO_EFFECT, `${paths.slice(0, PATHS_MAX).join(', ')}${more}: ${note}`);
}

/** podrun's own: no node here runs a Pod that is bound to another node. */
export function notThisNode(wanted: string, node: string): EventDraft {
  const names = `spec.nodeName is ${goQuote(wanted)}, and this node is ${goQuote(node)}`;
  return podrunEvent('NotThisNode', `${names}: no node here runs the Pod. Remove nodeName: the scheduler sets it`);
}

/** podrun's own: the reason of `nodeLabelsMissing`. */
export const NODE_LABELS_MISSING = 'NodeLabelsMissing';

/** Labels that identify the machine: podrun.yaml cannot set them. */
const LABELS_OF_THE_MACHINE = /^(?:beta\.)?kubernetes\.io\/(?:arch|hostname|os)$/;

/**
 * podrun's own: the scheduler's message names neither the missing labels nor the file that sets labels of this node.
 */
export function nodeLabelsMissing(node: string, missing: readonly MissingLabel[]): EventDraft {
  const labels = missing.map(({ key, value, found }) => {
    return `${key}=${value}${found === undefined ? '' : ` (it has ${found === '' ? 'no value' : found})`}`;
  });
  const what = `node ${node} lacks labels of spec.nodeSelector: ${labels.join(', ')}`;
  if (missing.some(({ key }) => LABELS_OF_THE_MACHINE.test(key))) return podrunEvent(NODE_LABELS_MISSING, what);
  const granted = missing.map(({ key, value }) => `${key}: ${JSON.stringify(value)}`).join(', ');
  return podrunEvent(NODE_LABELS_MISSING, `${what}${GRANT}{ node: { labels: { ${granted} } } }`);
}

const GRANT = '; podrun.yaml can grant it: ';

/** podrun's own: parses the missing labels and the line for podrun.yaml, if any, from the message. */
export function readNodeLabelsMissing(message: string): { readonly what: string; readonly grant: string | undefined } {
  const [what = '', grant] = message.split(GRANT);
  return { what, grant };
}

/** podrun's own: the signal ends a container that would ignore it on a node. */
export function noSignalHandler(container: string, signal: string): EventDraft {
  const message =
    `container ${container} has no handler for ${signal}, which ends it here. On a cluster, as process 1, it would ` +
    'ignore the signal and be killed after the grace period (--strict-pid1 shows this)';
  return { ...podrunEvent('NoSignalHandler', message, container), type: 'Normal' };
}

/** podrun's own: a file of the folder of static Pods is wrong. A kubelet only logs it. */
export function staticPodProblem(text: string): EventDraft {
  return podrunEvent('InvalidStaticPod', text);
}

/** podrun's own: a node sets these variables in every container. @param variable that the manifest names */
export function noApiServer(container: string, variable: string): EventDraft {
  const message = `container ${container} names ${variable}, which is not set: podrun has no API server`;
  return podrunEvent('NoApiServer', message, container);
}

/** podrun's own: a container that wants a terminal gets none, or a limited one. */
export function terminalMissing(container: string, why: string): EventDraft {
  return warning('TerminalMissing', why, container);
}

/** podrun's own: the limits of containers are not enforced. @param why the limits and the reason */
export function limitsNotEnforced(why: string): EventDraft {
  return podrunEvent('LimitsNotEnforced', why);
}

/** podrun's own: an ephemeral container runs without the environment and working directory of its target. */
export function targetNotResolved(container: string, target: string, why: string): EventDraft {
  const message = `environment and working directory of container ${target} are not known here: ${why}`;
  return warning('TargetNotResolved', message, container);
}

/** podrun's own: a volume is only in its real folder. @param notice see `notAtMountPath` */
export function volumeNotAtMountPath(container: string, notice: string): EventDraft {
  return podrunEvent('VolumeNotAtMountPath', notice, container);
}

/** podrun's own: this machine has no memory for a volume that must not be on a disk. */
export function volumeOnDisk(volume: string): EventDraft {
  const folder = 'it is in a folder on disk that only your user can enter';
  return podrunEvent(
    'VolumeOnDisk',
    `volume ${goQuote(volume)} belongs in memory, but no tmpfs here has room for it: ${folder}`,
  );
}

/** podrun's own: the termination log is only in its real place. @param notice see `notAtTerminationPath` */
export function terminationLogNotAtPath(container: string, notice: string): EventDraft {
  return podrunEvent('TerminationLogNotAtPath', notice, container);
}

/**
 * The message of an event that combines many similar events. Source:
 * staging/src/k8s.io/client-go/tools/record/events_cache.go EventAggregatorByReasonMessageFunc.
 */
export function combined(latestMessage: string): string {
  return COMBINED + latestMessage;
}

/** The beginning of a combined message. */
export const COMBINED = '(combined from similar events): ';

function normal(reason: string, message: string, container?: string): EventDraft {
  return { type: 'Normal', reason, message, ...(container === undefined ? {} : { container }) };
}

function warning(reason: string, message: string, container?: string): EventDraft {
  return { type: 'Warning', reason, message, ...(container === undefined ? {} : { container }) };
}

/** An event of podrun itself. */
export function podrunEvent(reason: string, message: string, container?: string): EventDraft {
  return { ...warning(reason, message, container), component: 'podrun' };
}
