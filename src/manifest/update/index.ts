/** Changing an object that is already there: reading what a patch made of it, and the rules it must keep. */
export { admitUpdate, type UpdateOutcome } from './admit-update.ts';
export { decodeChanged, type DecodedChange } from './decode-changed.ts';
export type { Subresource } from './subresources.ts';
