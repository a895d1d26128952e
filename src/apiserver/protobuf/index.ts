/** Bodies of requests and responses in protobuf. */
export { decodeProtobuf } from './decode.ts';
export { encodeEvent, encodeItem, encodeList, encodeProtobuf, hasMessage } from './encode.ts';
export { versionTwoMessage } from './version-two-message.ts';
