import type { CustomVersion } from '../resources/served-resource.ts';
import { versionOfSchema } from './custom-version.ts';
import { checkDefinition } from './definition/check-definition.ts';
import { warningsAbout } from './definition/warnings.ts';
import { withTypedSchemas } from './definition/schema-types.ts';
import { DEFINITION_SCHEMA, withDefaultNames, type Definition } from './definition/definition.ts';

const VERSION = versionOfSchema(DEFINITION_SCHEMA, {
  hasStatus: true,
  columns: [
    {
      name: 'Created At',
      type: 'string',
      format: '',
      description: 'The time of the creation.',
      priority: 0,
      jsonPath: '.metadata.creationTimestamp',
    },
  ],
});

/** CustomResourceDefinitions are decoded as objects of a schema, and validated by rules of their own. */
export const DEFINITION_VERSION: CustomVersion = {
  ...VERSION,
  decode: (object) => {
    const { object: typed, mistake } = withTypedSchemas(object);
    const decoded = VERSION.decode(typed);
    const wrong =
      mistake === undefined ? [] : [{ path: 'spec.versions', type: 'Invalid type' as const, detail: mistake }];
    return {
      ...decoded,
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
