import { PodrunError } from '../../api/errors.ts';
import { isLost, isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { chooseLog, type LogChoice } from '../../lifecycle/requests/log-choice.ts';
import { hookLogPath, instanceLogPath, newestHookLog } from '../../store/logs/log-files.ts';
import { type LogQuery, LogReader } from '../../store/logs/log-reader.ts';
import { type PodSource, settled } from '../select/pod-watch.ts';

/** A container whose log is wanted. */
export interface LogSource extends PodSource {
  /** The folder of the logs of its run. */
  readonly folder: string;
  /** Is what its hooks and probes write wanted, and not what it writes itself? */
  readonly ofHooks: boolean;
  readonly container: string;
}

/** What the API server says when there is no log to show. */
export function noLog(message: string, hint?: string): PodrunError {
  return new PodrunError(`Error from server (BadRequest): ${message}`, { hint });
}

/** The log of an instance of the container, or of its hooks and probes. */
export function openLog(source: LogSource, restartCount: number, query: LogQuery): LogReader {
  const place = source.ofHooks ? hookLogPath : instanceLogPath;
  return new LogReader(place(source.folder, source.container, restartCount), query);
}

/**
 * The instance whose log to show. Hooks and probes write before anybody is told that the container runs: their log is
 * that of a newer instance when there is one.
 */
export function instanceToShow(source: LogSource, previous: boolean): LogChoice {
  const choice = chooseLog(source.pod, source.container, previous);
  if (!source.ofHooks || previous) return choice;
  const newest = newestHookLog(source.folder, source.container);
  if (newest === undefined || (choice.ok && choice.restartCount >= newest)) return choice;
  return { ok: true, restartCount: newest, isRunning: true };
}

/** The instance to follow, once it has started; or why there is none, when that takes too long. */
export async function instanceToFollow(source: LogSource, startTimeoutMs: number): Promise<LogChoice> {
  let choice = instanceToShow(source, false);
  const ask = (pod: StoredPod | undefined): LogChoice | undefined => {
    choice = instanceToShow({ ...source, pod: pod ?? source.pod }, false);
    return choice.ok || pod === undefined || isTerminalPhase(pod.status.phase) ? choice : undefined;
  };
  // Of a container whose hook runs nothing is told until that is done.
  const logs = source.ofHooks ? openLog(source, 0, {}) : undefined;
  await settled(source, { timeoutMs: startTimeoutMs, growing: logs }, ask);
  logs?.close();
  return choice;
}

/** Resolves once that instance has ended: it was restarted, or the Pod ended or is gone, or nobody runs it any more. */
export function instanceEnded(source: LogSource, restartCount: number): Promise<unknown> {
  return settled(source, {}, (pod) => (isRunning(source, pod, restartCount) ? undefined : true));
}

function isRunning(source: LogSource, pod: StoredPod | undefined, restartCount: number): boolean {
  if (pod === undefined || isLost(pod.status)) return false;
  const choice = chooseLog(pod, source.container, false);
  // The hooks of an instance that is about to run are under way already.
  if (source.ofHooks && !isTerminalPhase(pod.status.phase) && (!choice.ok || choice.restartCount < restartCount)) {
    return true;
  }
  return choice.ok && choice.isRunning && choice.restartCount === restartCount;
}
