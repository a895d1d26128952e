/** Changes of objects: the three kinds of patches, and the merge of `apply`. */
export { applyPatch, type PatchType } from './apply-patch.ts';
export { goJsonType } from './errors.ts';
export { threeWayMerge } from './three-way.ts';
export { mergeDifference } from './merge-difference.ts';
