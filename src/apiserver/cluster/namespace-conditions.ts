import type { NamespaceCondition, StoredKubeObject } from '../../api/index.ts';
import type { ServedResource } from '../resources/served-resource.ts';

/** The objects of a kind that are still in a namespace. */
export interface RemainingObjects {
  readonly resource: Pick<ServedResource, 'group' | 'plural'>;
  readonly objects: readonly StoredKubeObject[];
}

/** The reasons why a namespace is still Terminating. */
export interface NamespaceRest {
  readonly remaining: readonly RemainingObjects[];
  /** The versions of groups with unknown kinds: `example.com/v1`. */
  readonly unknown: readonly string[];
  /** Why objects were not deleted. */
  readonly errors: readonly string[];
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
  { remaining, unknown, errors }: NamespaceRest,
  now: string,
): NamespaceCondition[] {
  const findings = [
    ...failuresOf(unknown, errors),
    ...findingsOf(remaining.filter(({ objects }) => objects.length > 0)),
  ];
  const own = findings.map(({ type, finding, well }): NamespaceCondition => {
    const status = finding === undefined ? 'False' : 'True';
    const known = before.find((condition) => condition.type === type);
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : now;
    return { type, status, lastTransitionTime, ...(finding ?? well) };
  });
  const isOther = ({ type }: NamespaceCondition): boolean => !own.some((condition) => condition.type === type);
  return [...before.filter(isOther), ...own];
}

function failuresOf(unknown: readonly string[], errors: readonly string[]): ConditionFinding[] {
  const stale = unknown.map((one) => `${one}: stale GroupVersion discovery: ${one}`);
  const groups = `Discovery failed for some groups, ${unknown.length} failing`;
  const servers = `${groups}: unable to retrieve the complete list of server APIs`;
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      finding: findingOf('DiscoveryFailed', servers, stale),
      well: { reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      // Each name of a version that podrun has is one.
      finding: undefined,
      well: { reason: 'ParsedGroupVersions', message: 'All legacy kube types successfully parsed' },
    },
    {
      type: 'NamespaceDeletionContentFailure',
      finding: findingOf(
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${errors.length} remaining`,
        errors,
      ),
      well: {
        reason: 'ContentDeleted',
        message: 'All content successfully deleted, may be waiting on finalization',
      },
    },
  ];
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

function findingOf(reason: string, head: string, parts: readonly string[]): ConditionFinding['finding'] {
  return parts.length === 0 ? undefined : { reason, message: `${head}: ${parts.toSorted().join(', ')}` };
}
