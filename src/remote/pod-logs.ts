import {
  allContainerStatuses,
  errorMessage,
  formatTime,
  hasCode,
  parseTime,
  PodrunError,
  type StoredPod,
} from '../api/index.ts';
import { type Clock, sleep } from '../clock.ts';
import type { RunListener } from '../engine/index.ts';
import { ContainerLog, type FileStore, instanceLogPath } from '../store/index.ts';
import type { ClusterConnection, StreamedAnswer } from './base/connection.ts';

interface PodLogsOptions {
  readonly connection: ClusterConnection;
  readonly store: FileStore;
  readonly clock: Clock;
  readonly onOutput: RunListener['onOutput'];
  readonly onTrouble: (text: string) => void;
}

/** One run of a container on the cluster. */
interface RemoteInstance {
  readonly pod: StoredPod;
  readonly container: string;
  readonly attempt: number;
}

const RETRY_MS = 1000;
const SPACE = 32;

/**
 * Follows the logs of all containers of a run, and writes them into the store. The API server does not tell standard
 * error from standard output: everything counts as standard output.
 */
export class PodLogs {
  readonly #options: PodLogsOptions;
  /** By `uid/container/attempt`: settles at the end of the log. */
  readonly #followed = new Map<string, Promise<void>>();
  readonly #streams = new Set<StreamedAnswer>();
  #isClosed = false;

  constructor(options: PodLogsOptions) {
    this.#options = options;
  }

  /** Begins to follow the containers of the Pod that run, or have run. */
  follow(pod: StoredPod): void {
    for (const { name, restartCount, state } of allContainerStatuses(pod.status)) {
      if (state?.running === undefined && state?.terminated === undefined) continue;
      const key = keyOf(pod, name, restartCount);
      if (this.#followed.has(key)) continue;
      this.#followed.set(key, this.#followToEnd({ pod, container: name, attempt: restartCount }));
    }
  }

  /** Resolves when the logs of the containers that have ended are complete: a removed Pod takes them along. */
  async completeOfEnded(pods: readonly StoredPod[]): Promise<void> {
    const ended = pods.flatMap((pod) =>
      allContainerStatuses(pod.status)
        .filter(({ state }) => state?.terminated !== undefined)
        .map(({ name, restartCount }) => this.#followed.get(keyOf(pod, name, restartCount)) ?? Promise.resolve()),
    );
    await Promise.all(ended);
  }

  /** Resolves when the logs that were begun are complete. */
  async complete(): Promise<void> {
    await Promise.all(this.#followed.values());
  }

  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.close();
  }

  async #followToEnd(instance: RemoteInstance): Promise<void> {
    const { store, clock, onTrouble } = this.#options;
    const { namespace, name } = instance.pod.metadata;
    const log = new ContainerLog(
      instanceLogPath(store.paths(namespace, name).logs, instance.container, instance.attempt),
    );
    const read = { untilMs: 0 };
    try {
      while (!this.#isClosed) {
        try {
          return await this.#readOnce(instance, log, read);
        } catch (error) {
          // The Pod is gone, and the rest of its log with it.
          if (this.#isClosed || hasCode(error, 'NotFound')) return;
          if (!isPassing(error)) return onTrouble(`the log of ${name}/${instance.container}: ${errorMessage(error)}`);
          await sleep(clock, RETRY_MS);
        }
      }
    } finally {
      log.close();
    }
  }

  /**
   * Reads the log until its end.
   * @param read the time of the last line that is known, milliseconds since 1970; it grows with each line
   */
  async #readOnce({ pod, container }: RemoteInstance, log: ContainerLog, read: { untilMs: number }): Promise<void> {
    const { connection, onOutput } = this.#options;
    const { namespace, name } = pod.metadata;
    const query = {
      container,
      follow: 'true',
      timestamps: 'true',
      ...(read.untilMs > 0 && { sinceTime: formatTime(read.untilMs) }),
    };
    const stream = await connection.stream(`/api/v1/namespaces/${namespace}/pods/${name}/log`, query);
    this.#streams.add(stream);
    const { untilMs: knownMs } = read;
    try {
      for await (const line of streamLines(stream.chunks)) {
        const space = line.indexOf(SPACE);
        const atMs = parseTime(line.toString('latin1', 0, space));
        if (Number.isNaN(atMs) || atMs <= knownMs) continue;
        read.untilMs = atMs;
        const text = Buffer.concat([line.subarray(space + 1), Buffer.from('\n')]);
        log.write('stdout', text, atMs);
        await onOutput?.(pod, container, 'stdout', text);
      }
    } finally {
      this.#streams.delete(stream);
    }
  }
}

function keyOf({ metadata: { uid } }: StoredPod, container: string, attempt: number): string {
  return `${uid}/${container}/${attempt}`;
}

/** True for an error that may be over a moment later: no answer, or a container that is being created. */
function isPassing(error: unknown): boolean {
  return !(error instanceof PodrunError) || hasCode(error, 'Unreachable') || hasCode(error, 'BadRequest');
}

const NEWLINE = 10;

/** The lines of a stream of bytes, without their newlines; also the last one when the stream ends without one. */
export async function* streamLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, begin)) {
      yield Buffer.concat([...rest, chunk.subarray(begin, end)]);
      rest = [];
      begin = end + 1;
    }
    if (begin < chunk.length) rest.push(chunk.subarray(begin));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
