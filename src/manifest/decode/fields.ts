/** The fields of each type, for the version of Kubernetes that podrun follows. */
import { fieldsOf, mostSimilar, sameEnding } from '../../api/index.ts';

/** Fields of the table that v1.36 does not have, by type. The lines go when podrun follows a newer version. */
const NEWER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  ClusterTrustBundleProjection: ['user'],
  ConfigMapVolumeSource: ['defaultUser'],
  DownwardAPIVolumeFile: ['user'],
  DownwardAPIVolumeSource: ['defaultUser'],
  EmptyDirVolumeSource: ['mode'],
  GRPCAction: ['mode'],
  HTTPGetAction: ['protocol'],
  KeyToPath: ['user'],
  PodCertificateProjection: ['user'],
  PodSpec: ['evictionResponders'],
  PodStatus: ['volumeHealth'],
  ProjectedVolumeSource: ['defaultUser'],
  SecretVolumeSource: ['defaultUser'],
  ServiceAccountTokenProjection: ['user'],
  VolumeMount: ['bindMountOptions'],
};

/** A type of the field table, split into its parts. */
export interface FieldType {
  readonly container: 'list' | 'map' | undefined;
  /** A primitive, or the name of a type with fields. */
  readonly base: string;
}

export function parseType(type: string): FieldType {
  if (type.startsWith('[]')) return { container: 'list', base: type.slice(2) };
  if (type.startsWith('map:')) return { container: 'map', base: type.slice(4) };
  return { container: undefined, base: type };
}

/** The type of a field. Undefined for a field that is unknown, or known only to newer versions. */
export function knownType(typeName: string, field: string, newerFields: boolean): string | undefined {
  const fields = fieldsOf(typeName) ?? {};
  if (!Object.hasOwn(fields, field) || (isNewerField(typeName, field) && !newerFields)) return undefined;
  return fields[field];
}

function isNewerField(typeName: string, field: string): boolean {
  return NEWER_FIELDS[typeName]?.includes(field) ?? false;
}

/** An object on the way from the root to the position of the decoder. */
export interface Level {
  readonly typeName: string;
  readonly path: string;
  readonly parent: Level | undefined;
}

export const joinPath = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);

/** The levels to search for a field: a container in a CronJob is jobTemplate.spec.template.spec.containers. */
const MAX_LEVELS_DOWN = 4;

/**
 * The hint for an unknown field: a sibling with a similar name, or a field with the same name one level up or further
 * down.
 */
export function unknownFieldHint(field: string, level: Level): string | undefined {
  if (isNewerField(level.typeName, field)) return 'known to Kubernetes from v1.37 on';
  const siblings = knownFields(level.typeName);
  const above = level.parent;
  const meant =
    mostSimilar(field, siblings) ??
    sameEnding(field, siblings) ??
    (above !== undefined && knownFields(above.typeName).includes(field) ? joinPath(above.path, field) : undefined) ??
    pathBelow(field, level.typeName, level.path);
  return meant === undefined ? undefined : `did you mean "${meant}"?`;
}

function knownFields(typeName: string): string[] {
  return Object.keys(fieldsOf(typeName) ?? {}).filter((field) => !isNewerField(typeName, field));
}

/** The nearest path below with a field of that name. Fields of containers come first. */
function pathBelow(field: string, typeName: string, path: string): string | undefined {
  let level: [typeName: string, path: string][] = [[typeName, path]];
  for (let depth = 1; depth <= MAX_LEVELS_DOWN; depth += 1) {
    level = level.flatMap(([type, at]) => objectsBelow(type, at, depth === 1));
    const paths = level.filter(([type]) => knownFields(type).includes(field)).map(([, at]) => joinPath(at, field));
    if (paths.length > 0) return paths.find((candidate) => candidate.includes('.containers[]')) ?? paths[0];
  }
  return undefined;
}

function objectsBelow(typeName: string, path: string, throughLists: boolean): [string, string][] {
  return Object.entries(fieldsOf(typeName) ?? {}).flatMap(([field, type]): [string, string][] => {
    const { container, base } = parseType(type);
    if (container === 'map' || fieldsOf(base) === undefined || field === 'status') return [];
    if (container === 'list') return throughLists ? [[base, `${joinPath(path, field)}[]`]] : [];
    return [[base, joinPath(path, field)]];
  });
}
