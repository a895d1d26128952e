import type { NamespaceCondition, StoredKubeObject } from '../../api/index.ts';
import type { ServedResource } from '../resources/served-resource.ts';

/** The objects of a kind that are still in a namespace. */
export interface RemainingObjects {
  readonly resource: Pick<ServedResource, 'group' | 'plural'>;
  readonly objects: readonly StoredKubeObject[];
}

interface ConditionFinding {
  readonly type: string;
  /** Undefined: nothing is left. */
  readonly finding: { readonly reason: string; readonly message: string } | undefined;
  readonly well: { readonly reason: string; readonly message: string };
}

/**
 * The conditions of a namespace that is Terminating: what it waits for. Source:
 * pkg/controller/namespace/deletion/status_condition_utils.go.
 * @param now RFC 3339
 */
export function remainingConditions(
  before: readonly NamespaceCondition[],
  remaining: readonly RemainingObjects[],
  now: string,
): NamespaceCondition[] {
  const findings = findingsOf(remaining.filter(({ objects }) => objects.length > 0));
  const own = findings.map(({ type, finding, well }): NamespaceCondition => {
    const status = finding === undefined ? 'False' : 'True';
    const known = before.find((condition) => condition.type === type);
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : now;
    return { type, status, lastTransitionTime, ...(finding ?? well) };
  });
  const isOther = ({ type }: NamespaceCondition): boolean => !own.some((condition) => condition.type === type);
  return [...before.filter(isOther), ...own];
}

function findingsOf(remaining: readonly RemainingObjects[]): ConditionFinding[] {
  const kinds = remaining.map(
    ({ resource: { plural, group }, objects }) => `${plural}.${group} has ${objects.length} resource instances`,
  );
  const finalizers = remaining.flatMap(({ objects }) => objects.flatMap(({ metadata }) => metadata.finalizers ?? []));
  const counts = [...new Set(finalizers)]
    .toSorted()
    .map((name) => `${name} in ${finalizers.filter((each) => each === name).length} resource instances`);
  return [
    always('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    always(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    always(
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    {
      type: 'NamespaceContentRemaining',
      finding: findingOf('SomeResourcesRemain', 'Some resources are remaining', kinds),
      well: { reason: 'ContentRemoved', message: 'All content successfully removed' },
    },
    {
      type: 'NamespaceFinalizersRemaining',
      finding: findingOf('SomeFinalizersRemain', 'Some content in the namespace has finalizers remaining', counts),
      well: { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
    },
  ];
}

/** A failure that podrun does not have. */
function always(type: string, reason: string, message: string): ConditionFinding {
  return { type, finding: undefined, well: { reason, message } };
}

function findingOf(reason: string, head: string, parts: readonly string[]): ConditionFinding['finding'] {
  return parts.length === 0 ? undefined : { reason, message: `${head}: ${parts.toSorted().join(', ')}` };
}
