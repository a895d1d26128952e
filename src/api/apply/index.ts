/** Server-side apply, and the managers of the fields of objects. */
export { atomicParts, checkApplied } from './check-applied.ts';
export { mergeFields } from './merge.ts';
export { resetFields } from './reset-fields.ts';
export { applyServerSide, withoutNulls } from './server-side-apply.ts';
export { shapeOfType, type ListKey, type FieldsShape, type Shape } from './shape.ts';
export { atOnce, type PartRunner } from './part-runner.ts';
export { managerName, trackUpdate } from './track-update.ts';
export type { KindVersions } from './versions.ts';
