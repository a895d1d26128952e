import type { ChannelConnection } from '../channels/channel-connection.ts';
import type { CommandOptions } from './command-options.ts';
import type { CommandStreams } from './command-streams.ts';
import { encodeOutcome } from './outcome.ts';

/** The channels of exec and attach. Source: apimachinery/pkg/util/remotecommand/constants.go. */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, outcome: 3, sizes: 4 } as const;

/** The streams of exec or attach in the channels of a websocket. */
export function channelCommand(
  connection: ChannelConnection,
  { stdin, stdout, stderr, tty }: CommandOptions,
): CommandStreams {
  const outcome = connection.open(CHANNEL.outcome);
  const streams = {
    stdin: stdin ? connection.open(CHANNEL.stdin) : undefined,
    stdout: stdout ? connection.open(CHANNEL.stdout) : undefined,
    stderr: stderr ? connection.open(CHANNEL.stderr) : undefined,
    sizes: tty ? connection.open(CHANNEL.sizes) : undefined,
  };
  // An empty message tells the client that the connection works.
  connection.greet(stdout ? CHANNEL.stdout : stderr ? CHANNEL.stderr : CHANNEL.outcome);
  return {
    ...streams,
    isTranslated: connection.protocol.hasEnd,
    finish: (end) => {
      const text = encodeOutcome(end, connection.protocol.hasStatus);
      if (text !== undefined) outcome.write(text);
      // Behind the outcome, and that behind all output.
      connection.close();
    },
    closed: connection.closed,
  };
}
