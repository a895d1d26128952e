import type { StoredPod } from '../../../api/index.ts';
import {
  followedBytes,
  instanceEnded,
  instanceToShow,
  LogFormat,
  type LogSource,
  openLog,
  presentBytes,
} from '../../../store/index.ts';
import { type ApiRequest, badRequestStatus, type ServerContext } from '../../../apiserver/index.ts';
import { mustReachLog } from '../reached-node.ts';
import { targetContainer, targetPod } from '../target-pod.ts';
import { type LogOptions, readLogOptions } from './log-options.ts';

/**
 * The log that a request asks for, in pieces. A piece is read when the one before was taken.
 * @param signal ends a log that is followed
 * @throws {StatusError} in the API server's and the kubelet's words, when there is no such log
 */
export function requestedLog(
  request: ApiRequest,
  context: ServerContext,
  signal: AbortSignal,
): Iterable<Buffer> | AsyncIterable<Buffer> {
  const pod = targetPod(request, context);
  const options = readLogOptions(request.query, pod.metadata.name, context.clock.now().wallMs);
  const container = targetContainer(pod, options.container);
  // A Pod without a node has no log yet: the API server sends nothing.
  if (!pod.spec.nodeName) return [];
  mustReachLog(pod, container, context);
  const { store, clock } = context;
  const folder = store.paths(pod.metadata.namespace, pod.metadata.name).logs;
  return logBytes({ store, clock, pod, folder, container, ofHooks: false }, options, signal);
}

function logBytes(
  source: LogSource & { readonly pod: StoredPod },
  options: LogOptions,
  signal: AbortSignal,
): Iterable<Buffer> | AsyncIterable<Buffer> {
  const choice = instanceToShow(source, options.previous);
  if (!choice.ok) throw badRequestStatus(choice.message);
  const { restartCount } = choice;
  const reader = openLog(source, restartCount, options);
  const format = new LogFormat({ ...options, prefix: '' });
  if (!options.follow) return closing(presentBytes(reader, format), reader);
  const over = new AbortController();
  const ended = instanceEnded(source, restartCount, AbortSignal.any([signal, over.signal]));
  return closing(followedBytes(reader, format, { clock: source.clock, ended }), {
    close: () => {
      // Also when the log was left before its end.
      over.abort();
      reader.close();
    },
  });
}

/** The pieces. After the last one, or when the caller takes no more, the reader is closed. */
async function* closing(
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  reader: { close(): void },
): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } finally {
    reader.close();
  }
}
