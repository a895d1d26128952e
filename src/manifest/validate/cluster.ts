import {
  canonicalIp,
  type CoordinationLease,
  type IPAddress,
  isSameJson,
  labelMessages,
  labelValueMessages,
  type Namespace,
  type Node,
  type ParentReference,
  pathSegmentMessages,
  qualifiedNameMessages,
  type RuntimeClass,
  type ServiceCIDR,
  subdomainMessages,
  type Taint,
  type Toleration,
} from '../../api/index.ts';
import { type Decoded, entriesByKey } from '../base/decoded.ts';
import {
  child,
  duplicate,
  type FieldError,
  type GoShape,
  inGo,
  invalid,
  item,
  notSupported,
  required,
} from '../base/field-error.ts';
import { podSecurityMistakes } from '../base/pod-security-labels.ts';
import {
  each,
  notNegative,
  requiredText,
  requiredWellFormed,
  validateNotNegativeQuantity,
  wellFormed,
  wellFormedIfSet,
} from './checks.ts';
import { ipFamily, validateCanonicalCidr, validateIp } from './ip.ts';
import { validateLabels } from './labels.ts';
import { validateOverhead } from './pod.ts';
import { validateTolerations } from './scheduling.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const TAINT: GoShape = {
  Key: ['key', ''],
  Value: ['value', ''],
  Effect: ['effect', ''],
  TimeAdded: ['timeAdded', null],
};

/** Source: pkg/apis/core/validation/validation.go, ValidateNode. The path of taints is the server's own. */
export function validateNode({ spec = {}, status = {} }: Decoded<Node>): FieldError[] {
  return [
    ...validateTaints('metadata.taints', spec.taints ?? []),
    ...(['capacity', 'allocatable'] as const).flatMap((field) =>
      entriesByKey(status[field]).flatMap(([name, text]) =>
        validateNotNegativeQuantity(child('status', field, name), text),
      ),
    ),
  ];
}

function validateTaints(path: string, taints: readonly Decoded<Taint>[]): FieldError[] {
  const keyOf = ({ key = '', effect = '' }: Decoded<Taint>): string => `${key}:${effect}`;
  const seen = new Set<string>();
  return each(path, taints, (taint, at) => {
    const { key = '', value = '', effect = '' } = taint;
    const isTaken = seen.has(keyOf(taint));
    seen.add(keyOf(taint));
    const twice = duplicate(at, inGo(taint, TAINT));
    return [
      ...wellFormed(child(at, 'key'), key, qualifiedNameMessages),
      ...wellFormed(child(at, 'value'), value, labelValueMessages),
      ...(effect === '' ? [required(child(at, 'effect'))] : []),
      ...(effect === '' || EFFECTS.includes(effect) ? [] : [notSupported(child(at, 'effect'), effect, EFFECTS)]),
      ...(isTaken ? [{ ...twice, detail: 'taints must be unique by key and effect pair' }] : []),
    ];
  });
}

/** Source: pkg/apis/core/validation/validation.go, ValidateNamespace; and the admission of Pod Security. */
export function validateNamespace({ metadata, spec = {} }: Decoded<Namespace>): FieldError[] {
  const at = 'spec.finalizers';
  return [
    ...(spec.finalizers ?? []).flatMap((finalizer) => [
      ...wellFormed(at, finalizer, qualifiedNameMessages),
      ...(finalizer.includes('/') || finalizer === 'kubernetes'
        ? []
        : [invalid(at, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')]),
    ]),
    ...podSecurityMistakes(metadata?.labels),
  ];
}

/** Source: pkg/apis/node/validation/validation.go, ValidateRuntimeClass. */
export function validateRuntimeClass({ handler, overhead, scheduling }: Decoded<RuntimeClass>): FieldError[] {
  return [
    ...requiredWellFormed('handler', handler, labelMessages),
    ...(overhead === undefined ? [] : validateOverhead('overhead', overhead.podFixed ?? {})),
    ...validateLabels('scheduling.nodeSelector', scheduling?.nodeSelector),
    ...validateClassTolerations(scheduling?.tolerations ?? []),
  ];
}

/** Each toleration is well formed, and no toleration occurs twice. Source: validateTolerations of the same file. */
function validateClassTolerations(tolerations: readonly Decoded<Toleration>[]): FieldError[] {
  const path = 'scheduling.tolerations';
  const repeated = tolerations.flatMap((toleration, index) =>
    tolerations.slice(0, index).some((before) => isSameJson(before, toleration))
      ? [duplicate(item(path, index), toleration)]
      : [],
  );
  return [...validateTolerations(path, tolerations), ...repeated];
}

/** The ranges of the addresses of Services, and the addresses. Source: pkg/apis/networking/validation/validation.go. */

/** The mistakes of the name of an IPAddress. Source: ValidateIPAddressName. */
export function ipNameMessages(name: string): string[] {
  const errors = validateIp('', name).map(({ detail }) => detail);
  if (errors.length > 0 || canonicalIp(name) === name) return errors;
  return [`must be in canonical form ("${canonicalIp(name)}")`];
}

/** Source: ValidateIPAddress. */
export function validateIPAddress({ spec = {} }: Decoded<IPAddress>): FieldError[] {
  return spec.parentRef === undefined ? [required('spec.parentRef')] : validateParent('spec.parentRef', spec.parentRef);
}

/** The group of Services is the empty text. Source: validateIPAddressParentReference. */
function validateParent(
  at: string,
  { group, resource = '', name = '', namespace }: Decoded<ParentReference>,
): FieldError[] {
  const segment = (field: string, text: string): FieldError[] =>
    text === '' ? requiredText(child(at, field), text) : wellFormed(child(at, field), text, pathSegmentMessages);
  return [
    ...wellFormedIfSet(child(at, 'group'), group, subdomainMessages),
    ...segment('resource', resource),
    ...segment('name', name),
    ...wellFormedIfSet(child(at, 'namespace'), namespace, pathSegmentMessages),
  ];
}

const RANGES_MAX = 2;
const FAMILIES = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';

/** Source: ValidateServiceCIDR. */
export function validateServiceCIDR({ spec = {} }: Decoded<ServiceCIDR>): FieldError[] {
  const at = 'spec.cidrs';
  const { cidrs = [] } = spec;
  if (cidrs.length === 0) return [required(at, 'at least one CIDR required')];
  if (cidrs.length > RANGES_MAX) return [invalid(at, { CIDRs: cidrs }, `may only hold up to ${RANGES_MAX} values`)];
  const families = new Set(cidrs.map((cidr) => ipFamily(cidr.split('/')[0] ?? '')));
  if (families.size < cidrs.length) return [invalid(at, { CIDRs: cidrs }, FAMILIES)];
  return each(at, cidrs, (cidr, path) => validateCanonicalCidr(path, cidr));
}

/** Source: pkg/apis/coordination/validation/validation.go, ValidateLease. */
export function validateLease({ spec = {} }: Decoded<CoordinationLease>): FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions } = spec;
  const isPositive = seconds === undefined || seconds > 0;
  return [
    ...(isPositive ? [] : [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]),
    ...notNegative('spec.leaseTransitions', leaseTransitions),
  ];
}
