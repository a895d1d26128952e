/** A kind of object as the command line names it. */
export interface ResourceType {
  /** As in messages and in the store: `pods`. */
  readonly plural: string;
  readonly kind: string;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** All other words for it: `pod`, `po`. */
  readonly aliases: readonly string[];
  /** Does an object of it belong to a namespace? */
  readonly isNamespaced: boolean;
  /** Is it part of `all`? */
  readonly inAll: boolean;
}

function core(kind: string, plural: string, shortNames: readonly string[]): ResourceType {
  const aliases = [kind.toLowerCase(), ...shortNames];
  return {
    plural,
    kind,
    apiVersion: 'v1',
    aliases,
    isNamespaced: kind !== 'Namespace' && kind !== 'Node',
    inAll: false,
  };
}

/** What the store keeps, in the order of `get all`. Names and short names as `kubectl api-resources` lists them. */
const RESOURCE_TYPES: readonly ResourceType[] = [
  { ...core('Pod', 'pods', ['po']), inAll: true },
  { ...core('Service', 'services', ['svc']), inAll: true },
  core('ConfigMap', 'configmaps', ['cm']),
  core('Event', 'events', ['ev']),
  core('Namespace', 'namespaces', ['ns']),
  core('Node', 'nodes', ['no']),
  core('PersistentVolumeClaim', 'persistentvolumeclaims', ['pvc']),
  core('Secret', 'secrets', []),
  core('ServiceAccount', 'serviceaccounts', ['sa']),
];

/** The type that a word of the command line names, in upper or lower case: `pods`, `pod`, `po`. */
export function resourceTypeNamed(word: string): ResourceType | undefined {
  const wanted = word.toLowerCase();
  return RESOURCE_TYPES.find(({ plural, aliases }) => plural === wanted || aliases.includes(wanted));
}

/** Every type that the store keeps. */
export function everyResourceType(): readonly ResourceType[] {
  return RESOURCE_TYPES;
}

/** The types that belong to `all`. */
export function allResourceTypes(): readonly ResourceType[] {
  return RESOURCE_TYPES.filter(({ inAll }) => inAll);
}

/** The type of an object of a manifest; for kinds that the store does not keep, with the plural that kinds have. */
export function resourceTypeOf({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): ResourceType {
  const known = RESOURCE_TYPES.find((type) => type.kind === kind && type.apiVersion === apiVersion);
  return known ?? { plural: `${kind.toLowerCase()}s`, kind, apiVersion, aliases: [], isNamespaced: true, inAll: false };
}

/** The plural as messages name it, with the group where there is one: `pods`, `deployments.apps`. */
export function qualifiedPlural({ plural, apiVersion }: ResourceType): string {
  return plural + groupSuffix(apiVersion);
}

/** The kind as messages name it: `pod`, `deployment.apps`. */
export function qualifiedKind({ kind, apiVersion }: ResourceType): string {
  return kind.toLowerCase() + groupSuffix(apiVersion);
}

function groupSuffix(apiVersion: string): string {
  return apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
}
