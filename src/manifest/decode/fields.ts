/** What the field table says about a type, for the version of Kubernetes that podrun follows. */
import { fieldsOf } from '../../api/field-types.ts';
import { mostSimilar, sameEnding } from '../../api/similar.ts';

/** Fields by type that the table has but v1.36 does not know. One line each to take out when podrun moves on. */
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

/** A type of the table, taken apart. */
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

/** The type of a field; undefined when there is no such field, or only in newer versions. */
export function knownType(typeName: string, field: string, newerFields: boolean): string | undefined {
  const fields = fieldsOf(typeName) ?? {};
  if (!Object.hasOwn(fields, field) || (isNewerField(typeName, field) && !newerFields)) return undefined;
  return fields[field];
}

function isNewerField(typeName: string, field: string): boolean {
  return NEWER_FIELDS[typeName]?.includes(field) ?? false;
}

/** An object on the way down to where the decoder is. */
export interface Level {
  readonly typeName: string;
  readonly path: string;
  readonly parent: Level | undefined;
}

export const joinPath = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);

/** How far below a field is looked for: a container in a CronJob is jobTemplate.spec.template.spec.containers. */
const MAX_LEVELS_DOWN = 4;

/**
 * What to do about a field that does not exist: a sibling of nearly the same name, or the same name one level up or
 * further down.
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

/** The nearest path below on which a field of that name exists; containers are preferred to anything else. */
function pathBelow(field: string, typeName: string, path: string): string | undefined {
  let level: [typeName: string, path: string][] = [[typeName, path]];
  for (let depth = 1; depth <= MAX_LEVELS_DOWN; depth += 1) {
    level = level.flatMap(([type, at]) => objectsBelow(type, at, depth === 1));
    const found = level.filter(([type]) => knownFields(type).includes(field)).map(([, at]) => joinPath(at, field));
    if (found.length > 0) return found.find((candidate) => candidate.includes('.containers[]')) ?? found[0];
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
