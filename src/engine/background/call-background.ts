import { closeSync, writeSync } from 'node:fs';
import { type ErrorCode, errorMessage, type KubeObject, PodrunError, type StoredPod } from '../../api/index.ts';
import { ANSWER_DESCRIPTOR, startInBackground } from '../../runtime/index.ts';
import type { ManifestManager } from '../../apiserver/index.ts';
import type { Unservable } from '../../lifecycle/index.ts';
import type { BackgroundAgents } from '../../store/index.ts';
import type { RunObjects } from '../run/run-input.ts';

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
    throw cannot(errorMessage(error));
  });
  if (answer.type === 'said') return answer.line;
  throw cannot(answer.signal === null ? `it ended with exit code ${answer.exitCode}` : `${answer.signal} ended it`);
}

/** The command of a background agent. podrun calls this command and the next one itself: both are hidden from help. */
export const AGENT_COMMAND = 'run-background-agent';
/** The command of the keeper, which holds the containers of a background agent. */
export const KEEPER_COMMAND = 'run-container-keeper';

/** The first Pods and workloads of a background agent. */
export interface Assignment extends RunObjects {
  /** The command line of the user, for messages. */
  readonly command: string;
  /** The objects that the API server of the agent stores before it runs anything. Default: none. */
  readonly served?: ObjectsForApi | undefined;
}

/** Objects for an API server, as they are written. */
export interface ObjectsForApi {
  /** The namespace of objects that name none. */
  readonly namespace: string;
  readonly objects: ReadonlyArray<{ readonly object: KubeObject; readonly place: string }>;
  /** The owner of their fields. Undefined: podrun. */
  readonly manager?: ManifestManager | undefined;
  /** True: an object that exists is an error. Default: it is changed. */
  readonly creates?: boolean | undefined;
}

/** The line that a background agent writes to the process that started it. */
export type AgentAnswer =
  | {
      readonly type: 'began';
      /** Pods that the agent has begun to run, as created. */
      readonly owned: readonly StoredPod[];
      /** `NAMESPACE/NAME` of Pods that another process has begun to run meanwhile. The agent leaves them alone. */
      readonly foreign: readonly string[];
      /** Workloads and Pods that the agent took over from a former agent: `deployment/web`, `pod/one`. */
      readonly resumed: readonly string[];
      /** Lines about the objects that its API server has stored, its warnings, and the objects that it did not take. */
      readonly stored: readonly string[];
      readonly warnings: readonly string[];
      readonly refused: readonly Unservable[];
    }
  | { readonly type: 'failed'; readonly message: string; readonly hint: string | undefined; readonly code: ErrorCode };

/** Writes a line to the process that started this one, and closes the descriptor. */
export function sendAnswer(answer: AgentAnswer | { readonly type: 'listening' }): void {
  try {
    writeSync(ANSWER_DESCRIPTOR, `${JSON.stringify(answer)}\n`);
    closeSync(ANSWER_DESCRIPTOR);
  } catch {
    // The process that asked is gone.
  }
}
