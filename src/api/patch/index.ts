/** Changing an object: the three kinds of patches, and what `apply` makes of a manifest and a live object. */
export { applyPatch, type PatchType } from './apply-patch.ts';
export { threeWayMerge } from './three-way.ts';
