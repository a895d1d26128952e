import { StringDecoder } from 'node:string_decoder';
import { machineClock } from '../../clock.ts';
import { PodrunError } from '../../api/index.ts';
import type { NamedRun } from '../../history/index.ts';
import { startCommand } from '../../runtime/index.ts';
import { listenForSignals } from '../base/signals.ts';
import type { Cli } from '../base/cli.ts';
import { nodesLostIn, runsInText } from './saved-runs.ts';

/** One `podrun apply` of several. */
export interface ChildApply {
  /** Names this run in messages: `here`. */
  readonly name: string;
  /** The arguments of `apply`. */
  readonly args: readonly string[];
  /** The command that runs when the goal is reached. Default: none. */
  readonly command?: readonly string[] | undefined;
  /** Says which of its messages are printed. Default: all. */
  readonly isShown?: (line: string) => boolean;
  /** Ends the run when it is aborted. */
  readonly signal?: AbortSignal;
}

export interface ChildOutcome {
  readonly exitCode: number;
  /** The runs of its Pods, in the order of their beginning. */
  readonly runs: readonly NamedRun[];
  /** The nodes with faults on purpose, one for each fault. */
  readonly nodesLost: readonly string[];
}

/**
 * Runs `podrun apply -o json` as a process of its own, and reads what became of its Pods. Its messages are printed with
 * its name before each line. Ctrl-C ends it as it ends `apply`.
 * @throws {PodrunError} when the process cannot be started
 */
export async function applyInChild(
  cli: Cli,
  { name, args, command, isShown = () => true, signal }: ChildApply,
): Promise<ChildOutcome> {
  const stream: Buffer[] = [];
  const argv = [...cli.podrun, 'apply', ...args, '-o', 'json', ...(command ? ['--', ...command] : [])] as const;
  const tell = wholeLines((line) => {
    if (isShown(line)) cli.note(`${name}: ${line}`);
  });
  const request = {
    argv,
    env: cli.env,
    cwd: cli.cwd,
    interactive: cli.stdin.isTTY === true,
    output: { stdout: (chunk: Buffer) => void stream.push(chunk), stderr: tell },
  };
  const outcome = await startCommand(request, machineClock(cli.clock));
  if (!outcome.ok) throw new PodrunError('Unsupported', outcome.error);
  const signals = listenForSignals(cli, (name) => outcome.command.forward(name));
  const end = (): void => outcome.command.forward('SIGTERM');
  if (signal?.aborted === true) end();
  signal?.addEventListener('abort', end);
  try {
    const exitCode = await outcome.command.exitCode;
    await outcome.command.swept;
    await outcome.command.outputTaken;
    const text = Buffer.concat(stream).toString();
    return { exitCode, runs: runsInText(text, name), nodesLost: nodesLostIn(text, name) };
  } finally {
    signals.close();
  }
}

/** Passes on whole lines of a stream of bytes. */
function wholeLines(tell: (line: string) => void): (chunk: Buffer) => undefined {
  const decoder = new StringDecoder();
  let rest = '';
  return (chunk) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(tell);
  };
}
