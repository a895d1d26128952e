import type { Socket } from 'node:net';
import type { TCPSocketAction } from '../../api/generated/types.ts';
import type { ProbeOutcome } from '../../lifecycle/probes/probe-outcome.ts';
import { type Deadline, type Limits, withDeadline } from './deadline.ts';
import { errnoAnswer, goNetworkError } from './go-error.ts';
import type { ProbeInput } from './input.ts';
import { defaultHost, joinHostPort, resolvePort } from './target.ts';

const CONNECTED: ProbeOutcome = { result: 'success', output: '' };

/** A port that takes connections is good. Source: pkg/probe/tcp/tcp.go DoTCPProbe. */
export async function probeTcp(action: TCPSocketAction, timeoutMs: number, input: ProbeInput): Promise<ProbeOutcome> {
  const { pod, container, clock, signal, dial } = input;
  const resolved = resolvePort(action.port, container);
  if (!resolved.ok) return { result: 'error', output: resolved.error };
  const target = { host: action.host || defaultHost(pod), port: resolved.port };
  const limits = { clock, timeoutMs, signal };
  if (dial === undefined) return connect(target, limits);
  return withDeadline(limits, async (deadline) => {
    const connected = dial(target, deadline.signal);
    return connected === undefined ? connect(target, limits) : judge(connected, target, deadline);
  });
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * Connects and closes. What went wrong is told in Go's words. With an alarm of its own: of all probes this one is there
 * most often, and what a Deadline can do beyond that costs as much as the rest of it.
 */
function connect(
  target: Target,
  { clock, timeoutMs, signal }: Limits & { readonly timeoutMs: number },
): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    const socket = process.getBuiltinModule('node:net').connect(target);
    const end = (outcome: ProbeOutcome): void => {
      alarm.cancel();
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      resolve(outcome);
    };
    const onAbort = (): void => end(gaveUp(target, false));
    const alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () => end(gaveUp(target, true)));
    socket.once('connect', () => end(CONNECTED));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Reset at once, so the connection was there; a port that takes none refuses.
      const wasThere = error.syscall === 'connect' && error.code === 'ECONNRESET';
      end(wasThere ? CONNECTED : unconnected(error));
    });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

/** The same of a connection that somebody else makes. */
async function judge(connected: Promise<Socket>, target: Target, deadline: Deadline): Promise<ProbeOutcome> {
  try {
    (await connected).destroy();
    return CONNECTED;
  } catch (error) {
    return deadline.signal.aborted ? gaveUp(target, deadline.passed) : unconnected(error);
  }
}

function unconnected(error: unknown): ProbeOutcome {
  return { result: 'failure', output: goNetworkError(error, { ends: '', heard: false }), answer: errnoAnswer(error) };
}

function gaveUp({ host, port }: Target, passed: boolean): ProbeOutcome {
  const why = passed ? 'i/o timeout' : 'operation was canceled';
  return { result: 'failure', output: `dial tcp ${joinHostPort(host, port)}: ${why}`, timedOut: passed };
}
