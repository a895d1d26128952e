import type { Socket } from 'node:net';
import { childrenOf } from '../watch/process-table.ts';
import { runHelper } from '../base/helper.ts';
import type { Inside, ProgramCall } from '../base/inside.ts';
import { sendSignal } from '../watch/kill.ts';
import { exitOf, type MainProcess, pipedInput, type TerminalOutcome } from '../start/main-process.ts';
import type { ContainerLaunch, TerminalSize } from '../base/runtime.ts';
import { spawnLeader } from '../start/spawn.ts';

const NOT_RESIZED =
  'the terminal comes from script(1), whose size is fixed: the package @lydell/node-pty is not installed';
const NONE =
  'there is no terminal: neither the package @lydell/node-pty is installed nor script(1) of util-linux, on Linux';

export interface ScriptRequest {
  readonly launch: ContainerLaunch;
  /** The program to start in the terminal. */
  readonly call: ProgramCall;
  readonly inside: Inside;
  readonly size: TerminalSize;
  /** The key that ends the input. */
  readonly endOfInput: Buffer;
}

/** Starts the main process of a container in the terminal that script(1) makes. */
export async function startUnderScript(request: ScriptRequest): Promise<TerminalOutcome> {
  if (!(await hasScript())) return { ok: false, why: NONE };
  const { size, endOfInput, inside, launch } = request;
  const { argv, env, cwd } = request.call;
  // script runs the command in $SHELL: the program gets its own SHELL back.
  const shell = env['SHELL'] === undefined ? 'unset SHELL' : `SHELL=${quoted(env['SHELL'])}`;
  const command = `${shell}; stty rows ${size.rows} cols ${size.columns}; exec ${argv.map(quoted).join(' ')}`;
  const spawned = await spawnLeader({
    file: 'script',
    argv: ['script', '-qefc', command, '/dev/null'],
    env: { ...env, SHELL: '/bin/sh' },
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  if (!spawned.ok) return { ok: false, why: NONE };
  const { child, pid } = spawned;
  const [input, output] = [child.stdin, child.stdout as Socket | null];
  if (input === null || output === null) throw new Error('script was started without pipes');
  input.on('error', () => undefined);
  output.on('data', (chunk: Buffer) => launch.onOutput('stdout', chunk));
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const program = childrenOf(pid)[0] ?? pid;
  const programPid = await inside.programOf(program);
  const process: MainProcess = {
    pid,
    programPid,
    ended: exitOf(child),
    finishOutput: () => closed,
    // script itself would answer a signal by killing the program without a grace period.
    signal: (number) => sendSignal(inside.isSealed ? programPid : (childrenOf(pid)[0] ?? pid), number),
    streams: {
      input: pipedInput(input, endOfInput),
      terminal: { resize: () => undefined },
      holdOutput: (held) => void (held ? output.pause() : output.resume()),
    },
  };
  return { ok: true, process, notice: NOT_RESIZED };
}

/** True when there is a script(1) of util-linux, which returns the exit code and keeps its children visible. */
export async function hasScript(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const outcome = await runHelper({ program: 'script', args: ['--version'] });
  return outcome.ok && outcome.stdout.includes('util-linux');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
