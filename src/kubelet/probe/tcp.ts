import type { Socket } from 'node:net';
import { guarded } from '../../defects.ts';
import { joinHostPort, type TCPSocketAction } from '../../api/index.ts';
import { defaultHost, type ProbeOutcome, resolvePort } from '../../lifecycle/index.ts';
import type { Dial } from '../../network/index.ts';
import { type Deadline, errnoAnswer, type ProbeInput, withDeadline } from './input.ts';
import { goNetworkError } from '../../runtime/index.ts';

const CONNECTED: ProbeOutcome = { result: 'success', output: '' };

/** Closed sockets for later connections: creating one takes Node longer than connecting it. */
const closedSockets: ProbeSocket[] = [];
const CLOSED_SOCKETS_MAX = 32;

/** Connects to a port: a connection is a success. Source: pkg/probe/tcp/tcp.go DoTCPProbe. */
export async function probeTcp(
  action: TCPSocketAction,
  timeoutMs: number,
  input: ProbeInput,
  dial?: Dial,
): Promise<ProbeOutcome> {
  const { pod, container, clock, abort } = input;
  const resolved = resolvePort(action.port, container);
  if (!resolved.ok) return { result: 'error', output: resolved.error };
  const target = { host: action.host || defaultHost(pod), port: resolved.port };
  if (dial === undefined) return connect(target, timeoutMs, input);
  return withDeadline({ clock, timeoutMs, signal: abort.signal }, async (deadline) => {
    const connected = dial(target, deadline.signal);
    return connected === undefined ? connect(target, timeoutMs, input) : judge(connected, target, deadline);
  });
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * Connects and closes. Errors have Go's words. Uses an alarm instead of a Deadline: this is the most frequent probe,
 * and a Deadline would double its cost.
 */
function connect(target: Target, timeoutMs: number, { clock, abort }: ProbeInput): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    const socket = closedSockets.pop() ?? new ProbeSocket();
    const end = (outcome: ProbeOutcome): void => {
      alarm.cancel();
      abort.onAbort(undefined);
      socket.close();
      resolve(outcome);
    };
    const alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () => end(gaveUp(target, true)));
    socket.connect(target, end);
    abort.onAbort(() => end(gaveUp(target, false)));
  });
}

/** A socket for one connection after the other. */
class ProbeSocket {
  readonly #socket: Socket;
  #onOutcome: ((outcome: ProbeOutcome) => void) | undefined;

  constructor() {
    const { Socket } = process.getBuiltinModule('node:net');
    this.#socket = guarded(new Socket());
    this.#socket.on('connect', () => this.#onOutcome?.(CONNECTED));
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      // An immediate reset follows a connection. A port without a listener refuses.
      const wasThere = error.syscall === 'connect' && error.code === 'ECONNRESET';
      this.#onOutcome?.(wasThere ? CONNECTED : unconnected(error));
    });
    this.#socket.on('close', () => {
      if (closedSockets.length < CLOSED_SOCKETS_MAX) closedSockets.push(this);
    });
  }

  /** @param onOutcome called at most once, before `close` */
  connect(target: Target, onOutcome: (outcome: ProbeOutcome) => void): void {
    this.#onOutcome = onOutcome;
    this.#socket.connect(target);
  }

  close(): void {
    this.#onOutcome = undefined;
    this.#socket.destroy();
  }
}

/** Judges a connection that the dialer makes. */
async function judge(connected: Promise<Socket>, target: Target, deadline: Deadline): Promise<ProbeOutcome> {
  try {
    (await connected).destroy();
    return CONNECTED;
  } catch (error) {
    return deadline.signal.aborted ? gaveUp(target, deadline.hasPassed) : unconnected(error);
  }
}

function unconnected(error: unknown): ProbeOutcome {
  return {
    result: 'failure',
    output: goNetworkError(error, { ends: '', hasReceived: false }),
    answer: errnoAnswer(error),
  };
}

function gaveUp({ host, port }: Target, hasPassed: boolean): ProbeOutcome {
  const why = hasPassed ? 'i/o timeout' : 'operation was canceled';
  return { result: 'failure', output: `dial tcp ${joinHostPort(host, port)}: ${why}`, timedOut: hasPassed };
}
