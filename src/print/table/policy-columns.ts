import {
  canonicalQuantity,
  type PodDisruptionBudget,
  type PodTemplate,
  type PriorityClass,
  type ResourceQuota,
  type RuntimeClass,
} from '../../api/index.ts';
import { labelText, sortedEntries } from '../text/labels.ts';
import { AGE, containerColumns, NAME } from './common-columns.ts';
import type { Column, TableObject } from './table-printer.ts';

const BUDGET: readonly Column<TableObject & PodDisruptionBudget>[] = [
  NAME,
  { heading: 'MIN AVAILABLE', cell: ({ spec }) => String(spec?.minAvailable ?? 'N/A') },
  { heading: 'MAX UNAVAILABLE', cell: ({ spec }) => String(spec?.maxUnavailable ?? 'N/A') },
  {
    heading: 'ALLOWED DISRUPTIONS',
    type: 'integer',
    isRaw: true,
    cell: ({ status }) => String(status?.disruptionsAllowed ?? 0),
  },
  AGE,
];

const PRIORITY_CLASS: readonly Column<TableObject & PriorityClass>[] = [
  NAME,
  { heading: 'VALUE', type: 'integer', isRaw: true, cell: ({ value }) => String(value ?? 0) },
  {
    heading: 'GLOBAL-DEFAULT',
    type: 'boolean',
    isRaw: true,
    cell: ({ globalDefault }) => String(globalDefault ?? false),
  },
  AGE,
  { heading: 'PREEMPTIONPOLICY', cell: ({ preemptionPolicy }) => preemptionPolicy ?? '' },
];

const RUNTIME_CLASS: readonly Column<TableObject & RuntimeClass>[] = [
  NAME,
  { heading: 'HANDLER', cell: ({ handler }) => handler },
  AGE,
];

const RESOURCE_QUOTA: readonly Column<TableObject & ResourceQuota>[] = [
  NAME,
  { heading: 'REQUEST', cell: (quota) => amounts(quota, (resource) => !isLimit(resource)) },
  { heading: 'LIMIT', cell: (quota) => amounts(quota, isLimit) },
  AGE,
];

function isLimit(resource: string): boolean {
  return resource.startsWith('limits.');
}

/** The used and the permitted amount of resources: `pods: 1/10, requests.cpu: 100m/2`. */
function amounts({ status }: ResourceQuota, isShown: (resource: string) => boolean): string {
  const limits = sortedEntries(status?.hard).filter(([resource]) => isShown(resource));
  const texts = limits.map(([resource, hard]) => {
    const used = canonicalQuantity(status?.used?.[resource] ?? '0');
    return `${resource}: ${used}/${canonicalQuantity(hard)}`;
  });
  return texts.join(', ');
}

const POD_TEMPLATE: readonly Column<TableObject & PodTemplate>[] = [
  NAME,
  ...containerColumns<TableObject & PodTemplate>(({ template }) => template?.spec?.containers).map((column) => ({
    ...column,
    wide: false,
  })),
  { heading: 'POD LABELS', cell: ({ template }) => labelText(template?.metadata?.labels) },
];

/**
 * The columns of templates, quotas, limits and disruption budgets. Source: pkg/printers/internalversion/printers.go.
 */
export const POLICY_COLUMNS: Readonly<Record<string, readonly Column<never>[]>> = {
  poddisruptionbudgets: BUDGET,
  priorityclasses: PRIORITY_CLASS,
  runtimeclasses: RUNTIME_CLASS,
  resourcequotas: RESOURCE_QUOTA,
  podtemplates: POD_TEMPLATE,
};
