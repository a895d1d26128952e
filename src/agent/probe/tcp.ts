import type { TCPSocketAction } from '../../api/generated/types.ts';
import type { ProbeOutcome } from '../../lifecycle/probes/probe-outcome.ts';
import { type Deadline, withDeadline } from './deadline.ts';
import { errnoAnswer, goNetworkError } from './go-error.ts';
import type { ProbeInput } from './input.ts';
import { defaultHost, joinHostPort, resolvePort } from './target.ts';

const CONNECTED: ProbeOutcome = { result: 'success', output: '' };

/** A port that takes connections is good. Source: pkg/probe/tcp/tcp.go DoTCPProbe. */
export async function probeTcp(action: TCPSocketAction, timeoutMs: number, input: ProbeInput): Promise<ProbeOutcome> {
  const { pod, container, clock, signal } = input;
  const resolved = resolvePort(action.port, container);
  if (!resolved.ok) return { result: 'error', output: resolved.error };
  const host = action.host || defaultHost(pod);
  return withDeadline({ clock, timeoutMs, signal }, (deadline) => dial(host, resolved.port, deadline));
}

/** Connects and closes. What went wrong is told in Go's words. */
function dial(host: string, port: number, deadline: Deadline): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    const socket = process.getBuiltinModule('node:net').connect({ host, port });
    const end = (outcome: ProbeOutcome): void => {
      deadline.signal.removeEventListener('abort', onAbort);
      socket.destroy();
      resolve(outcome);
    };
    const onAbort = (): void => {
      const why = deadline.passed ? 'i/o timeout' : 'operation was canceled';
      const output = `dial tcp ${joinHostPort(host, port)}: ${why}`;
      end({ result: 'failure', output, timedOut: deadline.passed });
    };
    socket.once('connect', () => end(CONNECTED));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Reset at once, so the connection was there; a port that takes none refuses.
      const wasThere = error.syscall === 'connect' && error.code === 'ECONNRESET';
      const output = goNetworkError(error, { ends: '', heard: false });
      end(wasThere ? CONNECTED : { result: 'failure', output, answer: errnoAnswer(error) });
    });
    deadline.signal.addEventListener('abort', onAbort);
    if (deadline.signal.aborted) onAbort();
  });
}
