/** Server-side apply, and the managers of the fields of objects. */
export { checkApplied } from './check-applied.ts';
export { applyServerSide } from './server-side-apply.ts';
export { shapeOfType, type ListKey, type FieldsShape, type Shape } from './shape.ts';
export { managerName, trackUpdate } from './track-update.ts';
