import { covers, type PolicyRule } from './permissions.ts';

/**
 * The parts of rules that no held rule covers, each with one group, resource and name, or one path.
 * Source: component-helpers/auth/rbac/validation/policy_comparator.go.
 */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(partsOf).filter((part) => !held.some((rule) => covers(rule, part)));
}

function partsOf({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule) {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name): PolicyRule => {
          const named = name === undefined ? {} : { resourceNames: [name] };
          return { apiGroups: [group], resources: [resource], ...named, verbs: [verb] };
        }),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((url) =>
    verbs.map((verb): PolicyRule => ({ nonResourceURLs: [url], verbs: [verb] })),
  );
  return [...ofResources, ...ofPaths];
}
