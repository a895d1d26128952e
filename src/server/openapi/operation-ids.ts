import type { ServedResource } from '../../apiserver/index.ts';

/** `Pod` for `pod`. */
function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** The words of a group: `rbac.authorization.k8s.io` has `Rbac` and `Authorization`. */
function wordsOf(group: string): string[] {
  if (group === '') return ['Core'];
  return group
    .replace(/\.k8s\.io$/, '')
    .split(/[.-]/)
    .map(capital);
}

/** The tag of the operations of a version: `rbacAuthorization_v1`. */
export function tagOf({ group, version }: Pick<ServedResource, 'group' | 'version'>): string {
  const words = wordsOf(group).join('');
  return `${words.slice(0, 1).toLowerCase()}${words.slice(1)}_${version}`;
}

/** A part of an id that stands in front of, or behind, the kind. */
interface IdParts {
  /** `Collection`, between the version and the kind. */
  readonly before?: string;
  /** `List`, `ForAllNamespaces`, `Status`. */
  readonly after?: string;
  /** True: it is about all namespaces. */
  readonly isEverywhere?: boolean;
}

/**
 * The id of an operation, from which generators of clients make the name of a function:
 * `readAppsV1NamespacedDeploymentStatus`. Source: apiserver/pkg/endpoints/installer.go, registerResourceHandlers.
 */
export function operationId(
  verb: string,
  { group, version, kind, isNamespaced }: ServedResource,
  { before = '', after = '', isEverywhere = false }: IdParts = {},
): string {
  const scope = isNamespaced && !isEverywhere ? 'Namespaced' : '';
  const everywhere = isNamespaced && isEverywhere ? 'ForAllNamespaces' : '';
  return `${verb}${versionWords({ group, version })}${before}${scope}${kind}${capital(after)}${everywhere}`;
}

/** `AppsV1`. */
export function versionWords({ group, version }: Pick<ServedResource, 'group' | 'version'>): string {
  return `${wordsOf(group).join('')}${capital(version)}`;
}

/** `Apps`. */
export function groupWords(group: string): string {
  return wordsOf(group).join('');
}
