import type { RunListener } from '../run/running-pods.ts';
import { allContainerStatuses, type StoredPod } from '../api/objects.ts';
import { OutputLines } from '../print/live/output-lines.ts';
import type { LogLine, RunOptions } from './types.ts';

/** What becomes of the output of containers, beside its log. */
export interface OutputTaker extends Pick<RunListener, 'onOutput' | 'onHookOutput'> {
  /** A container may have ended: what has no newline yet is a line. */
  readonly onPod: (pod: StoredPod) => void;
}

/** Hands output on line by line, as the option `logs` says. */
export function outputTaker(logs: RunOptions['logs']): OutputTaker {
  if (logs === undefined || logs === 'capture') {
    return { onOutput: () => undefined, onHookOutput: () => undefined, onPod: () => undefined };
  }
  const take = logs === 'inherit' ? printed : handedTo(logs);
  const streams = new Map<string, OutputLines>();
  return {
    onOutput: ({ metadata: { name, uid } }, container, stream, chunk) => {
      const key = `${uid}/${container}/${stream}`;
      const lines = streams.get(key) ?? new OutputLines((text) => take({ pod: name, container, text }));
      streams.set(key, lines);
      lines.write(chunk);
    },
    onHookOutput: ({ metadata: { name } }, { container, lines }) => {
      for (const text of lines.toString().trimEnd().split(/\r?\n/)) take({ pod: name, container, text });
    },
    onPod: ({ metadata: { uid }, status }) => {
      for (const { name, state } of allContainerStatuses(status)) {
        if (state?.running !== undefined) continue;
        for (const stream of ['stdout', 'stderr']) streams.get(`${uid}/${name}/${stream}`)?.flush();
      }
    },
  };
}

function printed({ pod, container, text }: LogLine): void {
  process.stdout.write(`[${pod}/${container}] ${text}\n`);
}

function handedTo(listener: (line: LogLine) => void): (line: LogLine) => void {
  return (line) => inform(listener, line);
}

/**
 * Calls a function of the user's. What it throws is no reason to stop looking after Pods: it is thrown where nobody
 * waits for it, so that the test runner, or Node, tells of it.
 */
export function inform<T>(listener: ((about: T) => void) | undefined, about: T): void {
  try {
    listener?.(about);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
