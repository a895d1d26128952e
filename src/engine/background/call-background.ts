import { PodrunError } from '../../api/index.ts';
import { startInBackground } from '../../runtime/index.ts';
import type { BackgroundAgents } from '../../store/index.ts';

/** Variables that podrun itself needs, beside the variables for containers. */
const OWN_VARIABLES = ['XDG_RUNTIME_DIR'];

/**
 * The command line that starts podrun, without arguments: Node.js with its options, and the program. It is handed in: a
 * process that calls podrun's code may be another program.
 */
export type PodrunProgram = readonly [string, ...string[]];

export interface BackgroundPodrun {
  readonly podrun: PodrunProgram;
  readonly command: string;
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
  /** The name of the process, for messages. */
  readonly what: string;
}

/**
 * Starts podrun in the background, and returns its first line.
 * @throws {PodrunError} when the start fails, or the process ends before it writes a line
 */
export async function callBackground(
  agents: BackgroundAgents,
  { podrun, command, id, env, what }: BackgroundPodrun,
): Promise<string> {
  const log = agents.openLog();
  const cannot = (why: string): PodrunError =>
    new PodrunError('Unreachable', `${what} cannot be started: ${why}`, { hint: `Its output is in ${log}.` });
  const own = OWN_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const answer = await startInBackground({
    argv: [...podrun, '--state-dir', agents.root, command, id],
    env: { ...env, ...Object.fromEntries(own) },
    // A working folder elsewhere would keep its file system from being unmounted.
    cwd: '/',
    log,
  }).catch((error: unknown) => {
    throw cannot(error instanceof Error ? error.message : String(error));
  });
  if (answer.type === 'said') return answer.line;
  throw cannot(answer.signal === null ? `it ended with exit code ${answer.exitCode}` : `${answer.signal} ended it`);
}
