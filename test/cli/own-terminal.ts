import { createRequire } from 'node:module';
import type { Workshop } from './workshop.ts';
import { PATIENCE_MS } from '../patience.ts';

interface Pty {
  onData(listener: (text: string) => void): void;
  onExit(listener: (exit: { readonly exitCode: number }) => void): void;
  write(text: string): void;
  resize(columns: number, rows: number): void;
}

/** Loads node-pty, an optional package that makes terminals. */
function nodePty(): { spawn(file: string, args: readonly string[], options: object): Pty } {
  return createRequire(import.meta.filename)('@lydell/node-pty');
}

/** A podrun command in a terminal, and the keys and the screen of its user. */
export interface AtTerminal {
  readonly ended: Promise<number>;
  /** Resolves when the output so far matches. */
  shows(pattern: RegExp): Promise<void>;
  type(text: string): void;
  resize(columns: number, rows: number): void;
}

/** Starts podrun in a terminal of 90 columns and 20 rows. */
export function startAtTerminal(workshop: Workshop, args: readonly string[]): AtTerminal {
  return startProgramAtTerminal(workshop, workshop.commandLine(args));
}

/** Starts any program in such a terminal. */
export function startProgramAtTerminal(
  workshop: Workshop,
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): AtTerminal {
  const terminal = nodePty().spawn(program, args, {
    cols: 90,
    rows: 20,
    cwd: workshop.folder,
    env: defined({ ...process.env, PODRUN_STATE_DIR: workshop.stateDir, ...env }),
  });
  let screen = '';
  let onText = (): void => {};
  terminal.onData((text) => {
    screen += text;
    onText();
  });
  return {
    ended: new Promise((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode))),
    shows: async (pattern) => {
      let alarm: NodeJS.Timeout | undefined;
      const seen = new Promise<void>((resolve, reject) => {
        const never = (): void => reject(new Error(`${pattern} never came; the screen is ${JSON.stringify(screen)}`));
        alarm = setTimeout(never, PATIENCE_MS);
        onText = () => void (pattern.test(screen) && resolve());
        onText();
      });
      await seen.finally(() => clearTimeout(alarm));
    },
    type: (text) => terminal.write(text),
    resize: (columns, rows) => terminal.resize(columns, rows),
  };
}

/** Drops undefined variables. */
function defined(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}
