/**
 * The protocols for several streams in one websocket: each message belongs to a channel.
 * Source: apimachinery/pkg/util/remotecommand/constants.go and apimachinery/pkg/util/httpstream/wsstream.
 */
export interface ChannelProtocol {
  readonly name: string;
  /** True: messages are text, the digit of the channel and then base64. False: its number, then bytes. */
  readonly isBase64: boolean;
  /** True: the outcome is a Status in JSON. False: nothing for a success, and the text of a failure. */
  readonly hasStatus: boolean;
  /** True: a client can end a channel. */
  readonly hasEnd: boolean;
}

/** The protocols by name. A client that offers none gets the one without a name. */
const CHANNEL_PROTOCOLS: ReadonlyMap<string, ChannelProtocol> = new Map(
  [
    { name: '', isBase64: false, hasStatus: false, hasEnd: false },
    { name: 'channel.k8s.io', isBase64: false, hasStatus: false, hasEnd: false },
    { name: 'base64.channel.k8s.io', isBase64: true, hasStatus: false, hasEnd: false },
    { name: 'v4.channel.k8s.io', isBase64: false, hasStatus: true, hasEnd: false },
    { name: 'v4.base64.channel.k8s.io', isBase64: true, hasStatus: true, hasEnd: false },
    { name: 'v5.channel.k8s.io', isBase64: false, hasStatus: true, hasEnd: true },
  ].map((protocol) => [protocol.name, protocol]),
);

/** A message: a piece of a channel, or its end. */
export type ChannelMessage =
  | { readonly type: 'piece'; readonly channel: number; readonly chunk: Buffer }
  | { readonly type: 'end'; readonly channel: number };

/** The channel number of a message that ends a channel: the next byte is its number. */
const END = 255;
const DIGIT_0 = 0x30;

export function encodeChannelMessage({ isBase64 }: ChannelProtocol, channel: number, chunk: Buffer): Buffer | string {
  if (isBase64) return `${channel}${chunk.toString('base64')}`;
  return Buffer.concat([Buffer.from([channel]), chunk]);
}

/** Undefined: an empty message, or one that means nothing. */
export function decodeChannelMessage(protocol: ChannelProtocol, message: Buffer): ChannelMessage | undefined {
  const [first, second] = message;
  if (first === undefined) return undefined;
  if (protocol.isBase64) {
    return { type: 'piece', channel: first - DIGIT_0, chunk: Buffer.from(message.toString('latin1', 1), 'base64') };
  }
  if (!protocol.hasEnd || first !== END) return { type: 'piece', channel: first, chunk: message.subarray(1) };
  return second === undefined ? undefined : { type: 'end', channel: second };
}

/** The first protocol of the client that the server has. Undefined: there is none. */
export function chooseChannelProtocol(offered: readonly string[]): ChannelProtocol | undefined {
  const words = offered.length === 0 ? [''] : offered;
  return words.flatMap((word) => CHANNEL_PROTOCOLS.get(word) ?? []).at(0);
}
