/** CustomResourceDefinitions, and the objects of their kinds. */
export { admitCustomChange } from './admit-change.ts';
export { shownObject, shownObjects, storedForm } from './convert-objects.ts';
export { customTypeNamed } from './custom-types.ts';
export { DEFINITION_VERSION } from './definition-version.ts';
export { isServed, statusOfDefinition } from './definition/conditions.ts';
export type { Definition } from './definition/definition.ts';
export { warningsAbout } from './definition/warnings.ts';
export { explainCustom, schemaOfType } from './explain-custom.ts';
export { followDefinitions } from './follow-definitions.ts';
export { servedResourcesOf } from './served-resources.ts';
export { loadPatterns } from './base/patterns.ts';
