import type { TCPSocketAction } from '../../api/generated/types.ts';
import type { ProbeOutcome } from '../../lifecycle/probe-outcome.ts';
import { type Deadline, withDeadline } from './deadline.ts';
import { goNetworkError } from './go-error.ts';
import type { ProbeInput } from './input.ts';
import { defaultHost, joinHostPort, resolvePort } from './target.ts';

/** A port that takes connections is good. Source: pkg/probe/tcp/tcp.go DoTCPProbe. */
export async function probeTcp(action: TCPSocketAction, timeoutMs: number, input: ProbeInput): Promise<ProbeOutcome> {
  const { pod, container, clock, signal } = input;
  const resolved = resolvePort(action.port, container);
  if (!resolved.ok) return { result: 'error', output: resolved.error };
  const host = action.host || defaultHost(pod);
  const error = await withDeadline({ clock, timeoutMs, signal }, (deadline) => dial(host, resolved.port, deadline));
  return error === undefined ? { result: 'success', output: '' } : { result: 'failure', output: error };
}

/** Connects and closes. Resolves with Go's words for what went wrong, undefined when nothing did. */
function dial(host: string, port: number, deadline: Deadline): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = process.getBuiltinModule('node:net').connect({ host, port });
    const end = (error: string | undefined): void => {
      deadline.signal.removeEventListener('abort', onAbort);
      socket.destroy();
      resolve(error);
    };
    const onAbort = (): void =>
      end(`dial tcp ${joinHostPort(host, port)}: ${deadline.passed ? 'i/o timeout' : 'operation was canceled'}`);
    socket.once('connect', () => end(undefined));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Reset at once, so the connection was there; a port that takes none refuses.
      const wasThere = error.syscall === 'connect' && error.code === 'ECONNRESET';
      end(wasThere ? undefined : goNetworkError(error, { ends: '', heard: false }));
    });
    deadline.signal.addEventListener('abort', onAbort);
    if (deadline.signal.aborted) onAbort();
  });
}
