import { PodrunError } from '../api/errors.ts';
import { isTerminalPhase, type StoredPod } from '../api/objects.ts';
import type { Alarm, Clock } from '../clock.ts';
import { chooseLog, type LogChoice } from '../lifecycle/log-choice.ts';
import type { FileStore } from '../store/file-store.ts';
import { instanceLogPath } from '../store/log-files.ts';
import { type LogQuery, LogReader } from '../store/log-reader.ts';

/** A container whose log is wanted. */
export interface LogSource {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly pod: StoredPod;
  readonly container: string;
}

/** How often to look for what the file system did not tell. */
const LOOK_MS = 1000;

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

/** The Pod as it is now, unless another one has its name. */
function podNow({ store, pod }: LogSource): StoredPod | undefined {
  const { namespace, name, uid } = pod.metadata;
  const present = store.get<StoredPod>('pods', namespace, name);
  return present?.metadata.uid === uid ? present : undefined;
}

/** Asks after every change of the Pod until there is an answer; undefined when the time is up. */
function settled<T>(source: LogSource, timeoutMs: number, ask: () => T | undefined): Promise<T | undefined> {
  const { store, clock, pod } = source;
  const { namespace, name } = pod.metadata;
  return new Promise((resolve) => {
    let alarm: Alarm | undefined;
    const finish = (answer: T | undefined): void => {
      subscription.close();
      alarm?.cancel();
      resolve(answer);
    };
    const look = (): void => {
      const answer = ask();
      if (answer !== undefined) finish(answer);
    };
    const subscription = store.watch<StoredPod>('pods', { namespace, name }, look);
    if (Number.isFinite(timeoutMs)) alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () => finish(undefined));
    look();
  });
}

/** Calls back when the log may have grown, until closed. */
export function onGrowth(reader: LogReader, clock: Clock, look: () => void): { close(): void } {
  const watcher = reader.watch(look);
  let alarm: Alarm;
  const plan = (): void => {
    alarm = clock.wakeAt(clock.now().monotonicMs + LOOK_MS, () => {
      plan();
      look();
    });
  };
  plan();
  return {
    close: () => {
      watcher.close();
      alarm.cancel();
    },
  };
}
