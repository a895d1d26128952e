import type { Alarm, Clock } from '../../clock.ts';
import { preferences } from '../preferences.ts';
import { TransientLine } from './transient-line.ts';

/** What takes no longer is not told of. */
const PATIENCE_MS = 500;
const TICK_MS = 100;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

/** On a terminal, a line on standard error that says what takes its time. It goes away without a trace. */
export interface BusyLine {
  /** Makes room for something that is written now. */
  readonly clear: () => void;
}

/**
 * Does something, and says what it is once that takes longer than half a second. Elsewhere than on a terminal, and with
 * --quiet, nothing is said.
 * @param text what is being done, asked for again and again
 */
export async function busyWith<T>(
  clock: Clock,
  text: () => string,
  work: (line: BusyLine) => T | Promise<T>,
): Promise<T> {
  let line: TransientLine | undefined;
  let alarm: Alarm | undefined;
  let ticks = 0;
  const startMs = clock.now().monotonicMs;
  const tick = (): void => {
    line ??= TransientLine.onTerminal();
    if (line === undefined) return;
    const seconds = Math.floor((clock.now().monotonicMs - startMs) / 1000);
    line.show(`${FRAMES[ticks % FRAMES.length]} ${text()}${seconds === 0 ? '' : ` (${seconds}s)`}`);
    ticks += 1;
    alarm = clock.wakeAt(clock.now().monotonicMs + TICK_MS, tick);
  };
  if (!preferences().isQuiet) alarm = clock.wakeAt(startMs + PATIENCE_MS, tick);
  try {
    return await work({ clear: () => line?.clear() });
  } finally {
    alarm?.cancel();
    line?.close();
  }
}
