import { type Alarm, machineClock } from '../../clock.ts';
import { guardTerminal, isInForeground, type KeyByKey, readKeyByKey, takeSignal } from '../../runtime/index.ts';
import type { Cli } from '../base/cli.ts';
import { BottomRegion } from './bottom-region.ts';
import { typedKeys } from './key-state.ts';

/** The shortest time between two drawings. */
const PAINT_MS = 100;
/** The period of drawing without a change, for countdowns. */
const TICK_MS = 1000;
/** The columns below which the block is not readable. */
const LEAST_COLUMNS = 10;

interface LiveScreenOptions {
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
  /** True while another program has the terminal. */
  #isLent = false;

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
    if (this.#isClosed || this.#isLent || this.#paintedMs === 0) return;
    this.#paintAt(Math.min(this.#alarmMs, Math.max(this.#nowMs(), this.#paintedMs + PAINT_MS)));
  }

  /** Adapts to the size of the terminal. Call it before each line. */
  makeWay(): void {
    this.#region.fit();
  }

  /** Gives the terminal to another program until it ends. */
  async lend<T>(use: () => Promise<T>): Promise<T> {
    this.#isLent = true;
    this.#leave();
    try {
      return await use();
    } finally {
      this.#isLent = false;
      this.#paint();
    }
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
    if (this.#paintedMs === 0 || this.#isLent) return;
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
    if (this.#isClosed || this.#isLent) return;
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

/** The terminal is gone: SIGHUP follows. */
const ignoreLoss = (): void => undefined;

/** Reads keys from the terminal, while podrun is in the foreground. */
class Keys {
  readonly #onKey: (key: string) => void;
  #terminal: KeyByKey | undefined;
  #isMissing = false;

  constructor(onKey: (key: string) => void) {
    this.#onKey = onKey;
  }

  get isOpen(): boolean {
    return this.#terminal !== undefined;
  }

  /** The settings of the terminal while podrun reads keys. */
  get settings(): KeyByKey['settings'] | undefined {
    return this.#terminal?.settings;
  }

  /** Starts reading. Only in the foreground: the terminal stops a background process. */
  open(): void {
    if (this.isOpen || this.#isMissing) return;
    this.#terminal = readKeyByKey();
    this.#isMissing = this.#terminal === undefined;
    if (!this.isOpen) return;
    process.stdin.on('data', this.#take);
    if (process.stdin.listenerCount('error') === 0) process.stdin.on('error', ignoreLoss);
    process.stdin.resume();
  }

  /**
   * Stops reading.
   * @param isOurs true when podrun is in the foreground, so that it restores the settings of the terminal: another
   * foreground process has set its own
   */
  close({ isOurs }: { readonly isOurs: boolean }): void {
    if (!this.isOpen) return;
    process.stdin.off('data', this.#take);
    process.stdin.pause();
    if (isOurs) this.#terminal?.restore();
    this.#terminal = undefined;
  }

  readonly #take = (typed: Buffer): void => {
    for (const key of typedKeys(typed.toString('latin1'))) this.#onKey(key);
  };
}
