import { type Alarm, machineClock } from '../../clock.ts';
import { guardTerminal, isInForeground, takeSignal } from '../../runtime/index.ts';
import { BottomRegion } from './bottom-region.ts';
import { Keys } from './keys.ts';
import type { Cli } from '../base/cli.ts';

/** The shortest time between two drawings. */
const PAINT_MS = 100;
/** The period of drawing without a change, for countdowns. */
const TICK_MS = 1000;
/** The columns below which the block is not readable. */
const LEAST_COLUMNS = 10;

export interface LiveScreenOptions {
  readonly cli: Cli;
  /** Makes the lines of the block, with at most so many columns and rows. */
  readonly render: (columns: number, rows: number) => readonly string[];
  /** Called with each key. Undefined when podrun does not read standard input. */
  readonly onKey: ((key: string) => void) | undefined;
}

/**
 * Draws the status block at the bottom of a terminal. Hides it while podrun is stopped or in the background. Restores
 * the terminal at every end of podrun.
 */
export class LiveScreen {
  readonly #options: LiveScreenOptions;
  readonly #region: BottomRegion;
  readonly #keys: Keys | undefined;
  /** Stops the guard of the terminal. */
  #unguard: (() => void) | undefined;
  #alarm: Alarm | undefined;
  /** The time of the alarm, monotonic milliseconds. */
  #alarmMs = 0;
  #paintedMs = 0;
  #isClosed = false;

  constructor(options: LiveScreenOptions) {
    this.#options = options;
    this.#region = new BottomRegion({
      // Bytes are written unchanged: the block moves the cursor.
      write: (text) => options.cli.stdout.write(Buffer.from(text)),
      size: () => this.#size(),
      // The terminal of VS Code is xterm.js.
      cursorFollowsWraps: options.cli.env['TERM_PROGRAM'] === 'vscode',
    });
    this.#keys = options.onKey && new Keys(options.onKey);
    for (const [event, listener] of this.#listeners) process.on(event, listener);
    options.cli.stdout.terminal?.on('resize', this.#onResize);
    this.#paintAt(this.#nowMs());
  }

  /** True while podrun reads keys. */
  get hasKeys(): boolean {
    return this.#keys?.isOpen === true;
  }

  /** Draws a change soon. */
  changed(): void {
    if (this.#isClosed || this.#paintedMs === 0) return;
    this.#paintAt(Math.min(this.#alarmMs, Math.max(this.#nowMs(), this.#paintedMs + PAINT_MS)));
  }

  /** Adapts to the size of the terminal. Call it before each line. */
  makeWay(): void {
    this.#region.fit();
  }

  /** Hides the block and restores the terminal for good. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const [event, listener] of this.#listeners) process.off(event, listener);
    this.#options.cli.stdout.terminal?.off('resize', this.#onResize);
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

  /** Restores the terminal, then takes the default action of Ctrl-Z or Ctrl-\. */
  #stepAside(signal: 'SIGTSTP' | 'SIGQUIT'): void {
    this.#leave();
    for (const [event, listener] of this.#listeners) if (event === signal) process.off(event, listener);
    takeSignal(signal);
    // Draws again later, in case the signal did not stop podrun, or SIGCONT does not come.
    this.#paintAt(this.#nowMs() + TICK_MS);
  }

  #comeBack(): void {
    for (const [event, listener] of this.#listeners) {
      if (event === 'SIGTSTP' && !process.listeners('SIGTSTP').includes(listener)) process.on(event, listener);
    }
    // Another process may have changed the terminal meanwhile.
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
    return machineClock(this.#options.cli.clock).now().monotonicMs;
  }

  #paintAt(atMs: number): void {
    if (this.#alarm !== undefined && this.#alarmMs === atMs) return;
    this.#alarm?.cancel();
    this.#alarmMs = atMs;
    this.#alarm = machineClock(this.#options.cli.clock).wakeAt(atMs, () => this.#paint());
  }

  #paint(): void {
    if (this.#isClosed) return;
    this.#paintedMs = this.#nowMs();
    this.#paintAt(this.#paintedMs + TICK_MS);
    if (!isInForeground()) return this.#giveBack(false);
    this.#keys?.open();
    this.#unguard ??= guardTerminal(this.#keys?.settings);
    const [columns, rows] = this.#size();
    const room = Math.min(rows - 1, Math.max(1, Math.floor(rows / 2)));
    const isTooSmall = columns < LEAST_COLUMNS || room < 1;
    this.#region.show(isTooSmall ? [] : this.#options.render(columns, room));
  }

  /** The present size of the terminal: Node's value is from the last SIGWINCH. A terminal that is gone has no size. */
  #size(): readonly [columns: number, rows: number] {
    try {
      return this.#options.cli.stdout.terminal?.getWindowSize() ?? [0, 0];
    } catch {
      return [0, 0];
    }
  }
}
