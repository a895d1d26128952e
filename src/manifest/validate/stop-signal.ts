import { STOP_SIGNALS } from '../../api/stop-signals.ts';
import { type FieldError, forbidden, notSupported } from '../field-error.ts';

/**
 * Validates the stop signal of a container, which requires `spec.os.name`.
 * Source: pkg/apis/core/validation/validation.go validateStopSignal (feature ContainerStopSignals).
 */
export function validateStopSignal(path: string, signal: string, system: string | undefined): FieldError[] {
  if (!system) return [forbidden(path, 'may not be set for containers with empty `spec.os.name`')];
  const supported = STOP_SIGNALS[system];
  return supported === undefined || supported.includes(signal) ? [] : [notSupported(path, signal, supported)];
}
