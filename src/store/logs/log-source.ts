import { fromServer, isLost, isTerminalPhase, type PodrunError, type StoredPod } from '../../api/index.ts';
import { chooseLog, type LogChoice } from '../../lifecycle/index.ts';
import { hookLogPath, instanceLogPath, newestHookLog } from './log-files.ts';
import { type LogQuery, LogReader } from './log-reader.ts';
import { type PodSource, settled } from '../feed/pod-watch.ts';

/** A container whose log is read. */
export interface LogSource extends PodSource {
  /** The log folder of the run. */
  readonly folder: string;
  /** True for the log of hooks and probes, false for the output of the container. */
  readonly ofHooks: boolean;
  readonly container: string;
}

/** The API server's error when there is no log. */
export function noLog(message: string, hint?: string): PodrunError {
  return fromServer('BadRequest', message, hint);
}

/** Opens the log of an instance of the container, or of its hooks and probes. */
export function openLog(source: LogSource, restartCount: number, query: LogQuery): LogReader {
  const pathOf = source.ofHooks ? hookLogPath : instanceLogPath;
  return new LogReader(pathOf(source.folder, source.container, restartCount), query);
}

/**
 * The instance whose log is shown. Hooks and probes may write before the status shows a new instance: then their newest
 * log decides.
 */
export function instanceToShow(source: LogSource, previous: boolean): LogChoice {
  const choice = chooseLog(source.pod, source.container, previous);
  if (!source.ofHooks || previous) return choice;
  const newest = newestHookLog(source.folder, source.container);
  if (newest === undefined || (choice.ok && choice.restartCount >= newest)) return choice;
  return { ok: true, restartCount: newest, isRunning: true };
}

/** Waits for the instance to follow. Returns why there is none when the time is up. */
export async function instanceToFollow(source: LogSource, startTimeoutMs: number): Promise<LogChoice> {
  let choice = instanceToShow(source, false);
  const ask = (pod: StoredPod | undefined): LogChoice | undefined => {
    choice = instanceToShow({ ...source, pod: pod ?? source.pod }, false);
    return choice.ok || pod === undefined || isTerminalPhase(pod.status.phase) ? choice : undefined;
  };
  // The status stays unchanged while a postStart hook runs: so the log is watched, too.
  const logs = source.ofHooks ? openLog(source, 0, {}) : undefined;
  await settled(source, { timeoutMs: startTimeoutMs, growing: logs }, ask);
  logs?.close();
  return choice;
}

/** Resolves when the instance has ended, its Pod ended or was deleted, or its agent is gone; or at the signal. */
export function instanceEnded(source: LogSource, restartCount: number, signal?: AbortSignal): Promise<unknown> {
  return settled(source, { signal }, (pod) => (isRunning(source, pod, restartCount) ? undefined : true));
}

function isRunning(source: LogSource, pod: StoredPod | undefined, restartCount: number): boolean {
  if (pod === undefined || isLost(pod.status)) return false;
  const choice = chooseLog(pod, source.container, false);
  // The hooks of the next instance write before its status changes.
  if (source.ofHooks && !isTerminalPhase(pod.status.phase) && (!choice.ok || choice.restartCount < restartCount)) {
    return true;
  }
  return choice.ok && choice.isRunning && choice.restartCount === restartCount;
}
