import type { Socket } from 'node:net';
import type { TCPSocketAction } from '../../api/generated/types.ts';
import type { ProbeOutcome } from '../../lifecycle/probes/probe-outcome.ts';
import { type Deadline, withDeadline } from './deadline.ts';
import { errnoAnswer, goNetworkError } from './go-error.ts';
import type { ProbeInput } from './input.ts';
import { defaultHost, joinHostPort, resolvePort } from './target.ts';

const CONNECTED: ProbeOutcome = { result: 'success', output: '' };

/** A port that takes connections is good. Source: pkg/probe/tcp/tcp.go DoTCPProbe. */
export async function probeTcp(action: TCPSocketAction, timeoutMs: number, input: ProbeInput): Promise<ProbeOutcome> {
  const { pod, container, clock, signal, dial } = input;
  const resolved = resolvePort(action.port, container);
  if (!resolved.ok) return { result: 'error', output: resolved.error };
  const host = action.host || defaultHost(pod);
  return withDeadline({ clock, timeoutMs, signal }, async (deadline) => {
    const connected = dial?.({ host, port: resolved.port }, deadline.signal);
    return connected === undefined
      ? connect(host, resolved.port, deadline)
      : judge(connected, host, resolved.port, deadline);
  });
}

/** Connects and closes. What went wrong is told in Go's words. */
function connect(host: string, port: number, deadline: Deadline): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    const socket = process.getBuiltinModule('node:net').connect({ host, port });
    const end = (outcome: ProbeOutcome): void => {
      deadline.signal.removeEventListener('abort', onAbort);
      socket.destroy();
      resolve(outcome);
    };
    const onAbort = (): void => end(gaveUp(host, port, deadline));
    socket.once('connect', () => end(CONNECTED));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Reset at once, so the connection was there; a port that takes none refuses.
      const wasThere = error.syscall === 'connect' && error.code === 'ECONNRESET';
      end(wasThere ? CONNECTED : unconnected(error));
    });
    deadline.signal.addEventListener('abort', onAbort);
    if (deadline.signal.aborted) onAbort();
  });
}

/** The same of a connection that somebody else makes. */
async function judge(
  connected: Promise<Socket>,
  host: string,
  port: number,
  deadline: Deadline,
): Promise<ProbeOutcome> {
  try {
    (await connected).destroy();
    return CONNECTED;
  } catch (error) {
    return deadline.signal.aborted ? gaveUp(host, port, deadline) : unconnected(error);
  }
}

function unconnected(error: unknown): ProbeOutcome {
  return { result: 'failure', output: goNetworkError(error, { ends: '', heard: false }), answer: errnoAnswer(error) };
}

function gaveUp(host: string, port: number, { passed }: Deadline): ProbeOutcome {
  const why = passed ? 'i/o timeout' : 'operation was canceled';
  return { result: 'failure', output: `dial tcp ${joinHostPort(host, port)}: ${why}`, timedOut: passed };
}
