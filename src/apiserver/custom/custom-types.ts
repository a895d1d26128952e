import { type ResourceType, resourceTypeNamed } from '../../api/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import type { Definition } from './definition/definition.ts';

/**
 * The kind of a stored CustomResourceDefinition with this name, in the version in which its objects are stored. The
 * verbs know it also while no server runs.
 */
export function customTypeNamed(store: ObjectReader, word: string): ResourceType | undefined {
  const definitions = store.list('customresourcedefinitions') as unknown as readonly Definition[];
  return resourceTypeNamed(word, definitions.flatMap(typesOf));
}

function typesOf({ metadata: { name = '' }, spec, status }: Definition): ResourceType[] {
  const { plural, singular, kind, shortNames = [] } = status?.acceptedNames ?? spec.names;
  return spec.versions
    .filter(({ storage }) => storage)
    .map((version) => ({
      plural,
      kind,
      apiVersion: `${spec.group}/${version.name}`,
      aliases: [...(singular === undefined ? [] : [singular]), kind.toLowerCase(), ...shortNames],
      isNamespaced: spec.scope === 'Namespaced',
      inAll: false,
      custom: {
        storage: name,
        columns: version.additionalPrinterColumns ?? [],
        schema: { ...version.schema?.openAPIV3Schema },
      },
    }));
}
