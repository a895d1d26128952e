import {
  type Affinity,
  type Container,
  MIRROR_ANNOTATION,
  type NodeSelectorTerm,
  ownValue,
  type Pod,
  type PodSchedulingGate,
  type PodSpec,
  type Toleration,
} from '../../api/index.ts';
import { type Decoded, entriesByKey } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, item, required } from '../base/field-error.ts';
import { omit } from '../default/fill.ts';
import { each, inRange, INT32_MAX } from '../validate/checks.ts';
import { describeDifferences, isSameValue } from './differences.ts';

type Spec = Decoded<PodSpec>;

const CONTAINER_LISTS = ['containers', 'initContainers'] as const;

const ALLOWED_FIELDS = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/**
 * Validates a change of a Pod outside of subresources.
 * Source: pkg/apis/core/validation/validation.go, ValidatePodUpdate.
 */
export function validatePodUpdate(stored: Decoded<Pod>, changed: Decoded<Pod>): FieldError[] {
  const [before, after] = [stored.spec ?? {}, changed.spec ?? {}];
  const errors = validateMirrorAnnotation(stored, changed);
  for (const field of CONTAINER_LISTS) {
    const [had, has] = [before[field] ?? [], after[field] ?? []];
    if (had.length !== has.length) {
      return [...errors, forbidden(`spec.${field}`, 'pod updates may not add or remove containers')];
    }
    errors.push(...each(`spec.${field}`, has, validateImage));
  }
  const deadline = validateDeadline(before.activeDeadlineSeconds, after.activeDeadlineSeconds);
  errors.push(...deadline);
  // Upstream stops here, unless the deadline was removed.
  if (deadline.length > 0 && after.activeDeadlineSeconds !== undefined) return errors;
  return [
    ...errors,
    ...validateAddedTolerations(before.tolerations ?? [], after.tolerations ?? []),
    ...validateGates(before.schedulingGates ?? [], after.schedulingGates ?? []),
    ...validatePlacement(before, after),
    ...validateRest(before, withAllowedChangesUndone(before, after)),
  ];
}

/** Source: ValidatePodSpecificAnnotationUpdates. */
function validateMirrorAnnotation({ metadata: before }: Decoded<Pod>, { metadata: after }: Decoded<Pod>): FieldError[] {
  const [had, has] = [before?.annotations?.[MIRROR_ANNOTATION], after?.annotations?.[MIRROR_ANNOTATION]];
  if (had === has) return [];
  const what =
    had === undefined ? 'may not add mirror pod annotation' : 'may not remove or update mirror pod annotation';
  return [forbidden(`metadata.annotations[${MIRROR_ANNOTATION}]`, what)];
}

function validateImage({ image = '' }: Decoded<Container>, path: string): FieldError[] {
  if (image === '') return [required(`${path}.image`)];
  const text = 'must not have leading or trailing whitespace';
  return image.trim() === image ? [] : [invalid(`${path}.image`, image, text)];
}

/** Allows a deadline to be set for the first time, or to be shortened. */
function validateDeadline(before: number | undefined, after: number | undefined): FieldError[] {
  const path = 'spec.activeDeadlineSeconds';
  if (after === undefined) {
    return before === undefined ? [] : [invalid(path, null, 'must not update from a positive integer to nil value')];
  }
  const outside = inRange(path, after, { min: 0, max: INT32_MAX });
  if (outside.length > 0 || before === undefined || after <= before) return outside;
  return [invalid(path, after, 'must be less than or equal to previous value')];
}

/** The changed spec with all permitted changes undone: any difference that remains is not permitted. */
function withAllowedChangesUndone(before: Spec, after: Spec): Spec {
  const { activeDeadlineSeconds, tolerations, schedulingGates, terminationGracePeriodSeconds: hadGrace } = before;
  const undone = omit(after, ['activeDeadlineSeconds', 'tolerations', 'schedulingGates', ...CONTAINER_LISTS]);
  const wasNegative = hadGrace !== undefined && hadGrace < 0 && after.terminationGracePeriodSeconds === 1;
  return {
    ...undone,
    ...placementOf(before, after),
    ...(wasNegative ? { terminationGracePeriodSeconds: hadGrace } : {}),
    activeDeadlineSeconds,
    tolerations,
    schedulingGates,
    containers: withImagesOf(before.containers, after.containers),
    initContainers: withImagesOf(before.initContainers, after.initContainers),
  };
}

type Containers = Decoded<Container>[] | undefined;

function withImagesOf(before: Containers, after: Containers): Containers {
  return after?.map((container, index) => ({ ...container, image: before?.[index]?.image }));
}

function validateRest(before: Spec, after: Spec): FieldError[] {
  if (isSameValue(before, after, 'PodSpec')) return [];
  const differences = describeDifferences('spec', before, after, 'PodSpec');
  return [forbidden('spec', `pod updates may not change fields other than ${ALLOWED_FIELDS}\n${differences}`)];
}

type Tolerations = readonly Decoded<Toleration>[];

/**
 * Allows added tolerations, and changes of the seconds of existing ones.
 * Source: pkg/apis/core/validation/validation.go, validateOnlyAddedTolerations.
 */
function validateAddedTolerations(before: Tolerations, after: Tolerations): FieldError[] {
  const isThere = (old: Decoded<Toleration>): boolean =>
    after.some((toleration) => isSameValue(withoutSeconds(old), withoutSeconds(toleration), 'Toleration'));
  if (before.every(isThere)) return [];
  return [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function withoutSeconds(toleration: Decoded<Toleration>): Decoded<Toleration> {
  return omit(toleration, ['tolerationSeconds']);
}

type Gates = readonly Decoded<PodSchedulingGate>[];
type Term = Decoded<NodeSelectorTerm>;

const TERMS = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';

function validateGates(before: Gates, after: Gates): FieldError[] {
  const known = new Set(before.map(({ name }) => name));
  return after.flatMap(({ name }, index) => {
    if (known.has(name)) return [];
    const text = `only deletion is allowed, but found new scheduling gate '${name ?? ''}'`;
    return [forbidden(child(item('spec.schedulingGates', index), 'name'), text)];
  });
}

/** Validates changes of the node selector and node affinity of a Pod with scheduling gates. */
function validatePlacement(before: Spec, after: Spec): FieldError[] {
  return isGated(before) ? [...validateNodeSelector(before, after), ...validateTerms(before, after)] : [];
}

/** The old values of the fields that `validatePlacement` checks. Empty for a Pod without scheduling gates. */
function placementOf(before: Spec, after: Spec): Pick<Spec, 'nodeSelector' | 'affinity'> {
  if (!isGated(before)) return {};
  const nodeAffinity = before.affinity?.nodeAffinity;
  const others: Decoded<Affinity> = omit(after.affinity ?? {}, ['nodeAffinity']);
  const affinity = nodeAffinity === undefined ? others : { ...others, nodeAffinity };
  const isNone = before.affinity === undefined && Object.keys(affinity).length === 0;
  return { nodeSelector: before.nodeSelector, affinity: isNone ? undefined : affinity };
}

function isGated({ schedulingGates }: Spec): boolean {
  return (schedulingGates ?? []).length > 0;
}

function validateNodeSelector({ nodeSelector: before }: Spec, { nodeSelector: after }: Spec): FieldError[] {
  if (entriesByKey(before).every(([key, value]) => ownValue(after, key) === value)) return [];
  const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalid('spec.nodeSelector', after ?? {}, text)];
}

function validateTerms(before: Spec, after: Spec): FieldError[] {
  const [had, has] = [termsOf(before), termsOf(after)];
  if (had.length === 0) return [];
  if (had.length !== has.length) {
    return [invalid(TERMS, has, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  }
  return has.flatMap((term, index) => {
    if (isExtended(had[index] ?? {}, term)) return [];
    return [invalid(item(TERMS, index), term, 'only additions are allowed (no mutations or deletions)')];
  });
}

function termsOf({ affinity }: Spec): readonly Term[] {
  return affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}

/** True when requirements were added to a term. A term without requirements matches no node, and must stay empty. */
function isExtended(before: Term, after: Term): boolean {
  const lists = (['matchExpressions', 'matchFields'] as const).map((field) => [
    before[field] ?? [],
    after[field] ?? [],
  ]);
  if (lists.every(([had]) => had?.length === 0)) return lists.every(([, has]) => has?.length === 0);
  return lists.every(([had = [], has = []]) => isSameValue(had, has.slice(0, had.length), '[]NodeSelectorRequirement'));
}
