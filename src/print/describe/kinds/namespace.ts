import type { Namespace } from '../../../api/generated/types.ts';
import type { StoredKubeObject } from '../../../api/objects.ts';
import { line } from '../line.ts';
import { describeAnnotations, describeLabels } from '../metadata.ts';
import { describeLimitRangesOf, describeQuotasOf, type StoredLimitRange, type StoredQuota } from './quotas.ts';

/** The objects in a namespace that limit others. */
interface LimitsInside {
  readonly quotas: readonly StoredQuota[];
  readonly limits: readonly StoredLimitRange[];
}

/** The lines of `describe` about a namespace. */
export function describeNamespace(
  { metadata, status }: StoredKubeObject & Namespace,
  { quotas, limits }: LimitsInside,
): string[] {
  return [
    line(0, 'Name:', metadata.name),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'Status:', status?.phase ?? 'Active'),
    '',
    ...describeQuotasOf(quotas),
    '',
    ...describeLimitRangesOf(limits),
  ];
}
