import { inBackground } from '../../../defects.ts';
import type { UpgradedSocket } from '../../../apiserver/index.ts';
import { type Clock } from '../../../clock.ts';
import type { CarriedStream } from '../carried-stream.ts';
import type { SpdyStream } from '../spdy/spdy-connection.ts';
import { acceptSpdy } from '../spdy/spdy-upgrade.ts';
import type { CommandOptions } from './command-options.ts';
import type { CommandStreams } from './command-streams.ts';
import { encodeOutcome } from './outcome.ts';

/** The protocols of exec and attach in SPDY, the best first. */
export const SPDY_COMMAND_PROTOCOLS: readonly string[] = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
];

/** The protocols whose outcome is a Status, and those with sizes of the terminal. */
const WITH_STATUS: ReadonlySet<string> = new Set(SPDY_COMMAND_PROTOCOLS.slice(0, 2));
const WITH_SIZES: ReadonlySet<string> = new Set(SPDY_COMMAND_PROTOCOLS.slice(0, 3));

/** The time that a client gets to open all of its streams. Source: cri-streaming/pkg/remotecommand/httpstream.go. */
const OPENING_MS = 30_000;
/** The time that a client gets to read the rest, and to end its side. */
const CLOSING_MS = 10_000;

/**
 * Completes the handshake of exec or attach, and waits for the streams of the client.
 * @returns undefined when they did not come in time: the connection is closed then
 */
export function spdyCommand(
  upgraded: UpgradedSocket,
  protocol: string,
  { stdin, stdout, stderr, tty }: CommandOptions,
  clock: Clock,
): Promise<CommandStreams | undefined> {
  const hasSizes = tty && WITH_SIZES.has(protocol);
  const wanted = [
    'error',
    ...(stdin ? ['stdin'] : []),
    ...(stdout ? ['stdout'] : []),
    ...(stderr ? ['stderr'] : []),
    ...(hasSizes ? ['resize'] : []),
  ];
  return new Promise((resolve) => {
    const opened = new Map<string, CarriedStream>();
    const onStream = ({ stream, headers }: SpdyStream): void => {
      const type = headers.get('streamtype') ?? '';
      if (!wanted.includes(type) || opened.has(type)) return void stream.destroy();
      opened.set(type, stream);
      if (opened.size < wanted.length) return;
      alarm.cancel();
      resolve({
        stdin: opened.get('stdin'),
        stdout: opened.get('stdout'),
        stderr: opened.get('stderr'),
        sizes: opened.get('resize'),
        isTranslated: false,
        finish: (outcome) => {
          const text = encodeOutcome(outcome, WITH_STATUS.has(protocol));
          const ends = ['stdout', 'stderr'].map((type) => ended(opened.get(type)));
          inBackground(Promise.all([...ends, ended(opened.get('error'), text)]).then(() => connection.close()));
          const patience = clock.wakeAt(clock.now().monotonicMs + CLOSING_MS, () => connection.destroy());
          inBackground(connection.closed.then(() => patience.cancel()));
        },
        closed: connection.closed,
      });
    };
    const connection = acceptSpdy(upgraded, protocol, onStream);
    const alarm = clock.wakeAt(clock.now().monotonicMs + OPENING_MS, () => {
      connection.destroy();
      resolve(undefined);
    });
    inBackground(
      connection.closed.then(() => {
        alarm.cancel();
        resolve(undefined);
      }),
    );
  });
}

/** Ends a stream behind its last bytes. Resolves when they are sent, or the client is gone. */
function ended(stream: CarriedStream | undefined, last: Buffer = Buffer.alloc(0)): Promise<void> {
  return new Promise((resolve) => {
    if (stream === undefined) resolve();
    else stream.end(last, () => resolve());
  });
}
