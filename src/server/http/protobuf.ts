import type { KubeObject } from '../../api/index.ts';

/** The part of the program that writes protobuf. */
export interface Codec {
  readonly hasMessage: (kind: { readonly apiVersion?: string; readonly kind?: string }) => boolean;
  readonly encodeProtobuf: (object: KubeObject) => Buffer;
  readonly encodeList: (list: KubeObject, items: readonly Buffer[]) => Buffer;
  readonly encodeItem: (object: KubeObject) => Buffer;
  readonly encodeEvent: (type: string, object: KubeObject) => Buffer;
}

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

let codec: Codec | undefined;

/** Loads the codec before the first response to a client that takes protobuf. */
export async function loadProtobuf(accept: string | undefined): Promise<void> {
  if (accept?.includes(PROTOBUF) === true) codec ??= await import('../../apiserver/protobuf/index.ts');
}

/** Undefined: no client has asked for protobuf yet. */
export function protobufCodec(): Codec | undefined {
  return codec;
}
