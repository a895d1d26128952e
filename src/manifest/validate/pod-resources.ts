import {
  aggregateContainerResources,
  compareQuantities,
  formatQuantity,
  isHugePages,
  labelMessages,
  ownValue,
  type ParsedResources,
  parseQuantity,
  type PodResourceClaim,
  type PodSpec,
  type ResourceRequirements,
  subdomainMessages,
} from '../../api/index.ts';
import { entriesByKey, type Decoded } from '../base/decoded.ts';
import {
  child,
  duplicate,
  entry,
  type FieldError,
  forbidden,
  type GoShape,
  inGo,
  invalid,
  item,
  required,
} from '../base/field-error.ts';
import { each, wellFormed } from './checks.ts';
import { validatePodResourceName } from './resource-names.ts';
import { validateRequirements } from './resources.ts';

type Requirements = Decoded<ResourceRequirements>;

/** Validates the Pod's own resources. Source: pkg/apis/core/validation/validation.go, validatePodResources. */
export function validatePodResources(
  path: string,
  spec: Decoded<PodSpec>,
  claimNames: ReadonlySet<string>,
): FieldError[] {
  const { resources } = spec;
  if (resources === undefined) return [];
  const claimsText = 'claims may not be set for Resources at pod-level';
  const claims = resources.claims === undefined ? [] : [forbidden(child(path, 'claims'), claimsText)];
  const requests = aggregateContainerResources(spec, 'requests');
  const pages = [...aggregateContainerResources(spec, 'limits')].filter(([name]) => isHugePages(name));
  return [
    ...claims,
    ...validateRequirements(path, resources, validatePodResourceName, claimNames),
    ...coversContainers(path, resources, 'requests', requests),
    ...coversContainers(path, resources, 'limits', new Map(pages)),
    ...coversEachContainer(path, resources, spec),
  ];
}

/** Requires the Pod's resources to be at least the sum of its containers'. */
function coversContainers(
  path: string,
  resources: Requirements,
  kind: 'requests' | 'limits',
  together: ParsedResources,
): FieldError[] {
  return [...together]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, sum]) => {
      const whole = ownValue(resources[kind], name);
      if (whole === undefined || compareQuantities(sum, parseQuantity(whole)) <= 0) return [];
      const text = `must be greater than or equal to aggregate container ${kind} of ${formatQuantity(sum)}`;
      return [invalid(entry(child(path, kind), name), formatQuantity(parseQuantity(whole)), text)];
    });
}

/** Requires the Pod's limits to be at least the limits of each container. The path is upstream's. */
function coversEachContainer(path: string, resources: Requirements, spec: Decoded<PodSpec>): FieldError[] {
  return (spec.containers ?? []).flatMap((container, index) =>
    entriesByKey(container.resources?.limits).flatMap(([name, text]) => {
      const whole = ownValue(resources.limits, name);
      const limit = parseQuantity(text);
      if (whole === undefined || compareQuantities(limit, parseQuantity(whole)) <= 0) return [];
      const at = child(entry(item(child(path, 'containers'), index), name), 'limits');
      const detail = `must be less than or equal to pod limits of ${formatQuantity(parseQuantity(whole))}`;
      return [invalid(at, formatQuantity(limit), detail)];
    }),
  );
}

/** Validates the devices that a Pod claims. */
export function validatePodClaims(path: string, claims: readonly Decoded<PodResourceClaim>[]): FieldError[] {
  const names = new Set<string>();
  return each(path, claims, (claim, at) => [
    ...validateClaimName(child(at, 'name'), claim.name ?? '', names),
    ...validateClaimSource(at, claim),
  ]);
}

function validateClaimName(path: string, name: string, names: Set<string>): FieldError[] {
  if (!name) return [required(path)];
  if (names.has(name)) return [duplicate(path, name)];
  names.add(name);
  return wellFormed(path, name, labelMessages);
}

/** Source: pkg/apis/core/types.go, PodResourceClaim. */
const CLAIM: GoShape = {
  Name: ['name', ''],
  ResourceClaimName: ['resourceClaimName', null],
  ResourceClaimTemplateName: ['resourceClaimTemplateName', null],
};

function validateClaimSource(path: string, claim: Decoded<PodResourceClaim>): FieldError[] {
  const { resourceClaimName: name, resourceClaimTemplateName: template } = claim;
  const errors: FieldError[] = [];
  if (name !== undefined && template !== undefined) {
    const text = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    errors.push(invalid(path, inGo(claim, CLAIM), text));
  }
  if (name === undefined && template === undefined) {
    const text = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
    errors.push(invalid(path, inGo(claim, CLAIM), text));
  }
  return [
    ...errors,
    ...(name === undefined ? [] : wellFormed(child(path, 'resourceClaimName'), name, subdomainMessages)),
    ...(template === undefined
      ? []
      : wellFormed(child(path, 'resourceClaimTemplateName'), template, subdomainMessages)),
  ];
}
