import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runHere } from '../cli/in-process.ts';
import { argumentsOf } from '../cli/transcripts.ts';
import type { Workshop } from '../cli/workshop.ts';
import { PATIENCE_MS } from '../patience.ts';
import type { ShownCommand } from './commands-in.ts';
import { missingLine } from './same-story.ts';

/**
 * Exceptions for one command of a page. By default a command runs to its end with exit code 0, and prints what the page
 * shows.
 */
export interface Manner {
  /** The reason why the command is not run. */
  readonly skip?: string;
  /** The command that runs in its place: with more time for a busy machine, or without a port that may be taken. */
  readonly instead?: string;
  /** The exit code. Default: 0. */
  readonly exit?: number;
  /** Commands that run before it and are not on the page. */
  readonly before?: readonly string[];
  /** The output before Ctrl-C, for a command that does not end. */
  readonly until?: RegExp;
  /** The reason why the output differs from the page. */
  readonly otherOutput?: string;
}

/** The setting that a page needs. */
export interface PageSetting {
  readonly files?: Readonly<Record<string, string>>;
  /** Shell scripts in the place of other programs that the page calls. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly before?: readonly string[];
  /** Exceptions by the full text of the command. ` (2)` at the end means only the second command with that text. */
  readonly manners?: Readonly<Record<string, Manner>>;
}

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const PODRUN = path.join(PROJECT, 'bin/podrun.js');
const COMMAND_TIMEOUT_MS = 2 * PATIENCE_MS;

/**
 * A command that only reads or changes what is stored, and that a shell does not have to read. It needs no process of
 * its own: the examples of the help have each command once as a process of the built program (test/cli/help-examples).
 */
const PLAIN = new RegExp(
  String.raw`^(npx )?podrun (get|describe|events|logs|probes|history|timeline|diff|advise|explain|validate|version|` +
    String.raw`patch|label|annotate|condition|scale|rollout|set|create|expose|taint|delete|replace|wait|` +
    String.raw`autoscale|init|gc|top|expect|simulate|netpol|why)` +
    String.raw`( ([^|;&<>$\x60*?~#(){}!\\\n'"]|'[^'\n]*'|"[^"$\x60\\\n]*")*)?( +# .*)?$`,
);
const FOLLOWING = / (-\w*[wf]|--watch\S*|--follow)( |$)/;

/** Programs for every page: npx finds podrun, and npm does nothing. */
const PROGRAMS = { podrun: `exec "${process.execPath}" "${PODRUN}" "$@"`, npx: 'exec "$@"', npm: 'exit 0' };

/** Runs the commands of a page one after the other, as a reader would type them. Answers the differences. */
export async function runPage(
  workshop: Workshop,
  commands: readonly ShownCommand[],
  setting: PageSetting,
): Promise<string[]> {
  const shell = new Shell(workshop, setting);
  try {
    return await runCommands(shell, commands, setting);
  } finally {
    if (readdirSync(workshop.stateDir).length > 0)
      await shell.run('podrun delete deployment,cronjob,job,pod --all -A --force');
    await waitForAgents(workshop);
  }
}

async function runCommands(shell: Shell, commands: readonly ShownCommand[], setting: PageSetting): Promise<string[]> {
  const faults: string[] = [];
  for (const command of setting.before ?? []) faults.push(...(await shell.prepare(command)));
  let last: Result = { exitCode: 0, printed: '' };
  for (const { line, text, output } of commands) {
    const nth = commands.filter((other) => other.text === text && other.line <= line).length;
    const manner = setting.manners?.[`${text} (${nth})`] ?? setting.manners?.[text] ?? {};
    if (manner.skip !== undefined) continue;
    const fault = (what: string): void => void faults.push(`line ${line}: ${text}: ${what}`);
    for (const before of manner.before ?? []) faults.push(...(await shell.prepare(before)));
    if (text === 'echo $?') {
      if (output.join('') !== String(last.exitCode)) fault(`was ${last.exitCode}`);
      continue;
    }
    last = await shell.run(manner.instead ?? text, manner.until);
    const expected = manner.exit ?? (manner.until === undefined ? 0 : undefined);
    const isTold = commands.some((other) => other.line > line && other.text === 'echo $?');
    const isGood = expected === undefined ? [0, 130].includes(last.exitCode) : last.exitCode === expected;
    if (!isGood && !isTold) fault(`ended with ${last.exitCode}:\n${last.printed}`);
    const missing = manner.otherOutput === undefined ? missingLine(output, last.printed) : undefined;
    if (missing !== undefined) fault(`does not print "${missing}" there, but:\n${last.printed}`);
  }
  return faults;
}

/** Waits for background agents: they write until they have ended. */
async function waitForAgents(workshop: Workshop): Promise<void> {
  const deadlineMs = Date.now() + PATIENCE_MS;
  while (workshop.backgroundProcesses().length > 0 && Date.now() < deadlineMs) await sleep(50);
}

/** Exceptions for commands that the page does not have. */
export function idleManners(commands: readonly ShownCommand[], { manners = {} }: PageSetting): string[] {
  return Object.keys(manners).filter(
    (text) => !commands.some((command) => command.text === text.replace(/ \(\d\)$/, '')),
  );
}

interface Result {
  /** The exit code as a shell reports it. */
  readonly exitCode: number;
  /** The text of both streams. */
  readonly printed: string;
}

class Shell {
  readonly #folder: string;
  readonly #workshop: Workshop;
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(workshop: Workshop, { files = {}, programs = {}, env = {} }: PageSetting) {
    this.#folder = workshop.folder;
    this.#workshop = workshop;
    for (const [name, text] of Object.entries({ ...PROGRAMS, ...programs })) {
      this.#file(`bin/${name}`, `#!/bin/sh\n${text}\n`);
      chmodSync(path.join(this.#folder, 'bin', name), 0o755);
    }
    for (const [name, text] of Object.entries(files)) this.#file(name, text);
    symlinkSync(path.join(PROJECT, 'fixtures'), path.join(this.#folder, 'fixtures'));
    // The state folder of the reader.
    mkdirSync(workshop.stateDir, { mode: 0o700 });
    mkdirSync(path.join(this.#folder, 'home/.local/state'), { recursive: true });
    symlinkSync(workshop.stateDir, path.join(this.#folder, 'home/.local/state/podrun'));
    const own = {
      HOME: path.join(this.#folder, 'home'),
      PATH: `${this.#folder}/bin:${process.env['PATH'] ?? ''}`,
      PODRUN_STATE_DIR: workshop.stateDir,
    };
    this.#env = { ...process.env, NO_COLOR: '1', CI: 'true', ...own, ...env };
  }

  async prepare(command: string): Promise<string[]> {
    const { exitCode, printed } = await this.run(command);
    return exitCode === 0 ? [] : [`${command} (before) ended with ${exitCode}:\n${printed}`];
  }

  async run(command: string, until?: RegExp): Promise<Result> {
    if (until === undefined && PLAIN.test(command) && !FOLLOWING.test(command)) return this.#runHere(command);
    // Both streams go through one pipe: of two, a busy reader may see the later text first.
    const child = spawn('/bin/sh', ['-c', `exec 2>&1\n${command}`], {
      cwd: this.#folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const interrupt = (signal: NodeJS.Signals): void => {
      try {
        process.kill(-(child.pid ?? 0), signal);
      } catch {
        // The process has just ended.
      }
    };
    let printed = '';
    let isInterrupted = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (isInterrupted || until?.test(printed) !== true) return;
      isInterrupted = true;
      interrupt('SIGINT');
    });
    const alarm = setTimeout(() => interrupt('SIGKILL'), COMMAND_TIMEOUT_MS);
    const exitCode = await new Promise<number>((resolve) => {
      child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 137)));
    });
    clearTimeout(alarm);
    return { exitCode, printed };
  }

  async #runHere(command: string): Promise<Result> {
    const { folder, stateDir } = this.#workshop;
    const { HOME: _, ...env } = this.#env;
    let printed = '';
    const onOutput = (text: string): void => void (printed += text);
    const { exitCode } = await runHere({ folder, stateDir }, argumentsOf(command.replace(/^npx | +# .*$/g, '')), {
      env,
      onOutput,
    });
    return { exitCode, printed };
  }

  #file(name: string, text: string): void {
    const file = path.join(this.#folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
