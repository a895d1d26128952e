import type { LimitRange, LimitRangeItem, PriorityClass, ResourceQuota, RuntimeClass } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent } from './fill.ts';
import { canonicalResourceList } from './resources.ts';

/** Defaults of a LimitRange: of its items for containers. Source: pkg/apis/core/v1/defaults.go. */
export function defaultLimitRange(range: Decoded<LimitRange>): Decoded<LimitRange> {
  return changeFields(range, {
    spec: (spec) => changeFields(spec, { limits: (items) => items.map(canonicalItem).map(defaultItem) }),
  });
}

function canonicalItem(item: Decoded<LimitRangeItem>): Decoded<LimitRangeItem> {
  return changeFields(item, {
    max: canonicalResourceList,
    min: canonicalResourceList,
    default: canonicalResourceList,
    defaultRequest: canonicalResourceList,
    maxLimitRequestRatio: canonicalResourceList,
  });
}

/** The limit is at most the maximum; the request is the limit, or else the minimum. */
function defaultItem(item: Decoded<LimitRangeItem>): Decoded<LimitRangeItem> {
  if (item.type !== 'Container') return item;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(requests).length === 0) return item;
  return { ...item, ...(Object.keys(limits).length > 0 ? { default: limits } : {}), defaultRequest: requests };
}

/** Writes the quantities of a ResourceQuota in canonical form. */
export function defaultResourceQuota(quota: Decoded<ResourceQuota>): Decoded<ResourceQuota> {
  return changeFields(quota, { spec: (spec) => changeFields(spec, { hard: canonicalResourceList }) });
}

/** Source: pkg/apis/scheduling/v1/defaults.go. */
export function defaultPriorityClass(priority: Decoded<PriorityClass>): Decoded<PriorityClass> {
  return fillAbsent(priority, { preemptionPolicy: 'PreemptLowerPriority' });
}

/** Writes the quantities of a RuntimeClass in canonical form. */
export function defaultRuntimeClass(runtimeClass: Decoded<RuntimeClass>): Decoded<RuntimeClass> {
  return changeFields(runtimeClass, {
    overhead: (overhead) => changeFields(overhead, { podFixed: canonicalResourceList }),
  });
}
