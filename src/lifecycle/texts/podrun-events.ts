import { goQuote } from '../../api/index.ts';
import type { EventDraft } from './events.ts';

// The events that podrun adds to Kubernetes' own. Events of ports, Services and names are beside this file.

/** podrun's own: an event. */
export function podrunEvent(reason: string, message: string, container?: string): EventDraft {
  return { type: 'Warning', reason, message, ...(container === undefined ? {} : { container }), component: 'podrun' };
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

/** podrun's own: what `--speed` makes faster, and what it cannot. */
export function fasterTime(speed: number): string {
  return (
    `time passes ${speed} times as fast for back-offs, probe periods, grace periods, deadlines and schedules; ` +
    'programs run at their own speed, and probes wait for them as long as ever'
  );
}

/** podrun's own: the run has a time of its own. */
export function timeIsFaster(speed: number): EventDraft {
  return { ...podrunEvent('TimeIsFaster', fasterTime(speed)), type: 'Normal' };
}

/** podrun's own: the reason of `faultInjected`. */
export const FAULT_INJECTED = 'FaultInjected';

/** podrun's own: a fault of `--inject` has happened. */
export function faultInjected(message: string, container?: string): EventDraft {
  return podrunEvent(FAULT_INJECTED, message, container);
}

/** podrun's own: the beginning of the message of a fault that ends a container. */
export function endedByFault(container: string): string {
  return `container ${container} is ended`;
}

/** podrun's own: the reason of `faultOver`. */
export const FAULT_OVER = 'FaultOver';

/** podrun's own: a fault of `--inject` that lasted is over. */
export function faultOver(message: string): EventDraft {
  return { ...podrunEvent(FAULT_OVER, message), type: 'Normal' };
}

/** The requests to a Service, and those without an answer. */
export interface RequestCount {
  readonly service: string;
  readonly sent: number;
  readonly lost: number;
}

/** podrun's own: the reason of `requestsCounted`. */
export const REQUESTS_COUNTED = 'RequestsCounted';

/** podrun's own: what became of the requests of `--count-requests`. */
export function requestsCounted({ service, sent, lost }: RequestCount): EventDraft {
  const message = `${lost} of ${sent} requests to service/${service} were lost`;
  return { ...podrunEvent(REQUESTS_COUNTED, message), type: 'Normal' };
}

/** podrun's own: the count in a message of `requestsCounted`. */
export function countIn(message: string): RequestCount {
  const [, lost, sent, service = ''] = /^(\d+) of (\d+) requests to service\/(\S+)/.exec(message) ?? [];
  return { service, sent: Number(sent), lost: Number(lost) };
}

/** podrun's own: no node here runs a Pod that is bound to another node. */
export function noSuchNode(wanted: string, nodes: readonly string[]): EventDraft {
  const here =
    nodes.length === 1 ? `this node is ${goQuote(nodes[0] ?? '')}` : `the nodes are ${nodes.map(goQuote).join(', ')}`;
  const names = `spec.nodeName is ${goQuote(wanted)}, and ${here}`;
  return podrunEvent('NotThisNode', `${names}: no node here runs the Pod. Remove nodeName: the scheduler sets it`);
}

/** podrun's own: the reason of `nodeLabelsMissing`. */
export const NODE_LABELS_MISSING = 'NodeLabelsMissing';

/** Labels that identify the machine: podrun.yaml cannot set them. */
const LABELS_OF_THE_MACHINE = /^(?:beta\.)?kubernetes\.io\/(?:arch|hostname|os)$/;

/** podrun's own: the scheduler's message names neither the missing labels nor the file that sets a node's labels. */
export function nodeLabelsMissing(node: string, missing: readonly MissingLabel[]): EventDraft {
  const labels = missing.map(({ key, value, actual }) => {
    return `${key}=${value}${actual === undefined ? '' : ` (it has ${actual === '' ? 'no value' : actual})`}`;
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

/** podrun's own: the variables of the API server lead nowhere. @param variable that the manifest names */
export function noApiServer(container: string, variable: string): EventDraft {
  const why = 'podrun has no API server: connections to it are refused';
  const message = `container ${container} names ${variable}, but ${why}`;
  return podrunEvent('NoApiServer', message, container);
}

/** podrun's own: a container that wants a terminal gets none, or a limited one. */
export function terminalMissing(container: string, why: string): EventDraft {
  return podrunEvent('TerminalMissing', why, container);
}

/** podrun's own: the limits of containers are not enforced. @param why the limits and the reason */
export function limitsNotEnforced(why: string): EventDraft {
  return podrunEvent('LimitsNotEnforced', why);
}

/** podrun's own: an ephemeral container runs without the environment and working directory of its target. */
export function targetNotResolved(container: string, target: string, why: string): EventDraft {
  const message = `environment and working directory of container ${target} are not known here: ${why}`;
  return podrunEvent('TargetNotResolved', message, container);
}

/** podrun's own: a volume is only in its real folder. @param notice see `notAtMountPath` */
export function volumeNotAtMountPath(container: string, notice: string): EventDraft {
  return podrunEvent('VolumeNotAtMountPath', notice, container);
}

/** podrun's own: the reason of `workingFolderHidden`. */
export const WORKING_FOLDER_HIDDEN = 'WorkingFolderHidden';

/** podrun's own: a volume is mounted over the folder in which podrun was called. */
export function workingFolderHidden(
  container: string,
  { folder, volume, mountPath }: { readonly folder: string; readonly volume: string; readonly mountPath: string },
): EventDraft {
  const what = `volume ${volume} at ${mountPath} hides the files of ${folder}, in which container ${container} starts`;
  const remedy = `mount volume ${volume} elsewhere than at ${mountPath}, or move the files of ${folder} elsewhere`;
  return podrunEvent(WORKING_FOLDER_HIDDEN, `${what}: ${remedy}`, container);
}

/** podrun's own: a container runtime makes the missing folder of a hostPath without a type, and says nothing. */
export function hostPathMade(volume: string, folder: string): EventDraft {
  const message = `volume ${goQuote(volume)}: the folder ${folder} was missing and has been made, as on a node`;
  return podrunEvent('HostPathMade', message);
}

/** podrun's own: this machine has no memory for a volume that must not be on a disk. */
export function volumeOnDisk(volume: string): EventDraft {
  const folder = 'it is in a folder on disk that only your user can enter';
  return podrunEvent(
    'VolumeOnDisk',
    `volume ${goQuote(volume)} belongs in memory, but no tmpfs here has room for it: ${folder}`,
  );
}

/** podrun's own: an emptyDir in memory has no file system of its own that would refuse what is above its limit. */
export function sizeLimitMeasured(
  volume: string,
  cause = 'no file system of that size can be mounted for it here',
): EventDraft {
  const how = 'podrun measures its sizeLimit every 10 seconds and evicts the Pod above it';
  return podrunEvent('SizeLimitMeasured', `volume ${goQuote(volume)}: ${how}: ${cause}`);
}

/** podrun's own: a container of an image whose users the machine of an ordinary user does not have. */
export function imageUsersNotMapped(container: string): EventDraft {
  const cause = 'its image has one user here, so programs that change their user, or give files away, fail';
  const remedy = 'install uidmap and give your user a range in /etc/subuid';
  return podrunEvent('ImageUsersNotMapped', `container ${container}: ${cause}: ${remedy}`, container);
}

/** podrun's own: the termination log is only in its real place. @param notice see `notAtTerminationPath` */
export function terminationLogNotAtPath(container: string, notice: string): EventDraft {
  return podrunEvent('TerminationLogNotAtPath', notice, container);
}

/** A label of a nodeSelector that the node does not have, or has with another value. */
export interface MissingLabel {
  readonly key: string;
  readonly value: string;
  /** The node's value. Undefined: the node has no such label. */
  readonly actual: string | undefined;
}
