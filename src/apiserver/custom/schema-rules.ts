import { DEFAULT_NAMESPACE, type KubeObject, noSuchObject, type ResourceType } from '../../api/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import type { CustomVersion } from '../resources/served-resource.ts';
import { loadPatterns } from './base/patterns.ts';
import { customVersionOf } from './custom-version.ts';
import { DEFINITION_VERSION } from './definition-version.ts';
import { type Definition, isDefinition } from './definition/definition.ts';

const DEFINITIONS = 'customresourcedefinitions';

/** Finds the rules for an object of a manifest. Undefined: no definition has its kind in its version. */
export type ManifestRules = (object: KubeObject) => DefinedKind | undefined;

/** A kind of a definition, in one version. */
export interface DefinedKind {
  readonly rules: CustomVersion;
  readonly isNamespaced: boolean;
}

/**
 * The rules of CustomResourceDefinitions, and of the objects of the given ones, in each version. A definition with
 * mistakes has no rules for objects.
 * @param definitions as written, or as stored
 */
export async function rulesOfDefinitions(definitions: readonly KubeObject[]): Promise<ManifestRules> {
  await loadPatterns();
  const kinds = new Map<string, DefinedKind>();
  for (const written of definitions) {
    const { object, errors } = DEFINITION_VERSION.decode(written);
    if (errors.length > 0 || DEFINITION_VERSION.validate(object, undefined).length > 0) continue;
    const definition = object as Definition;
    const { group, names, versions, scope } = definition.spec;
    for (const version of versions.filter(({ served }) => served)) {
      const rules = customVersionOf(version, definition);
      kinds.set(`${group}/${version.name}/${names.kind}`, { rules, isNamespaced: scope === 'Namespaced' });
    }
  }
  return (object) => {
    if (isDefinition(object)) return { rules: DEFINITION_VERSION, isNamespaced: false };
    return kinds.get(`${object.apiVersion}/${object.kind}`);
  };
}

/**
 * The rules of CustomResourceDefinitions, or of the objects of one in the version in which they are stored.
 * @throws {PodrunError} when the definition of the type is gone
 */
export async function schemaRulesOf(store: ObjectReader, { custom }: ResourceType): Promise<CustomVersion> {
  await loadPatterns();
  if (custom === undefined) return DEFINITION_VERSION;
  const definition = store.get(DEFINITIONS, DEFAULT_NAMESPACE, custom.storage) as Definition | undefined;
  const version = definition?.spec.versions.find(({ storage }) => storage);
  if (definition === undefined || version === undefined)
    throw noSuchObject(`${DEFINITIONS}.apiextensions.k8s.io`, custom.storage);
  return customVersionOf(version, definition);
}
