import type {
  KubeObject,
  ResourceDeviceClass,
  ResourceDeviceSelector,
  ResourceResourceClaim,
  ResourceResourceClaimTemplate,
} from '../../api/index.ts';
import { type FieldError, invalid } from '../../manifest/index.ts';
import { checkExpression } from '../custom/cel/check/check-expression.ts';
import { BOOL, type CelType, DYN, STRING } from '../custom/cel/check/types.ts';
import { admissionEnvironment } from './expressions.ts';

/** The group of devices. */
export const DEVICES = 'resource.k8s.io';

/** A device as selectors see it: attributes and capacities are of any type. */
const DEVICE: CelType = {
  kind: 'object',
  name: 'kubernetes.DRADevice',
  fields: new Map([
    ['allowMultipleAllocations', BOOL],
    ['attributes', DYN],
    ['capacity', DYN],
    ['driver', STRING],
  ]),
};

type Selectors = readonly (readonly [at: string, selectors: readonly ResourceDeviceSelector[] | undefined])[];

/**
 * The mistakes in the expressions with which a DeviceClass, or a claim, selects devices.
 * Source: pkg/apis/resource/validation/validation.go, validateCELSelector; dynamic-resource-allocation/cel/compile.go.
 */
export function deviceSelectorErrors(object: KubeObject): FieldError[] {
  return selectorsOf(object).flatMap(([at, selectors = []]) =>
    selectors.flatMap(({ cel }, index) => {
      const expression = cel?.expression ?? '';
      return expression === '' ? [] : expressionErrors(expression, `${at}.selectors[${index}].cel.expression`);
    }),
  );
}

function selectorsOf(object: KubeObject): Selectors {
  const { kind } = object;
  if (kind === 'DeviceClass') return [['spec', (object as Partial<ResourceDeviceClass>).spec?.selectors]];
  if (kind === 'ResourceClaim') return inClaim('spec', (object as Partial<ResourceResourceClaim>).spec);
  if (kind !== 'ResourceClaimTemplate') return [];
  return inClaim('spec.spec', (object as Partial<ResourceResourceClaimTemplate>).spec?.spec);
}

function inClaim(at: string, spec: ResourceResourceClaim['spec'] | undefined): Selectors {
  return (spec?.devices?.requests ?? []).flatMap(({ exactly, firstAvailable = [] }, index) => {
    const path = `${at}.devices.requests[${index}]`;
    const subrequests = firstAvailable.map(
      ({ selectors }, sub) => [`${path}.firstAvailable[${sub}]`, selectors] as const,
    );
    return [[`${path}.exactly`, exactly?.selectors] as const, ...subrequests];
  });
}

function expressionErrors(text: string, at: string): FieldError[] {
  const checked = checkExpression(admissionEnvironment(), text, new Map([['device', DEVICE]]));
  if ('error' in checked) return [invalid(at, text, `compilation failed: ${checked.error}`)];
  const { name } = checked.type;
  if (name === 'bool' || name === 'dyn') return [];
  return [invalid(at, text, `must evaluate to bool or the unknown type, not ${name}`)];
}
