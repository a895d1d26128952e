import type { Readable, Writable } from 'node:stream';
import type { StreamOutcome } from './outcome.ts';

/** The client's side of exec or attach, whatever its protocol. A stream that it did not ask for is undefined. */
export interface CommandStreams {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** JSON of the sizes of the client's terminal. */
  readonly sizes: Readable | undefined;
  /** True: the API server translates between the client and the kubelet, and puts its words before the kubelet's. */
  readonly isTranslated: boolean;
  /** Tells the client how it ended, and ends the connection. */
  finish(outcome: StreamOutcome): void;
  /** Settles when the client is gone. Never rejects. */
  readonly closed: Promise<void>;
}
