import {
  type HTTPGetAction,
  httpHeaderMessages,
  type Lifecycle,
  type LifecycleHandler,
  type Probe,
  STOP_SIGNALS,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import { notNegative, oneOfIfSet, requiredText, wellFormed } from './checks.ts';
import { validatePortNumber, validatePortReference } from './ports.ts';

/** The actions of a probe or a hook. A probe has no sleep, a hook no grpc. */
type Handler = Pick<Decoded<Probe>, 'grpc'> & Decoded<LifecycleHandler>;

const HTTP_SCHEMES: readonly string[] = ['HTTP', 'HTTPS'];
const TIMINGS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

export type ProbeKind = 'livenessProbe' | 'readinessProbe' | 'startupProbe';

/** Source: pkg/apis/core/validation/validation.go, validateProbe and its three callers. */
export function validateProbe(path: string, kind: ProbeKind, probe: Decoded<Probe>): FieldError[] {
  const { terminationGracePeriodSeconds: graceSeconds, successThreshold } = probe;
  const errors = [
    ...validateHandler(path, probe, undefined),
    ...TIMINGS.flatMap((field) => notNegative(child(path, field), probe[field])),
  ];
  const gracePath = child(path, 'terminationGracePeriodSeconds');
  if (graceSeconds !== undefined && graceSeconds <= 0) {
    errors.push(invalid(gracePath, graceSeconds, 'must be greater than 0'));
  }
  if (kind === 'readinessProbe') {
    if (graceSeconds !== undefined)
      errors.push(invalid(gracePath, graceSeconds, 'must not be set for readinessProbes'));
  } else if (successThreshold !== 1) {
    errors.push(invalid(child(path, 'successThreshold'), successThreshold ?? 0, 'must be 1'));
  }
  return errors;
}

/** Facts about the Pod that the rules of hooks need. */
export interface HandlerRules {
  /** The grace period of the Pod: no hook may sleep longer. */
  readonly graceSeconds: number;
  /** `spec.os.name` */
  readonly system: string | undefined;
}

export function validateLifecycle(path: string, lifecycle: Decoded<Lifecycle>, rules: HandlerRules): FieldError[] {
  const { postStart, preStop, stopSignal } = lifecycle;
  const { graceSeconds, system } = rules;
  return [
    ...(postStart ? validateHandler(child(path, 'postStart'), postStart, graceSeconds) : []),
    ...(preStop ? validateHandler(child(path, 'preStop'), preStop, graceSeconds) : []),
    ...(stopSignal === undefined ? [] : validateStopSignal(child(path, 'stopSignal'), stopSignal, system)),
  ];
}

/** Requires exactly one action. Checks only the first one given. */
function validateHandler(path: string, handler: Handler, graceSeconds: number | undefined): FieldError[] {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  const given = [
    exec && { field: 'exec', check: (at: string) => validateCommand(at, exec.command ?? []) },
    httpGet && { field: 'httpGet', check: (at: string) => validateHttpGet(at, httpGet) },
    tcpSocket && {
      field: 'tcpSocket',
      check: (at: string) => validatePortReference(child(at, 'port'), tcpSocket.port),
    },
    grpc && { field: 'grpc', check: (at: string) => validatePortNumber(child(at, 'port'), grpc.port) },
    sleep && { field: 'sleep', check: (at: string) => validateSleep(at, sleep.seconds ?? 0, graceSeconds) },
  ].filter((handlerType) => handlerType !== undefined);
  const [first, ...others] = given;
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...first.check(child(path, first.field)),
    ...others.map(({ field }) => forbidden(child(path, field), 'may not specify more than 1 handler type')),
  ];
}

function validateCommand(path: string, command: readonly string[]): FieldError[] {
  return command.length > 0 ? [] : [required(child(path, 'command'))];
}

function validateHttpGet(path: string, action: Decoded<HTTPGetAction>): FieldError[] {
  return [
    ...requiredText(child(path, 'path'), action.path),
    ...validatePortReference(child(path, 'port'), action.port),
    ...oneOfIfSet(child(path, 'scheme'), action.scheme ?? '', HTTP_SCHEMES),
    // The path has no index, as upstream.
    ...(action.httpHeaders ?? []).flatMap(({ name = '' }) =>
      wellFormed(child(path, 'httpHeaders'), name, httpHeaderMessages),
    ),
  ];
}

function validateSleep(path: string, seconds: number, graceSeconds: number | undefined): FieldError[] {
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
  const limit = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [invalid(path, seconds, limit)];
}

/**
 * Validates the stop signal of a container, which requires `spec.os.name`.
 * Source: pkg/apis/core/validation/validation.go validateStopSignal (feature ContainerStopSignals).
 */
function validateStopSignal(path: string, signal: string, system: string | undefined): FieldError[] {
  if (!system) return [forbidden(path, 'may not be set for containers with empty `spec.os.name`')];
  const supported = STOP_SIGNALS[system];
  return supported === undefined || supported.includes(signal) ? [] : [notSupported(path, signal, supported)];
}
