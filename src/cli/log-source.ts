import { PodrunError } from '../api/errors.ts';
import { isTerminalPhase } from '../api/objects.ts';
import { chooseLog, type LogChoice } from '../lifecycle/log-choice.ts';
import { instanceLogPath } from '../store/log-files.ts';
import { type LogQuery, LogReader } from '../store/log-reader.ts';
import { podNow, type PodSource, settled } from './pod-watch.ts';

/** A container whose log is wanted. */
export interface LogSource extends PodSource {
  readonly container: string;
}

/** What the API server says when there is no log to show. */
export function noLog(message: string): PodrunError {
  return new PodrunError(`Error from server (BadRequest): ${message}`);
}

/** The log of an instance of the container. */
export function openLog({ store, pod, container }: LogSource, restartCount: number, query: LogQuery): LogReader {
  const { namespace, name } = pod.metadata;
  return new LogReader(instanceLogPath(store.paths(namespace, name).logs, container, restartCount), query);
}

/** The instance to follow, once it has started; or why there is none, when that takes too long. */
export function instanceToFollow(source: LogSource, startTimeoutMs: number): Promise<LogChoice> {
  const choose = (): LogChoice => chooseLog(podNow(source) ?? source.pod, source.container, false);
  const isHopeless = (): boolean => isTerminalPhase(podNow(source)?.status.phase ?? 'Failed');
  return settled(source, startTimeoutMs, () => {
    const choice = choose();
    return choice.ok || isHopeless() ? choice : undefined;
  }).then((choice) => choice ?? choose());
}

/** Resolves once that instance has ended: it was restarted, or the Pod ended or is gone, or nobody runs it any more. */
export function instanceEnded(source: LogSource, restartCount: number): Promise<unknown> {
  return settled(source, Number.POSITIVE_INFINITY, () => (isRunning(source, restartCount) ? undefined : true));
}

function isRunning(source: LogSource, restartCount: number): boolean {
  const pod = podNow(source);
  if (pod === undefined || pod.status.phase === 'Unknown') return false;
  const choice = chooseLog(pod, source.container, false);
  return choice.ok && choice.isRunning && choice.restartCount === restartCount;
}
