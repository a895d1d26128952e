import {
  compareQuantities,
  type ContainerResizePolicy,
  formatQuantity,
  isHugePages,
  isOvercommittable,
  labelMessages,
  ownValue,
  type ParsedQuantity,
  parseQuantity,
  quantityValue,
  type ResourceClaim,
  type ResourceRequirements,
} from '../../api/index.ts';
import { entriesByKey } from '../base/decoded.ts';
import type { Decoded } from '../base/decoded.ts';
import {
  child,
  duplicate,
  entry,
  type FieldError,
  forbidden,
  invalid,
  item,
  notFound,
  required,
} from '../base/field-error.ts';
import { each, NEGATIVE_MESSAGE, requiredOneOf } from './checks.ts';
import { isIntegerResource } from './resource-names.ts';

type NameCheck = (path: string, name: string) => FieldError[];

const RESIZE_RESOURCES: readonly string[] = ['cpu', 'memory'];
const RESIZE_POLICIES: readonly string[] = ['NotRequired', 'RestartContainer'];
const UNIT_NANO = 1_000_000_000n;

/**
 * Validates limits, requests and claims of a container or of a Pod as a whole.
 * Source: pkg/apis/core/validation/validation.go, validateResourceRequirements.
 */
export function validateRequirements(
  path: string,
  resources: Decoded<ResourceRequirements>,
  checkName: NameCheck,
  claimNames: ReadonlySet<string>,
): FieldError[] {
  const limits = entriesByKey(resources.limits);
  const requests = entriesByKey(resources.requests);
  const errors = [
    ...limits.flatMap(([name, text]) => validateQuantity(entry(child(path, 'limits'), name), name, text, checkName)),
    ...requests.flatMap(([name, text]) => [
      ...validateQuantity(entry(child(path, 'requests'), name), name, text, checkName),
      ...validateRequestAgainstLimit(path, name, text, ownValue(resources.limits, name)),
    ]),
  ];
  const names = [...limits, ...requests].map(([name]) => name);
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    errors.push(forbidden(path, 'HugePages require cpu or memory'));
  }
  return [...errors, ...validateClaims(child(path, 'claims'), resources.claims ?? [], claimNames)];
}

function validateQuantity(path: string, name: string, text: string, checkName: NameCheck): FieldError[] {
  const quantity = parseQuantity(text);
  const value = formatQuantity(quantity);
  const errors = checkName(path, name);
  if (quantity.nano < 0n) errors.push(invalid(path, value, NEGATIVE_MESSAGE));
  if (isIntegerResource(name) && quantity.nano % UNIT_NANO !== 0n) {
    errors.push(invalid(path, value, 'must be an integer'));
  }
  if (isHugePages(name) && !isWholePages(name, quantity)) {
    errors.push(invalid(path, value, `${value} is not positive integer multiple of ${name}`));
  }
  return errors;
}

/** True when the quantity is a whole number of pages: `hugepages-2Mi` are pages of 2Mi. */
function isWholePages(name: string, quantity: ParsedQuantity): boolean {
  try {
    const pageBytes = quantityValue(parseQuantity(name.slice('hugepages-'.length)));
    return pageBytes > 0n && quantityValue(quantity) % pageBytes === 0n;
  } catch {
    return false;
  }
}

/** Requires equal requests and limits of devices and huge pages. Reports both mistakes at `requests`. */
function validateRequestAgainstLimit(
  path: string,
  name: string,
  requestText: string,
  limitText: string | undefined,
): FieldError[] {
  const isFirm = !isOvercommittable(name);
  if (limitText === undefined) {
    return isFirm ? [required(child(path, 'limits'), 'Limit must be set for non overcommitable resources')] : [];
  }
  const request = parseQuantity(requestText);
  const limit = parseQuantity(limitText);
  const order = compareQuantities(request, limit);
  if (order === 0 || (order < 0 && !isFirm)) return [];
  const relation = isFirm ? 'equal to' : 'less than or equal to';
  const detail = `must be ${relation} ${name} limit of ${formatQuantity(limit)}`;
  return [invalid(child(path, 'requests'), formatQuantity(request), detail)];
}

function validateClaims(
  path: string,
  claims: readonly Decoded<ResourceClaim>[],
  podClaims: ReadonlySet<string>,
): FieldError[] {
  const seen = new Set<string>();
  const inParts = new Set<string>();
  return each(path, claims, ({ name, request }, at) => {
    if (!name) return [required(at)];
    const errors = request ? labelMessages(request).map((text) => invalid(child(at, 'request'), request, text)) : [];
    const full = request ? `${name}/${request}` : name;
    const overlaps = seen.has(name) || seen.has(full) || (!request && inParts.has(name));
    if (overlaps) errors.push(duplicate(at, seen.has(name) ? name : full));
    seen.add(full);
    if (request) inParts.add(name);
    return podClaims.has(name) ? errors : [...errors, notFound(at, name, unknownClaimText(podClaims))];
  });
}

function unknownClaimText(podClaims: ReadonlySet<string>): string {
  const known = podClaims.size === 0 ? ' which is empty' : `: ${[...podClaims].sort().join(', ')}`;
  return `must be one of the names in pod.spec.resourceClaims${known}`;
}

/** Validates the resize policy. Reports mistakes at the list, as upstream, except for duplicates. */
export function validateResizePolicy(
  path: string,
  policies: readonly Decoded<ContainerResizePolicy>[],
  podRestartPolicy: string | undefined,
): FieldError[] {
  const seen = new Set<string>();
  return policies.flatMap(({ resourceName = '', restartPolicy = '' }, index) => {
    const errors = seen.has(resourceName) ? [duplicate(item(path, index), resourceName)] : [];
    seen.add(resourceName);
    errors.push(
      ...requiredOneOf(path, resourceName, RESIZE_RESOURCES),
      ...requiredOneOf(path, restartPolicy, RESIZE_POLICIES),
    );
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
    return errors;
  });
}
