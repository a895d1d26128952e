import type { KubeObject, Shape } from '../../api/index.ts';
import type { CustomVersion } from '../resources/served-resource.ts';
import { versionOfSchema } from './custom-version.ts';
import { checkDefinition } from './definition/check-definition.ts';
import { warningsAbout } from './definition/warnings.ts';
import { withTypedSchemas } from './definition/schema-types.ts';
import { DEFINITION_SCHEMA, withDefaultNames, type Definition } from './definition/definition.ts';

const VERSION = versionOfSchema(DEFINITION_SCHEMA, {
  hasStatus: true,
  isTyped: true,
  columns: [
    {
      name: 'Created At',
      type: 'date',
      format: '',
      description: 'The time of the creation.',
      priority: 0,
      jsonPath: '.metadata.creationTimestamp',
    },
  ],
});

/** The structs of Go in a definition: their fields come and go, not they themselves. */
interface Structs {
  readonly [field: string]: Structs;
}

const STRUCTS: Structs = { metadata: {}, spec: { names: {} }, status: { acceptedNames: {} } };

function withStructs(shape: Shape, structs: Structs): Shape {
  if (shape.kind !== 'object') return shape;
  return {
    ...shape,
    field: (name) => {
      const [field, inner] = [shape.field(name), structs[name]];
      return field === undefined || inner === undefined || name === 'metadata' ? field : withStructs(field, inner);
    },
    isAlwaysPresent: (name) => Object.hasOwn(structs, name),
  };
}

/** A new definition, before its names are accepted. Source: apiextensions, customresourcedefinition/strategy.go. */
function withFirstStatus(object: KubeObject): KubeObject {
  const { versions } = (object as Definition).spec;
  const storedVersions = versions.filter(({ storage }) => storage).map(({ name }) => name);
  return { ...object, status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions } };
}

/** CustomResourceDefinitions are decoded as objects of a schema, and validated by rules of their own. */
export const DEFINITION_VERSION: CustomVersion = {
  ...VERSION,
  shape: withStructs(VERSION.shape, STRUCTS),
  atCreation: withFirstStatus,
  decode: (object) => {
    const { object: typed, mistake, unknown } = withTypedSchemas(object);
    const decoded = VERSION.decode(typed);
    const wrong =
      mistake === undefined ? [] : [{ path: 'spec.versions', type: 'Invalid type' as const, detail: mistake }];
    return {
      ...decoded,
      unknown: [...unknown, ...decoded.unknown],
      errors: [...decoded.errors, ...wrong],
      object: withDefaultNames(decoded.object as unknown as Definition),
    };
  },
  warnings: (object) => warningsAbout(object as unknown as Definition),
  validate: (object, stored) => {
    const errors = VERSION.validate(object, stored);
    const definition = object as unknown as Definition;
    const before = stored as unknown as Definition | undefined;
    return errors.length > 0 ? errors : checkDefinition(definition, before);
  },
};
