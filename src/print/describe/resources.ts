import { canonicalQuantity, type ResourceRequirements } from '../../api/index.ts';
import { sortedEntries } from '../text/labels.ts';
import { line } from './line.ts';

/** The blocks `Limits:` and `Requests:`, if not empty, with canonical quantities (`1024Mi` is `1Gi`). */
export function describeResources(resources: ResourceRequirements | undefined, level: number): string[] {
  return [...describeList('Limits', resources?.limits, level), ...describeList('Requests', resources?.requests, level)];
}

function describeList(title: string, list: Readonly<Record<string, string>> | undefined, level: number): string[] {
  const entries = sortedEntries(list);
  if (entries.length === 0) return [];
  return [
    line(level, `${title}:`),
    ...entries.map(([name, quantity]) => line(level + 1, `${name}:`, canonicalQuantity(quantity))),
  ];
}
