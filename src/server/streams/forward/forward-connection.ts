import { type Duplex, pipeline, type Writable } from 'node:stream';
import { dialPod } from '../../../network/index.ts';
import { isTerminalPhase, type StoredPod } from '../../../api/index.ts';
import { forwardingError } from '../../../engine/index.ts';
import type { ServerContext } from '../../../apiserver/index.ts';
import { relayOf } from '../pod-networks.ts';

/** A connection of the client that goes to a port of a Pod. */
export interface ForwardedConnection {
  readonly port: number;
  readonly data: Duplex;
  /** Takes the text of an error. */
  readonly errors: Writable;
}

/** Joins a connection of the client with a port of the Pod, until the program there ends it. Never rejects. */
export async function forwardConnection(
  { port, data, errors }: ForwardedConnection,
  { metadata: { namespace, name, uid } }: StoredPod,
  context: ServerContext,
): Promise<void> {
  // Its address may have come after the connection, or have changed.
  const pod = context.store.get<StoredPod>('pods', namespace, name);
  const refuse = (text: string): void => {
    errors.end(text);
    data.end();
    data.resume();
  };
  if (pod === undefined || pod.metadata.uid !== uid || isTerminalPhase(pod.status.phase)) {
    const what = `error forwarding port ${port} to pod ${name}, uid ${uid}`;
    return refuse(`${what}: pod not found (${JSON.stringify(`${name}_${namespace}`)})`);
  }
  try {
    const server = await dialPod(pod, port, relayOf(pod, context));
    if (data.destroyed) return void server.destroy();
    pipeline(data, server, () => undefined);
    // A client in channels cannot end its side, and kubectl does not wait for it.
    await passedOn(server, data);
    errors.end();
    data.destroy();
  } catch (error) {
    refuse(forwardingError(pod, port, error));
  }
}

/** Resolves when all is passed on, or one of the two is gone. */
function passedOn(from: Duplex, to: Duplex): Promise<void> {
  return new Promise((resolve) => {
    pipeline(from, to, () => resolve());
  });
}
