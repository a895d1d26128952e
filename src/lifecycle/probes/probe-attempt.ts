import { formatTime, type HTTPGetAction, type Instant, type LifecycleHandler, type Probe } from '../../api/index.ts';
import { type EventDraft, probeErrored, probeWarning, unhealthy } from '../texts/events.ts';
import type { PortOwner } from '../texts/port-events.ts';
import { type ProbedContainer, probeNumbers, type ProbeType, type ProbeWorker } from './probe.ts';

/** The consequence of one attempt of a probe. */
export type ProbeDecision =
  /** The attempt was counted. Nothing changed. */
  | 'none'
  /** The startup probe has succeeded. */
  | 'started'
  | 'ready'
  | 'notReady'
  /** The container is killed and starts again. */
  | 'restart'
  /** The container is killed and does not start again. */
  | 'kill'
  /** The attempt could not be carried out. The next attempt follows at once. */
  | 'retry'
  /** The attempt could not be carried out. It has no result and is not counted. */
  | 'notCounted'
  /** The container or its Pod ended before the attempt. The result is ignored. */
  | 'abandoned';

/** One line of a Pod's probe journal: one attempt of a probe. */
export interface ProbeAttempt extends ProbeAnswer {
  /** The beginning of the attempt, RFC 3339 with microseconds. */
  readonly time: string;
  /** The beginning of the attempt, in seconds after the start of the container. */
  readonly offsetSeconds: number;
  readonly container: string;
  readonly restartCount: number;
  readonly probe: ProbeType;
  /** The handler as `kubectl describe` shows it: `http-get http://:8080/health`. */
  readonly handler: string;
  readonly durationMs: number;
  /** timeout: a failure because the attempt took too long. error: the attempt could not be carried out. */
  readonly result: ProbeOutcome['result'] | 'timeout';
  /** The beginning of the output of the container, or of the kubelet's error. */
  readonly output: string;
  /** True when the output was longer. */
  readonly truncated?: boolean;
  /** The successes in a row, including this attempt. `failures` counts failures in the same way. */
  readonly successes: number;
  readonly failures: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  readonly decision: ProbeDecision;
}

/** True when podrun killed the container because of this attempt. */
export function causedKill({ decision }: Pick<ProbeAttempt, 'decision'>): boolean {
  return decision === 'restart' || decision === 'kill';
}

/** Characters of output in a journal line. */
const OUTPUT_MAX = 1024;

/** One finished attempt of a probe. */
export interface FinishedProbe {
  readonly type: ProbeType;
  readonly probe: Probe;
  /** The container at the beginning of the attempt. */
  readonly seen: ProbedContainer;
  readonly began: Instant;
  readonly durationMs: number;
  readonly outcome: ProbeOutcome;
}

/** The count of outcomes after an attempt, and its consequence. */
export interface ProbeVerdict {
  readonly lastOutcome: ProbeWorker['lastOutcome'];
  readonly run: number;
  readonly decision: ProbeDecision;
}

/** The journal line of an attempt. */
export function probeAttempt(finished: FinishedProbe, { lastOutcome, run, decision }: ProbeVerdict): ProbeAttempt {
  const { type, probe, seen, began, durationMs, outcome } = finished;
  const { answer = {}, output } = outcome;
  const { successThreshold, failureThreshold } = probeNumbers(probe);
  return {
    time: formatTime(began.wallMs),
    offsetSeconds: rounded((began.monotonicMs - (seen.startedAt ?? began).monotonicMs) / 1000),
    container: seen.container.name,
    restartCount: seen.restartCount,
    probe: type,
    handler: describeHandler(probe),
    durationMs: rounded(durationMs),
    result: outcome.result === 'failure' && outcome.timedOut === true ? 'timeout' : outcome.result,
    ...answer,
    output: output.slice(0, OUTPUT_MAX),
    ...(output.length > OUTPUT_MAX ? { truncated: true } : {}),
    successes: lastOutcome === 'success' ? run : 0,
    failures: lastOutcome === 'failure' ? run : 0,
    successThreshold,
    failureThreshold,
    decision,
  };
}

/** The decision that a published result of each probe means. killed: the container starts again, or does not. */
const DECISIONS: Readonly<Record<ProbeType, Readonly<Record<'success' | 'failure', ProbeDecision | 'killed'>>>> = {
  startup: { success: 'started', failure: 'killed' },
  liveness: { success: 'none', failure: 'killed' },
  readiness: { success: 'ready', failure: 'notReady' },
};

/** The consequence of a published result, see countOutcome. */
export function probeDecision(type: ProbeType, publish: boolean | undefined, seen: ProbedContainer): ProbeDecision {
  if (publish === undefined) return 'none';
  const decision = DECISIONS[type][publish ? 'success' : 'failure'];
  return decision === 'killed' ? (seen.restartsAfterKill ? 'restart' : 'kill') : decision;
}

/** Rounds to thousandths. */
function rounded(number: number): number {
  return Math.round(number * 1000) / 1000;
}

/**
 * The handler of a probe or hook in the words of `kubectl describe`. kubectl does not describe hooks: they follow the
 * same form.
 */
export function describeHandler({ exec, httpGet, tcpSocket, grpc, sleep }: Probe & LifecycleHandler): string {
  if (exec) return `exec [${(exec.command ?? []).join(' ')}]`;
  if (httpGet) return `http-get ${probeUrl(httpGet)}`;
  if (tcpSocket) return `tcp-socket ${tcpSocket.host ?? ''}:${tcpSocket.port}`;
  if (grpc) return `grpc <pod>:${grpc.port} ${grpc.service ?? ''}`;
  if (sleep) return `sleep ${sleep.seconds}s`;
  return 'unknown';
}

function probeUrl({ scheme = 'HTTP', host = '', port, path = '' }: HTTPGetAction): string {
  const bracketed = /[:%]/.test(host) ? `[${host}]` : host;
  const slash = path === '' || path.startsWith('/') ? '' : '/';
  return `${scheme.toLowerCase()}://${bracketed}:${port}${slash}${escapePath(path)}`;
}

/** The path of a URL as Go's net/url escapes it: a `?` belongs to the path and becomes `%3F`. */
function escapePath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]+/g, (part) =>
    [...new TextEncoder().encode(part)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

/** The raw answer of the probed program. */
export interface ProbeAnswer {
  readonly exitCode?: number;
  readonly httpStatus?: number;
  /** The answer of the health service (`NOT_SERVING`), or the code of the call (`Unimplemented`). */
  readonly grpcStatus?: string;
  /** The reason for a missing connection, for example `ECONNREFUSED`. */
  readonly errno?: string;
}

/**
 * The outcome of one probe. A failure is the container's answer and counts. An error means that the probe could not be
 * carried out: it does not count.
 */
export type ProbeOutcome = {
  readonly answer?: ProbeAnswer;
  /** A process of another Pod or program that listens on the probed port. Undefined: none is known. */
  readonly answeredBy?: PortOwner;
} & (
  | {
      readonly result: 'success' | 'warning' | 'failure' | 'unknown';
      readonly output: string;
      readonly timedOut?: boolean;
    }
  /** `state` is the outcome's name in the kubelet's event. Undefined means `unknown`. */
  | { readonly result: 'error'; readonly output: string; readonly state?: 'unknown' | 'failure' }
);

const SUCCESSES: Readonly<Record<ProbeOutcome['result'], boolean | undefined>> = {
  success: true,
  warning: true,
  failure: false,
  unknown: false,
  error: undefined,
};

/**
 * True for a success, false for a failure, undefined for an error, which does not count. Source:
 * pkg/kubelet/prober/prober.go probe.
 */
export function countsAsSuccess({ result }: ProbeOutcome): boolean | undefined {
  return SUCCESSES[result];
}

/** The event of an outcome, also below the threshold. A success has none. Source: prober.go probe. */
export function outcomeEvent(container: string, type: ProbeType, outcome: ProbeOutcome): EventDraft | undefined {
  const { output } = outcome;
  switch (outcome.result) {
    case 'success':
    case 'unknown':
      return undefined;
    case 'warning':
      return probeWarning(container, type, output);
    case 'failure':
      return unhealthy(container, type, output);
    case 'error':
      return probeErrored(container, type, { state: outcome.state ?? 'unknown', output });
    default:
      return outcome satisfies never;
  }
}
