import type { Alarm, Clock } from '../../clock.ts';
import { isInForeground, takeSignal } from '../../runtime/own-terminal.ts';
import { guardTerminal } from '../../runtime/terminal-guard.ts';
import { BottomRegion } from './bottom-region.ts';
import { Keys } from './keys.ts';
import { streamOf } from '../standard-streams.ts';

/** What happens within this time is drawn at once. */
const PAINT_MS = 100;
/** Countdowns move this often without anything happening. */
const TICK_MS = 1000;
/** A narrower terminal shows nothing that anybody could read. */
const LEAST_COLUMNS = 10;

export interface LiveScreenOptions {
  readonly clock: Clock;
  /** Writes to the terminal. */
  readonly write: (text: string) => void;
  /** The lines of the block for a terminal of so many columns, at most so many. */
  readonly render: (columns: number, rows: number) => readonly string[];
  /** Called with each key; undefined: the standard input is not ours. */
  readonly onKey: ((key: string) => void) | undefined;
}

/**
 * The status block at the bottom of a terminal: when it is drawn, and when the terminal is somebody else's. While
 * podrun is stopped or in the background it is not there. However podrun ends, the terminal is as it was.
 */
export class LiveScreen {
  readonly #options: LiveScreenOptions;
  readonly #region: BottomRegion;
  readonly #keys: Keys | undefined;
  /** Ends the watch over the terminal. */
  #unguard: (() => void) | undefined;
  #alarm: Alarm | undefined;
  /** When the alarm rings, on the stopwatch. */
  #alarmMs = 0;
  #paintedMs = 0;
  #isClosed = false;

  constructor(options: LiveScreenOptions) {
    this.#options = options;
    this.#region = new BottomRegion({
      write: options.write,
      size: terminalSize,
      // The terminal of VS Code is xterm.js.
      cursorFollowsWraps: process.env['TERM_PROGRAM'] === 'vscode',
    });
    this.#keys = options.onKey && new Keys(options.onKey);
    for (const [event, listener] of this.#listeners) process.on(event, listener);
    streamOf('stdout').on('resize', this.#onResize);
    this.#paintAt(this.#nowMs());
  }

  /** May what is typed be taken? */
  get hasKeys(): boolean {
    return this.#keys?.isOpen === true;
  }

  /** Something has changed: it is drawn soon. */
  changed(): void {
    if (this.#isClosed || this.#paintedMs === 0) return;
    this.#paintAt(Math.min(this.#alarmMs, Math.max(this.#nowMs(), this.#paintedMs + PAINT_MS)));
  }

  /** Must be called before a line is written. */
  makeWay(): void {
    this.#region.fit();
  }

  /** Gives the terminal back for good. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const [event, listener] of this.#listeners) process.off(event, listener);
    streamOf('stdout').off('resize', this.#onResize);
    this.#leave();
  }

  readonly #onResize = (): void => {
    if (this.#paintedMs === 0) return;
    this.#region.fit();
    this.#paint();
  };

  readonly #listeners: ReadonlyArray<readonly ['SIGTSTP' | 'SIGCONT' | 'SIGQUIT' | 'exit', () => void]> = [
    ['SIGTSTP', () => this.#stepAside('SIGTSTP')],
    ['SIGQUIT', () => this.#stepAside('SIGQUIT')],
    ['SIGCONT', () => this.#comeBack()],
    ['exit', () => this.close()],
  ];

  /** Ctrl-Z and Ctrl-\ do what they do to every program, to a terminal that is as it was. */
  #stepAside(signal: 'SIGTSTP' | 'SIGQUIT'): void {
    this.#leave();
    for (const [event, listener] of this.#listeners) if (event === signal) process.off(event, listener);
    takeSignal(signal);
    // Should nobody have been stopped, or nobody tell that it goes on.
    this.#paintAt(this.#nowMs() + TICK_MS);
  }

  #comeBack(): void {
    for (const [event, listener] of this.#listeners) {
      if (event === 'SIGTSTP' && !process.listeners('SIGTSTP').includes(listener)) process.on(event, listener);
    }
    // Whoever had the terminal meanwhile may have changed it.
    this.#leave();
    this.#paint();
  }

  #leave(): void {
    this.#alarm?.cancel();
    this.#giveBack(isInForeground());
  }

  #giveBack(isOurs: boolean): void {
    this.#keys?.close({ isOurs });
    this.#region.hide();
    this.#unguard?.();
    this.#unguard = undefined;
  }

  #nowMs(): number {
    return this.#options.clock.now().monotonicMs;
  }

  #paintAt(atMs: number): void {
    if (this.#alarm !== undefined && this.#alarmMs === atMs) return;
    this.#alarm?.cancel();
    this.#alarmMs = atMs;
    this.#alarm = this.#options.clock.wakeAt(atMs, () => this.#paint());
  }

  #paint(): void {
    if (this.#isClosed) return;
    this.#paintedMs = this.#nowMs();
    this.#paintAt(this.#paintedMs + TICK_MS);
    if (!isInForeground()) return this.#giveBack(false);
    this.#keys?.open();
    this.#unguard ??= guardTerminal(this.#keys?.settings);
    const [columns, rows] = terminalSize();
    const room = Math.min(rows - 1, Math.max(1, Math.floor(rows / 2)));
    const isTooSmall = columns < LEAST_COLUMNS || room < 1;
    this.#region.show(isTooSmall ? [] : this.#options.render(columns, room));
  }
}

/** As it is now: what Node remembers is as old as the last signal. A terminal that is gone has none. */
function terminalSize(): readonly [columns: number, rows: number] {
  try {
    return streamOf('stdout').getWindowSize();
  } catch {
    return [0, 0];
  }
}
