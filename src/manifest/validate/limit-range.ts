import {
  compareQuantities,
  formatQuantity,
  isOvercommittable,
  type LimitRange,
  type LimitRangeItem,
  ownValue,
  parseQuantity,
  qualifiedNameMessages,
} from '../../api/index.ts';
import { entriesByKey, type Decoded } from '../base/decoded.ts';
import { child, duplicate, entry, type FieldError, forbidden, invalid, required } from '../base/field-error.ts';
import { each, wellFormed } from './checks.ts';
import { validateContainerResourceName, validateResourceName } from './resource-names.ts';

/** Rules of LimitRanges. Source: pkg/apis/core/validation/validation.go, ValidateLimitRange. */

type Item = Decoded<LimitRangeItem>;
type LimitBound = 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio';

const BOUNDS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
const TYPES: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);

interface Order {
  readonly low: LimitBound;
  readonly high: LimitBound;
  /** The bound in the path of the error. */
  readonly at: LimitBound;
  /** The bound whose value the error shows. */
  readonly reported: LimitBound;
  readonly words: string;
}

const order = (low: LimitBound, high: LimitBound, at: LimitBound, reported: LimitBound, words: string): Order => {
  return { low, high, at, reported, words };
};

/** Orders that must hold: the first bound may not be greater than the second. */
const ORDERS: readonly Order[] = [
  order('min', 'max', 'min', 'min', 'min value < max value'),
  order('min', 'defaultRequest', 'defaultRequest', 'defaultRequest', 'min value < default request value'),
  order('defaultRequest', 'max', 'defaultRequest', 'defaultRequest', 'default request value < max value'),
  order('defaultRequest', 'default', 'defaultRequest', 'defaultRequest', 'default request value < default limit value'),
  order('min', 'default', 'default', 'min', 'min value < default value'),
  order('default', 'max', 'default', 'max', 'default value < max value'),
];

export function validateLimitRange({ spec }: Decoded<LimitRange>): FieldError[] {
  const items = spec?.limits ?? [];
  return each('spec.limits', items, (limit, at, index) => {
    const { type = '' } = limit;
    const isRepeated = items.findIndex((other) => (other.type ?? '') === type) < index;
    return [
      ...validateType(child(at, 'type'), type),
      ...(isRepeated ? [duplicate(child(at, 'type'), type)] : []),
      ...validateBounds(at, limit),
    ];
  });
}

function validateType(path: string, type: string): FieldError[] {
  const errors = wellFormed(path, type, qualifiedNameMessages);
  if (errors.length > 0 || type.includes('/') || TYPES.has(type)) return errors;
  return [invalid(path, type, 'must be a standard limit type or fully qualified')];
}

function validateBounds(at: string, limit: Item): FieldError[] {
  const { type = '' } = limit;
  const checkName = type === 'Pod' || type === 'Container' ? validateContainerResourceName : validateResourceName;
  const named = BOUNDS.flatMap((bound) => {
    const values = entriesByKey(limit[bound]);
    const path = child(at, bound);
    if (type !== 'Pod' || !bound.startsWith('default'))
      return values.flatMap(([name]) => checkName(entry(path, name), name));
    return values.length > 0 ? [forbidden(path, "may not be specified when `type` is 'Pod'")] : [];
  });
  const needsStorage =
    type === 'PersistentVolumeClaim' && limit.min?.['storage'] === undefined && limit.max?.['storage'] === undefined;
  const storageText = 'either minimum or maximum storage value is required, but neither was provided';
  const names = new Set(BOUNDS.flatMap((bound) => entriesByKey(limit[bound]).map(([name]) => name)));
  return [
    ...named,
    ...(needsStorage ? [required(child(at, 'limits'), storageText)] : []),
    ...[...names]
      .sort()
      .flatMap((name) => [
        ...ORDERS.flatMap((rule) => validateOrder(at, limit, name, rule)),
        ...validateRatio(at, limit, name),
        ...validateFirm(at, limit, name),
      ]),
  ];
}

function validateOrder(at: string, limit: Item, name: string, rule: Order): FieldError[] {
  const low = ownValue(limit[rule.low], name);
  const high = ownValue(limit[rule.high], name);
  if (low === undefined || high === undefined) return [];
  if (compareQuantities(parseQuantity(low), parseQuantity(high)) <= 0) return [];
  const [lowWords, highWords] = rule.words.split(' < ');
  const text = `${lowWords} ${low} is greater than ${highWords} ${high}`;
  return [invalid(entry(child(at, rule.at), name), ownValue(limit[rule.reported], name), text)];
}

/** The greatest ratio of a limit to its request is at least 1, and at most the ratio of the maximum to the minimum. */
function validateRatio(at: string, limit: Item, name: string): FieldError[] {
  const text = ownValue(limit.maxLimitRequestRatio, name);
  if (text === undefined) return [];
  const path = entry(child(at, 'maxLimitRequestRatio'), name);
  const ratio = Number(parseQuantity(text).nano) / 1e9;
  const reported = formatQuantity(parseQuantity(text));
  const errors = ratio < 1 ? [invalid(path, reported, `ratio ${reported} is less than 1`)] : [];
  const [min, max] = [ownValue(limit.min, name), ownValue(limit.max, name)];
  if (min === undefined || max === undefined) return errors;
  const highest = Number(parseQuantity(max).nano) / Number(parseQuantity(min).nano);
  if (!(ratio > highest)) return errors;
  return [...errors, invalid(path, reported, `ratio ${reported} is greater than max/min = ${highest.toFixed(6)}`)];
}

/** Requests of devices and huge pages are equal to their limits. */
function validateFirm(at: string, limit: Item, name: string): FieldError[] {
  const [request, whole] = [ownValue(limit.defaultRequest, name), ownValue(limit.default, name)];
  if (isOvercommittable(name) || request === undefined || whole === undefined) return [];
  if (compareQuantities(parseQuantity(request), parseQuantity(whole)) === 0) return [];
  const text = `default value ${whole} must equal to defaultRequest value ${request} in ${name}`;
  return [invalid(entry(child(at, 'defaultRequest'), name), request, text)];
}
