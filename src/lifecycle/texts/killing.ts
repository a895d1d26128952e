import type { EventDraft } from './events.ts';
import { podrunEvent } from './podrun-events.ts';

// The messages of the event Killing.

/** The whole Pod terminates. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer. */
export function stopping(container: string): string {
  return `Stopping container ${container}`;
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions. */
export function probeFailed(container: string, probe: 'liveness' | 'startup', restarts: boolean): string {
  return `Container ${container} failed ${probe} probe${restarts ? ', will be restarted' : ''}`;
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions. */
export function definitionChanged(container: string): string {
  return `Container ${container} definition changed, will be restarted`;
}

/** podrun's own, after the words above: a file that the container runs has changed. */
export function programChanged(container: string): string {
  return `Container ${container} program changed, will be restarted`;
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodResizeAction. */
export function resizeNeedsRestart(container: string): string {
  return `Container ${container} resize requires restart`;
}

/** For sidecars. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions. */
export function initProbeFailed(container: string, probe: 'liveness' | 'startup'): string {
  return `Init container ${container} failed ${probe} probe`;
}

/** For sidecars. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions. */
export function initDefinitionChanged(container: string): string {
  return `Init container ${container} definition changed`;
}

/** The postStart hook failed. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer. */
export const HOOK_FAILED = 'FailedPostStartHook';

/** For RestartAllContainers rules. Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod. */
export const RESTARTING_ALL = 'killing';

/** podrun's own: a user of `apply` restarts a container. */
export const RESTART_ASKED = 'A user restarts the container';

/** The author of a deletion, who is no controller. */
export interface DeletionAuthor {
  /** The name of the user. */
  readonly user: string;
  /** The command, `podrun delete pod web`, or the user agent of a client. */
  readonly tool: string;
  /** The process. Undefined: it is not known, as on another machine. */
  readonly pid: number | undefined;
  /** The pid of the podrun whose COMMAND the process belongs to. Undefined: none. */
  readonly commandOf: number | undefined;
}

/** podrun's own: the reason of `deletedByAuthor`. */
export const DELETED_BY = 'DeletedBy';

/** podrun's own: a client has deleted the object. A cluster has this in its audit log only. */
export function deletedByAuthor({ user, tool, pid, commandOf }: DeletionAuthor): EventDraft {
  const from = pid === undefined ? '' : ` (process ${pid})`;
  const command = commandOf === undefined ? '' : `${COMMAND_OF}${commandOf}`;
  return { ...podrunEvent(DELETED_BY, `${user} with ${tool.slice(0, TOOL_MAX)}${from}${command}`), type: 'Normal' };
}

/** The longest command or user agent, in characters: the message of an Event has 1024 bytes. */
const TOOL_MAX = 200;
const COMMAND_OF = ', in the COMMAND of process ';

/** podrun's own: parses the author, as text, and the podrun whose COMMAND deleted it, from the message. */
export function readDeletedBy(message: string): { readonly who: string; readonly commandOf: number | undefined } {
  const [who = '', pid] = message.split(COMMAND_OF);
  return { who, commandOf: pid === undefined ? undefined : Number(pid) };
}
