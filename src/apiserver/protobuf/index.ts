/** Bodies of requests in protobuf. */
export { decodeProtobuf } from './decode.ts';
