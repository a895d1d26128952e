/** Changes of existing objects: decoding the result of a patch, and the rules of changes. */
export { admitUpdate, type UpdateOutcome } from './admit-update.ts';
export { decodeChanged, type DecodedChange } from './decode-changed.ts';
export { validateMetadataUpdate, validateStrictEventUpdate, withServerFields } from './metadata.ts';
export { noSuchSubresource, type Subresource } from './subresources.ts';
