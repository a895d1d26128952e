/** CustomResourceDefinitions, and the objects of their kinds. */
export { shownObject, shownObjects, storedForm } from './convert-objects.ts';
export { DEFINITION_VERSION } from './definition-version.ts';
export { isServed, statusOfDefinition } from './definition/conditions.ts';
export type { Definition } from './definition/definition.ts';
export { warningsAbout } from './definition/warnings.ts';
export { followDefinitions } from './follow-definitions.ts';
export { servedResourcesOf } from './served-resources.ts';
export { loadPatterns } from './base/patterns.ts';
