import { DEFAULT_NAMESPACE, noSuchObject, type ResourceType } from '../../api/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import type { CustomVersion } from '../resources/served-resource.ts';
import { loadPatterns } from './base/patterns.ts';
import { customVersionOf } from './custom-version.ts';
import { DEFINITION_VERSION } from './definition-version.ts';
import type { Definition } from './definition/definition.ts';

const DEFINITIONS = 'customresourcedefinitions';

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
