import { DEFINITION_VERSION, type Definition } from '../../../src/apiserver/custom/index.ts';
import type { SchemaProps } from '../../../src/apiserver/custom/base/schema.ts';

/** A definition of the kind Shirt with this schema of `spec`, decoded as the server does. */
export function shirtDefinition(spec: SchemaProps = { type: 'object' }, change: object = {}): Definition {
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    ...change,
  };
  return decodedDefinition({
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'shirts', kind: 'Shirt', shortNames: ['sh'] },
    versions: [version],
  });
}

/** A definition with this spec, decoded as the server does. */
export function decodedDefinition(spec: object, name = 'shirts.stable.example.com'): Definition {
  const object = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name }, spec };
  return DEFINITION_VERSION.decode(object).object as unknown as Definition;
}
