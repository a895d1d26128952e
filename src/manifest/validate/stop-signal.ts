import { STOP_SIGNALS } from '../../api/stop-signals.ts';
import type { FieldError } from '../field-error.ts';
import { forbidden, notSupported } from '../field-error.ts';

/**
 * The signal that a container is stopped with. It takes a Pod that says on which system it runs.
 * Source: pkg/apis/core/validation/validation.go validateStopSignal (feature ContainerStopSignals).
 */
export function validateStopSignal(path: string, signal: string, system: string | undefined): FieldError[] {
  if (!system) return [forbidden(path, 'may not be set for containers with empty `spec.os.name`')];
  const supported = STOP_SIGNALS[system];
  return supported === undefined || supported.includes(signal) ? [] : [notSupported(path, signal, supported)];
}
