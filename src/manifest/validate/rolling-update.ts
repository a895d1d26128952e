import {
  type DaemonSetUpdateStrategy,
  type DeploymentStrategy,
  percentMessages,
  type StatefulSetUpdateStrategy,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import {
  child,
  type FieldError,
  forbidden,
  type GoShape,
  inGo,
  invalid,
  notSupported,
  required,
} from '../base/field-error.ts';
import { notNegative, wellFormed } from './checks.ts';

/** The update strategies of workloads. Source: pkg/apis/apps/validation/validation.go. */

/** A number or a percentage of Pods. */
export type Share = number | string | undefined;

const DEPLOYMENT_TYPES: readonly string[] = ['Recreate', 'RollingUpdate'];
const DAEMON_SET_TYPES: readonly string[] = ['RollingUpdate', 'OnDelete'];

/** Validates a number or a percentage of Pods. */
export function validateShare(path: string, share: Share): FieldError[] {
  return typeof share === 'string' ? wellFormed(path, share, percentMessages) : notNegative(path, share);
}

/** The number of Pods or of percents. Any other text counts as 0. */
function sizeOf(share: Share): number {
  if (typeof share === 'number') return share;
  return share !== undefined && percentMessages(share).length === 0 ? Number(share.slice(0, -1)) : 0;
}

/** Refuses more than 100 %. */
export function validateWholeNumber(path: string, share: Share): FieldError[] {
  const isTooMuch = typeof share === 'string' && sizeOf(share) > 100;
  return isTooMuch ? [invalid(path, share, 'must not be greater than 100%')] : [];
}

export function validateDeploymentStrategy(path: string, strategy: Decoded<DeploymentStrategy>): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const at = child(path, 'rollingUpdate');
  if (type === 'Recreate') {
    const text = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbidden(at, text)];
  }
  if (type !== 'RollingUpdate') return [notSupported(path, strategy, DEPLOYMENT_TYPES)];
  if (rollingUpdate === undefined) return [required(at, 'this should be defaulted and never be nil')];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const unavailablePath = child(at, 'maxUnavailable');
  const isStuck = sizeOf(maxUnavailable) === 0 && sizeOf(maxSurge) === 0;
  return [
    ...validateShare(unavailablePath, maxUnavailable),
    ...validateShare(child(at, 'maxSurge'), maxSurge),
    ...(isStuck ? [invalid(unavailablePath, maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
    ...validateWholeNumber(unavailablePath, maxUnavailable),
  ];
}

/** Source: pkg/apis/apps/types.go, RollingUpdateStatefulSetStrategy and StatefulSetUpdateStrategy. */
const ROLLING: GoShape = { Partition: ['partition', 0], MaxUnavailable: ['maxUnavailable', null] };
const STRATEGY: GoShape = { Type: ['type', ''], RollingUpdate: ['rollingUpdate', ROLLING] };

export function validateStatefulSetStrategy(path: string, strategy: Decoded<StatefulSetUpdateStrategy>): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const at = child(path, 'rollingUpdate');
  if (!type) return [required(path)];
  if (type === 'OnDelete') {
    const text = "only allowed for updateStrategy 'RollingUpdate'";
    return rollingUpdate === undefined ? [] : [invalid(at, inGo(rollingUpdate, ROLLING), text)];
  }
  if (type !== 'RollingUpdate')
    return [invalid(path, inGo(strategy, STRATEGY), "must be 'RollingUpdate' or 'OnDelete'")];
  return notNegative(child(at, 'partition'), rollingUpdate?.partition);
}

export function validateDaemonSetStrategy(path: string, strategy: Decoded<DaemonSetUpdateStrategy>): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') return [notSupported(path, strategy, DAEMON_SET_TYPES)];
  const at = child(path, 'rollingUpdate');
  if (rollingUpdate === undefined) return [required(at)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const unavailablePath = child(at, 'maxUnavailable');
  const surgePath = child(at, 'maxSurge');
  const errors = [
    ...validateShare(unavailablePath, maxUnavailable),
    ...validateShare(surgePath, maxSurge),
    ...validateWholeNumber(unavailablePath, maxUnavailable),
    ...validateWholeNumber(surgePath, maxSurge),
  ];
  const canBeMissing = sizeOf(maxUnavailable) !== 0;
  const canBeAdded = sizeOf(maxSurge) !== 0;
  if (canBeMissing && canBeAdded) {
    errors.push(invalid(surgePath, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  }
  if (!canBeMissing && !canBeAdded) errors.push(required(unavailablePath, 'cannot be 0 when maxSurge is 0'));
  return errors;
}
