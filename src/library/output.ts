import { caught } from '../defects.ts';
import type { RunListener } from '../engine/index.ts';
import { allContainerStatuses, type StoredPod } from '../api/index.ts';
import { OutputLines, prefixLines } from '../print/index.ts';
import type { LogLine, RunOptions } from './base/types.ts';

/** The bytes that may wait in standard output before containers have to wait for its reader. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

let caughtUp: Promise<void> | undefined;

/** Receives the output of containers, in addition to their logs. */
export interface OutputReceiver extends Pick<RunListener, 'onOutput' | 'onHookOutput'> {
  /** Passes on the last line of a container that no longer runs, even without a newline. */
  readonly onPod: (pod: StoredPod) => void;
}

/** Returns the receiver of the option `logs`: it passes output on line by line. */
export function outputReceiver(logs: RunOptions['logs']): OutputReceiver {
  if (logs === undefined || logs === 'capture') {
    return { onOutput: () => undefined, onHookOutput: () => undefined, onPod: () => undefined };
  }
  const take = logs === 'inherit' ? printLines : passTo(logs);
  const streams = new Map<string, OutputLines>();
  return {
    onOutput: ({ metadata: { name, uid } }, container, stream, chunk) => {
      const key = `${uid}/${container}/${stream}`;
      let lines = streams.get(key);
      if (lines === undefined) {
        lines = new OutputLines((lines) => take(name, container, lines));
        streams.set(key, lines);
      }
      lines.write(chunk);
      return logs === 'inherit' ? whenCaughtUp() : undefined;
    },
    onHookOutput: ({ metadata: { name } }, { container, lines }) => {
      take(name, container, Buffer.from(`${lines.toString().trimEnd()}\n`));
    },
    onPod: ({ metadata: { uid }, status }) => {
      for (const { name, state } of allContainerStatuses(status)) {
        if (state?.running !== undefined) continue;
        for (const stream of ['stdout', 'stderr']) streams.get(`${uid}/${name}/${stream}`)?.flush();
      }
    },
  };
}

/** Receives whole lines. */
type ReceiveLines = (pod: string, container: string, lines: Buffer) => void;

function printLines(pod: string, container: string, lines: Buffer): void {
  process.stdout.write(prefixLines(lines, { prefix: `[${pod}/${container}] `, isTerminal: false }));
}

function passTo(listener: (line: LogLine) => void): ReceiveLines {
  return (pod, container, lines) => {
    for (const text of lines.toString('utf8', 0, lines.length - 1).split(/\r?\n/)) {
      callListener(listener, { pod, container, text });
    }
  };
}

/** Resolves when standard output has caught up. Undefined while less than WAITING_BYTES_MAX waits. */
function whenCaughtUp(): Promise<void> | undefined {
  if (process.stdout.writableLength <= WAITING_BYTES_MAX) return undefined;
  caughtUp ??= new Promise<void>((resolve) => {
    process.stdout.write('', () => resolve());
  }).finally(() => (caughtUp = undefined));
  return caughtUp;
}

/**
 * Calls a function of the user. An error of the function must not stop the agent: it is thrown in a microtask, where
 * the test runner or Node reports it.
 */
export function callListener<T>(listener: ((about: T) => void) | undefined, about: T): void {
  try {
    listener?.(about);
  } catch (error) {
    queueMicrotask(
      caught(() => {
        throw error;
      }),
    );
  }
}
