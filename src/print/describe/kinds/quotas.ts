import {
  canonicalQuantity,
  compareText,
  type LimitRange,
  type LimitRangeItem,
  type ResourceQuota,
  type StoredKubeObject,
} from '../../../api/index.ts';
import { sortedEntries } from '../../text/labels.ts';
import { line } from '../lines.ts';

export type StoredQuota = StoredKubeObject & ResourceQuota;
export type StoredLimitRange = StoredKubeObject & LimitRange;

/** The lines of `describe` about a ResourceQuota. */
export function describeQuota(quota: StoredQuota): string[] {
  return [
    line(0, 'Name:', quota.metadata.name),
    line(0, 'Namespace:', quota.metadata.namespace),
    ...describeScopes(quota, 0, ' * '),
    line(0, 'Resource', 'Used', 'Hard'),
    line(0, '--------', '----', '----'),
    ...describeAmounts(quota, 0),
  ];
}

/** The lines about the ResourceQuotas of a namespace. */
export function describeQuotasOf(quotas: readonly StoredQuota[]): string[] {
  if (quotas.length === 0) return ['No resource quota.'];
  return [
    'Resource Quotas',
    ...quotas.flatMap((quota) => [
      line(1, 'Name:', quota.metadata.name),
      ...describeScopes(quota, 1, '* '),
      line(1, 'Resource', 'Used', 'Hard'),
      line(1, '--------', '---', '---'),
      ...describeAmounts(quota, 1),
    ]),
  ];
}

/** kubectl's sentences about the scopes of a quota. */
const SCOPES: Readonly<Record<string, string>> = {
  Terminating:
    'Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being ' +
    'actively terminated by the system.',
  NotTerminating:
    'Matches all pods that do not have an active deadline. These pods usually include long running pods whose ' +
    'container command is not expected to terminate.',
  BestEffort:
    'Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.',
  NotBestEffort:
    'Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed ' +
    'quality of service.',
};

function describeScopes({ spec }: ResourceQuota, level: number, mark: string): string[] {
  const scopes = (spec?.scopes ?? []).toSorted(compareText);
  if (scopes.length === 0) return [];
  const texts = scopes.flatMap((scope) => SCOPES[scope] ?? []);
  return [line(level, 'Scopes:', scopes.join(', ')), ...texts.map((text) => line(level, mark + text))];
}

function describeAmounts({ status }: ResourceQuota, level: number): string[] {
  return sortedEntries(status?.hard).map(([resource, hard]) => {
    const used = status?.used?.[resource] ?? '0';
    return line(level, resource, canonicalQuantity(used), canonicalQuantity(hard));
  });
}

const HEADINGS = ['Type', 'Resource', 'Min', 'Max', 'Default Request', 'Default Limit', 'Max Limit/Request Ratio'];
const RULER = ['----', '--------', '---', '---', '---------------', '-------------', '-----------------------'];

/** The lines of `describe` about a LimitRange. */
export function describeLimitRange({ metadata, spec }: StoredLimitRange): string[] {
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    line(0, ...HEADINGS),
    line(0, ...RULER),
    ...(spec?.limits ?? []).flatMap(describeLimits),
  ];
}

/** The lines about the LimitRanges of a namespace. */
export function describeLimitRangesOf(ranges: readonly StoredLimitRange[]): string[] {
  if (ranges.length === 0) return ['No LimitRange resource.'];
  const limits = ranges.flatMap(({ spec }) => spec?.limits ?? []);
  const rows = [line(0, ...HEADINGS), line(0, ...RULER), ...limits.flatMap(describeLimits)];
  return ['Resource Limits', ...rows.map((row) => ` ${row}`)];
}

function describeLimits({ type, ...limits }: LimitRangeItem): string[] {
  const { min, max, defaultRequest, default: defaultLimit, maxLimitRequestRatio } = limits;
  const lists = [min, max, defaultRequest, defaultLimit, maxLimitRequestRatio];
  const resources = new Set(lists.flatMap((list) => Object.keys(list ?? {})));
  return [...resources].toSorted(compareText).map((resource) => {
    const cells = lists.map((list) => {
      const amount = list?.[resource];
      return amount === undefined ? '-' : canonicalQuantity(amount);
    });
    return line(0, type, resource, ...cells);
  });
}
