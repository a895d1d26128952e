import { createRequire } from 'node:module';
import type { Workshop } from './workshop.ts';
import { PATIENCE_MS } from '../patience.ts';

/** The used parts of @xterm/headless. */
interface Emulator {
  readonly rows: number;
  readonly buffer: {
    readonly active: {
      readonly baseY: number;
      readonly length: number;
      readonly cursorX: number;
      readonly cursorY: number;
      getLine(row: number): { translateToString(trimRight: boolean): string; readonly isWrapped: boolean } | undefined;
    };
  };
  write(text: string, done?: () => void): void;
  resize(columns: number, rows: number): void;
}

interface Pty {
  readonly pid: number;
  onData(listener: (text: string) => void): void;
  onExit(listener: (exit: { readonly exitCode: number }) => void): void;
  write(text: string): void;
  resize(columns: number, rows: number): void;
  kill(signal: string): void;
}

const require_ = createRequire(import.meta.filename);

export interface ScreenOptions {
  readonly columns?: number;
  readonly rows?: number;
}

/** A program in a terminal, and the screen that a person would see. */
export class Screen {
  /** The exit code. Resolves when all output is on the screen. */
  readonly ended: Promise<number>;
  readonly #emulator: Emulator;
  readonly #pty: Pty;
  #bytes = '';
  #onChange: () => void = () => undefined;

  constructor(pty: Pty, emulator: Emulator) {
    this.#pty = pty;
    this.#emulator = emulator;
    pty.onData((text) => {
      this.#bytes += text;
      emulator.write(text, () => this.#onChange());
    });
    this.ended = new Promise((resolve) => {
      pty.onExit(({ exitCode }) => emulator.write('', () => resolve(exitCode)));
    });
  }

  /** The lines of the screen, without trailing blanks. */
  get lines(): string[] {
    const { active } = this.#emulator.buffer;
    return Array.from({ length: this.#emulator.rows }, (_, row) => textAt(this.#emulator, active.baseY + row));
  }

  /** The lines of the screen and of the scrollback, as one text. */
  get everything(): string {
    const { length } = this.#emulator.buffer.active;
    return Array.from({ length }, (_, row) => textAt(this.#emulator, row)).join('\n');
  }

  /** The lines of the status block: its first line, or its last one in a narrow terminal, has the help about keys. */
  get block(): string[] {
    const { lines } = this;
    const start = lines.findLastIndex((line) => line.endsWith('? help'));
    return start < 0 ? [] : lines.slice(start);
  }

  get isCursorShown(): boolean {
    return this.#bytes.lastIndexOf('\u001B[?25h') >= this.#bytes.lastIndexOf('\u001B[?25l');
  }

  get cursorRow(): number {
    return this.#emulator.buffer.active.cursorY;
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Resolves when the screen fulfils a condition. Fails with the screen when that takes too long. */
  async until(isThere: (screen: this) => boolean): Promise<void> {
    let alarm: NodeJS.Timeout | undefined;
    const seen = new Promise<void>((resolve, reject) => {
      this.#onChange = () => isThere(this) && resolve();
      const never = (): void => reject(new Error(`never came; on the screen is\n${this.lines.join('\n')}`));
      alarm = setTimeout(never, PATIENCE_MS);
      this.#onChange();
    });
    await seen.finally(() => clearTimeout(alarm));
  }

  async shows(pattern: RegExp): Promise<void> {
    await this.until(({ lines }) => pattern.test(lines.join('\n')));
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  signal(name: NodeJS.Signals): void {
    this.#pty.kill(name);
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Writes to the screen, as the next program in the terminal would. */
  async write(text: string): Promise<void> {
    await new Promise<void>((resolve) => this.#emulator.write(text, resolve));
  }
}

function textAt({ buffer }: Emulator, row: number): string {
  return buffer.active.getLine(row)?.translateToString(true) ?? '';
}

const open: Screen[] = [];

/** Ends the remaining programs of a test's screens. */
export function closeScreens(): void {
  for (const screen of open.splice(0)) screen.signal('SIGKILL');
}

/** Starts a program in a terminal of 80 columns and 24 rows. */
export function startOnScreen(
  workshop: Workshop,
  [program = '', ...args]: readonly string[],
  { columns = 80, rows = 24 }: ScreenOptions = {},
): Screen {
  const pty = require_('@lydell/node-pty') as { spawn(file: string, args: readonly string[], options: object): Pty };
  const xterm = require_('@xterm/headless') as { readonly Terminal: new (options: object) => Emulator };
  const { CI: _, GITHUB_ACTIONS: _actions, NO_COLOR: _color, ...env } = process.env;
  const spawned = pty.spawn(program, args, {
    cols: columns,
    rows,
    cwd: workshop.folder,
    env: {
      ...env,
      TERM: 'xterm-256color',
      TERM_PROGRAM: 'vscode',
      PS1: '$ ',
      ENV: '',
      PODRUN_STATE_DIR: workshop.stateDir,
    },
  });
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5000 });
  const screen = new Screen(spawned, emulator);
  open.push(screen);
  return screen;
}

/** Starts a shell script in such a terminal. */
export function startScript(workshop: Workshop, script: string, options?: ScreenOptions): Screen {
  return startOnScreen(workshop, ['sh', '-c', script], options);
}
