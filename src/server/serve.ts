import type { AgentSettings } from '../settings/index.ts';
import { type ErrorCode, PodrunError } from '../api/index.ts';
import { judgeAll, type JudgedFaults, type PodrunProgram, runAgent } from '../engine/index.ts';
import { type Clock, sleep } from '../clock.ts';
import { localProcesses, memoryMounts, sendSignal } from '../runtime/index.ts';
import { BackgroundAgents, FileStore } from '../store/index.ts';
import { claimServer } from './claim-server.ts';
import type { AuthorizationMode } from '../apiserver/index.ts';
import { type ApiServer, openApiServer } from './open-server.ts';
import { releaseMemory } from './release-memory.ts';

/** The settings of a server. Only data and functions: the command line loads this room as a bundle of its own. */
export interface ServeOptions {
  /** The state folder. */
  readonly root: string;
  /** See FileStoreOptions. */
  readonly memoryMountPoints: readonly string[];
  readonly clock: Clock;
  /** Starts the keeper of the containers. */
  readonly podrun: PodrunProgram;
  readonly settings: AgentSettings;
  /** dist/descriptions.json. */
  readonly descriptionsFile: string;
  readonly host?: string | undefined;
  /** See ApiServerOptions. */
  readonly port: number | undefined;
  readonly authorization?: AuthorizationMode | undefined;
  /** See ApiServerOptions. */
  readonly auditLog?: string | undefined;
  /** Writes a line to the log. */
  readonly report: (line: string) => void;
  /** Called when the server is ready. Resolves when it is to end: see Serving of engine/background/run-agent.ts. */
  readonly onReady: (server: ServingServer) => Promise<'leave' | 'end'>;
}

/** A server, with the Pods behind it. */
export interface ServingServer extends ApiServer {
  /** Begins to judge all Pods and workloads while a COMMAND runs. The result returns what has failed. */
  readonly watchFaults: () => () => JudgedFaults;
}

const LOOK_AGAIN_MS = 20;
const OTHER_ENDS_MS = 10_000;

/** The end of a server. The error is plain data: its class is another one in the bundle of the command line. */
export type ServeOutcome =
  | { readonly ok: true; readonly exitCode: number }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly hint: string | undefined };

/**
 * Serves the API and runs Pods and controllers behind it, as one node, until `onReady` resolves. Resumes with what the
 * last server of the state folder has left. Fails when another server of the state folder runs, or the server cannot
 * listen.
 */
export async function serveCluster(options: ServeOptions): Promise<ServeOutcome> {
  try {
    return { ok: true, exitCode: await serve(options) };
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    const { code, message, hint } = error;
    return { ok: false, code, message, hint };
  }
}

async function serve({ root, memoryMountPoints, ...options }: ServeOptions): Promise<number> {
  const { clock, podrun, settings, report, onReady, ...listening } = options;
  const store = new FileStore({ root, clock, processes: localProcesses, memoryMountPoints, memoryMounts });
  // It ends with this process: the next server has the agent then.
  const claim = await claimServer(store.root, clock);
  const agents = new BackgroundAgents(store.root, localProcesses);
  const id = await serverAgent(agents, { ...settings, isServer: true }, clock);
  return runAgent(id, {
    store,
    clock,
    podrun,
    report,
    serving: async (run) => {
      const server = await openApiServer({ ...listening, store, clock, claim, node: run.asNode(), report });
      const memory = releaseMemory(clock);
      try {
        return await onReady({ ...server, watchFaults: () => judgeAll(store) });
      } finally {
        memory.close();
        await server.close();
      }
    },
  });
}

/** The agent of the server: the agent of the last server, or a new one. This process stands for it from now on. */
async function serverAgent(agents: BackgroundAgents, settings: AgentSettings, clock: Clock): Promise<string> {
  const id = agents.list().find((each) => agents.settings<AgentSettings>(each)?.isServer === true);
  if (id === undefined || !(await takeFrom(agents, id, clock)))
    return agents.create(settings, { pods: [], workloads: [], command: 'serve' });
  agents.changeSettings(id, settings);
  return id;
}

/**
 * Makes this process the agent of the last server. Ends the agent that another command has started in its place; that
 * command itself is left alone, and has started the agent in a moment.
 * @returns false when the agent has ended with its last Pod
 */
async function takeFrom(agents: BackgroundAgents, id: string, clock: Clock): Promise<boolean> {
  const untilMs = clock.now().monotonicMs + OTHER_ENDS_MS;
  for (;;) {
    const present = agents.processOf(id);
    if (present === undefined) return false;
    if (agents.isGone(present) && agents.claim(id) === undefined) return true;
    if (clock.now().monotonicMs > untilMs)
      throw new PodrunError('Conflict', `process ${present.pid} is the agent of the server and does not end`);
    if (present.isReady && agents.isHere(present)) sendSignal(present.pid, 'SIGTERM');
    await sleep(clock, LOOK_AGAIN_MS);
  }
}
