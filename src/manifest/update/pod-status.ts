import { type ContainerStatus, type Pod, qualifiedNameMessages } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden } from '../base/field-error.ts';
import { each, wellFormed } from '../validate/checks.ts';
import { child } from '../base/path.ts';
import { immutable } from './immutable.ts';

type Statuses = readonly Decoded<ContainerStatus>[] | undefined;

const SYSTEM_CONDITIONS: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized']);
/** The path of conditions in messages, as upstream. The right one would be below `status`. */
const CONDITIONS = 'metadata.conditions';

/**
 * Validates a change of a Pod's status through the subresource `status`.
 * Source: pkg/apis/core/validation/validation.go, ValidatePodStatusUpdate.
 */
export function validatePodStatusUpdate(stored: Decoded<Pod>, changed: Decoded<Pod>): FieldError[] {
  const [before, after] = [stored.status ?? {}, changed.status ?? {}];
  const { restartPolicy, initContainers = [] } = stored.spec ?? {};
  const sidecars = new Set(
    initContainers.flatMap((container) => (container.restartPolicy === 'Always' ? [container.name] : [])),
  );
  const isRestarted: Judge = (_name, exitCode) =>
    restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
  const isInitRestarted: Judge = (name, exitCode) => sidecars.has(name) || isRestarted(name, exitCode);
  return [
    ...each(CONDITIONS, after.conditions, ({ type = '' }, at) =>
      SYSTEM_CONDITIONS.has(type) ? [] : wellFormed(child(at, 'Type'), type, qualifiedNameMessages),
    ),
    ...immutable('status.qosClass', before.qosClass, after.qosClass, 'string'),
    ...validateEnded('status.containerStatuses', before.containerStatuses, after.containerStatuses, isRestarted),
    ...validateEnded(
      'status.initContainerStatuses',
      before.initContainerStatuses,
      after.initContainerStatuses,
      isInitRestarted,
    ),
    ...validateEnded(
      'status.ephemeralContainerStatuses',
      before.ephemeralContainerStatuses,
      after.ephemeralContainerStatuses,
      () => false,
    ),
  ];
}

/** Tells whether a container with this exit code is restarted. */
type Judge = (name: string | undefined, exitCode: number | undefined) => boolean;

/** Refuses changes of a container that has ended and is not restarted. */
function validateEnded(path: string, before: Statuses, after: Statuses, isRestarted: Judge): FieldError[] {
  return each(path, before, ({ name, state }, at) => {
    const ended = state?.terminated;
    if (ended === undefined || isRestarted(name, ended.exitCode)) return [];
    const isBack = (after ?? []).some((status) => status.name === name && status.state?.terminated === undefined);
    return isBack ? [forbidden(child(at, 'state'), 'may not be transitioned to non-terminated state')] : [];
  });
}
