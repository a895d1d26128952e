import { badRequestStatus } from '../../../apiserver/index.ts';
import type { ChannelConnection } from '../channels/channel-connection.ts';
import type { ForwardedConnection } from './forward-connection.ts';

/** Every port has two channels: messages have room for so many. */
const PORTS_MAX = 64;

/**
 * The ports in the query of a client without SPDY. Source: cri-streaming/pkg/portforward/websocket.go.
 * @throws {StatusError} in the kubelet's words
 */
export function portsInQuery(query: URLSearchParams): number[] {
  const words = query.getAll('ports');
  if (words.length === 0) throw badRequestStatus('query parameter "ports" is required');
  const ports = words.flatMap((word) => {
    if (word === '') throw badRequestStatus('query parameter "ports" cannot be empty');
    return word.split(',').map(portOf);
  });
  if (ports.length > PORTS_MAX) throw badRequestStatus(`at most ${PORTS_MAX} ports can be forwarded at once`);
  return ports;
}

function portOf(word: string): number {
  const failed = (why: string): Error =>
    badRequestStatus(
      `unable to parse ${JSON.stringify(word)} as a port: strconv.ParseUint: parsing ${JSON.stringify(word)}: ${why}`,
    );
  if (!/^\d+$/.test(word)) throw failed('invalid syntax');
  const port = Number(word);
  if (port > 65_535) throw failed('value out of range');
  if (port < 1) throw badRequestStatus(`port ${JSON.stringify(word)} must be > 0`);
  return port;
}

/** The connections of a client: for the i-th port the channels 2i for data and 2i+1 for errors. */
export function channelForward(connection: ChannelConnection, ports: readonly number[]): ForwardedConnection[] {
  return ports.map((port, index) => {
    const data = connection.open(2 * index);
    const errors = connection.open(2 * index + 1);
    // The first message of each channel is the port.
    for (const channel of [data, errors]) channel.write(littleEndian(port));
    return { port, data, errors };
  });
}

function littleEndian(port: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(port);
  return bytes;
}
