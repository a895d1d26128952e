import {
  type Container,
  type ExecAction,
  type HTTPGetAction,
  joinHostPort,
  type LifecycleHandler,
  type SleepAction,
  type StoredPod,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import {
  commandCanceled,
  commandFailed,
  commandNotStarted,
  describeHandler,
  execHook,
  hookFailed,
  httpHook,
  invalidHandler,
  SLEEP_CUT_SHORT,
  sleepHook,
} from '../../lifecycle/index.ts';
import type { Dial } from '../../network/index.ts';
import { type ExecOutcome, type ExecRequest, HTTP_FOR_HTTPS } from '../../runtime/index.ts';
import type { LiveInstance } from '../base/instance.ts';
import { pause, withDeadline } from '../probe/input.ts';
import { httpGet } from '../probe/http-get.ts';
import { type HttpRequest, requestFor } from '../probe/http-request.ts';
import { type HandlerLog, howCommandEnded } from './handler-log.ts';

export interface HookInput {
  readonly handler: LifecycleHandler;
  readonly pod: StoredPod;
  readonly container: Container;
  /** Runs a command in the container. */
  readonly exec: (argv: [string, ...string[]], signal: AbortSignal) => Promise<ExecOutcome>;
  /** Undefined: the Pod uses the host's network. */
  readonly dial?: Dial | undefined;
  /** Says which other program has responded to an HTTP hook, if one has. Default: only the Pod can. */
  readonly foreignAnswer?: (action: HTTPGetAction) => Promise<string | undefined>;
  readonly clock: Clock;
  /** Aborted when the container has ended, or when its Pod does not wait for the hook. */
  readonly signal: AbortSignal;
  /** Called with host and port when an HTTPS hook succeeded over plain HTTP. */
  readonly onFallback: (host: string) => void;
  /** Gets the notes and the response of the hook. `exec` passes on the output of its command by itself. */
  readonly log: HandlerLog;
}

export type HookOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** The error in kubelet's words, with the details that events leave out. */
      readonly message: string;
      /** The exit code of a command that has ended. */
      readonly exitCode?: number;
      /** The output of the command, or the reason why the hook failed. */
      readonly output: string;
    };

const DONE: HookOutcome = { ok: true };

/**
 * Runs a postStart or preStop hook to its end, without a time limit: `signal` ends the wait. Never rejects.
 * Source: pkg/kubelet/lifecycle/handlers.go.
 */
export async function runHook(input: HookInput): Promise<HookOutcome> {
  const { exec, httpGet: get, sleep } = input.handler;
  input.log.note(`begins: ${describeHandler(input.handler)}`);
  if (exec !== undefined) return runExecHook(exec, input);
  if (get !== undefined) return runHttpHook(get, input);
  if (sleep !== undefined) return runSleepHook(sleep, input);
  input.log.ended('this cannot be run');
  const message = invalidHandler(asGoPrints(input.handler));
  return { ok: false, message, output: message };
}

/** Runs the command as written: unlike in a probe, variables are not expanded. */
async function runExecHook(action: ExecAction, input: HookInput): Promise<HookOutcome> {
  const [program = '', ...args] = action.command ?? [];
  const command = [program, ...args].join(' ');
  const outcome = await input.exec([program, ...args], input.signal);
  input.log.ended(howCommandEnded(outcome));
  if (outcome.type === 'exited' && outcome.exitCode === 0) return DONE;
  const failure = failed(execHook(command), input, execError(command, outcome));
  if (outcome.type !== 'exited') {
    return { ...failure, output: outcome.type === 'failedToStart' ? outcome.error : 'the hook was cut short' };
  }
  return { ...failure, exitCode: outcome.exitCode, output: outcome.stdout + outcome.stderr };
}

function execError(command: string, outcome: ExecOutcome): string {
  switch (outcome.type) {
    case 'exited':
      return commandFailed(command, outcome);
    case 'failedToStart':
      return commandNotStarted(outcome.error);
    case 'timedOut':
      return commandCanceled(outcome.stdout + outcome.stderr);
    case 'aborted':
      return commandCanceled('');
    default:
      return outcome satisfies never;
  }
}

/** Sends the request. Any response is a success, also 500. Source: pkg/kubelet/lifecycle/handlers.go. */
async function runHttpHook(action: HTTPGetAction, input: HookInput): Promise<HookOutcome> {
  const built = requestFor(action, input.pod, input.container, 'lifecycle');
  const error = built.ok
    ? ((await deliver(built.request, input)) ?? (await input.foreignAnswer?.(action)))
    : built.error;
  if (error !== undefined) input.log.ended(error);
  return error === undefined ? DONE : failed(httpHook(action.path ?? '/'), input, error);
}

/**
 * Sends the request, over plain HTTP if the server does not speak TLS. Returns the error, undefined after a response.
 */
async function deliver(request: HttpRequest, input: HookInput): Promise<string | undefined> {
  const error = await send(request, input);
  if (error === undefined || !error.includes(HTTP_FOR_HTTPS)) return error;
  const plain: HttpRequest = {
    ...request,
    isSecure: false,
    url: request.url.replace(/^https/, 'http'),
    // Plain HTTP would show the credentials to the network.
    headers: request.headers.filter(([name]) => name !== 'Authorization'),
  };
  if ((await send(plain, input)) !== undefined) return error;
  input.onFallback(joinHostPort(request.hostname, request.port));
  return undefined;
}

async function send(request: HttpRequest, { clock, signal, log, dial }: HookInput): Promise<string | undefined> {
  const limits = { clock, timeoutMs: undefined, signal };
  const reply = await withDeadline(limits, (deadline) => httpGet(request, deadline, dial));
  switch (reply.type) {
    case 'response':
      log.output('stdout', Buffer.from(reply.body));
      log.ended(`HTTP status ${reply.status}`);
      return undefined;
    case 'cutOff':
      log.ended(`incomplete response: ${reply.error}`);
      return undefined;
    case 'noResponse':
      return reply.error;
    default:
      return reply satisfies never;
  }
}

async function runSleepHook({ seconds }: SleepAction, input: HookInput): Promise<HookOutcome> {
  await pause(input.clock, seconds * 1000, input.signal);
  input.log.ended(input.signal.aborted ? 'cut short: its container is ending' : 'done');
  if (!input.signal.aborted) return DONE;
  return failed(sleepHook(seconds), input, SLEEP_CUT_SHORT);
}

function failed(hook: string, { pod, container }: HookInput, error: string): Extract<HookOutcome, { ok: false }> {
  const message = hookFailed({ hook, pod: pod.metadata, container: container.name, error });
  return { ok: false, message, output: error };
}

/** A LifecycleHandler in the format of Go. Only a handler that kubelet cannot run is shown. */
function asGoPrints({ tcpSocket }: LifecycleHandler): string {
  const text =
    tcpSocket === undefined
      ? 'nil'
      : `&TCPSocketAction{Port:${describePort(tcpSocket.port)},Host:${tcpSocket.host ?? ''},}`;
  return `&LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:${text},Sleep:nil,}`;
}

function describePort(port: string | number): string {
  return typeof port === 'number' ? `{0 ${port} }` : `{1 0 ${port}}`;
}

/** The command of a hook, a probe or `podrun exec`, with the variables and the working directory of the container. */
export function commandIn(
  { ref, launch }: Pick<LiveInstance, 'ref' | 'launch'>,
  [program, ...args]: ExecRequest['argv'],
): Pick<ExecRequest, 'id' | 'argv' | 'env' | 'cwd'> {
  const { env, cwd, translate = (word) => word } = launch;
  return { id: ref.id, argv: [translate(program), ...args.map(translate)], env, cwd };
}
