import { existsSync } from 'node:fs';
import { KeptRuntime } from './keeper/kept-runtime.ts';
import type { KeptContainer } from './keeper/protocol.ts';
import { controllerOf, EXIT, formatTime, PodrunError, type StoredPod } from '../../api/index.ts';
import { type Clock, machineClock } from '../../clock.ts';
import { killGroup, localProcesses } from '../../runtime/index.ts';
import { BackgroundAgents, type FileStore, keyText, noBackgroundAgent } from '../../store/index.ts';
import { type OwnedWorkload, servicesOfAgent, workloadsOfAgent } from '../run/begin-workloads.ts';
import { Run } from '../run/run.ts';
import { type RunListener, UNWATCHED } from '../run/run-input.ts';
import type { AgentSettings } from '../../settings/index.ts';
import { shrinkOnce, SmallHeap } from '../run/small-heap.ts';
import {
  type AgentAnswer,
  type Assignment,
  callBackground,
  KEEPER_COMMAND,
  type PodrunProgram,
  sendAnswer,
  type ObjectsForApi,
} from './call-background.ts';
import type { NodeClient } from '../../apiserver/index.ts';
import { endContainers, endNetworkOf, endStrays, foundOf, type Resumed, takeOver } from './take-over.ts';

/**
 * A server in the process of an agent. Resolves when it is to end: `leave` leaves the containers to their keeper and
 * the next server, `end` ends all Pods.
 */
export type Serving = (run: Run) => Promise<'leave' | 'end'>;

/** The process that runs an agent or a keeper. */
export interface BackgroundProcess {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly podrun: PodrunProgram;
  /** Writes a line into the log of the agent. */
  readonly report: (line: string) => void;
  /** Serves the API beside the agent: see Serving. Undefined: the agent ends with its Pods. */
  readonly serving?: Serving | undefined;
  /** Opens the API server of an agent whose settings ask for one. Undefined: this process is a server itself. */
  readonly openApi?: OpenApi | undefined;
}

/** Opens an API server beside a run, and stores the first objects. */
export type OpenApi = (node: NodeClient, served: ObjectsForApi | undefined) => Promise<AgentApi>;

/** The API server of an agent. */
export interface AgentApi extends Pick<Extract<AgentAnswer, { type: 'began' }>, 'stored' | 'warnings' | 'refused'> {
  readonly close: () => Promise<void>;
}

/** The parts of a background agent, the process behind `podrun apply --detach`. */
interface BackgroundAgent {
  readonly id: string;
  readonly store: FileStore;
  readonly clock: Clock;
  readonly agents: BackgroundAgents;
  readonly settings: AgentSettings;
  readonly runtime: KeptRuntime;
  /** Pods of this agent, by uid. */
  readonly pods: Map<string, StoredPod>;
  readonly trouble: (text: string) => void;
  readonly serving: Serving | undefined;
  readonly openApi: OpenApi | undefined;
}

/**
 * Runs Pods until their end: the Pods of the assignment, and the Pods of a former process of the same agent. When this
 * process is killed, its containers keep running under their keeper.
 */
export async function runAgent(
  id: string,
  { store, clock, podrun, report, serving, openApi }: BackgroundProcess,
): Promise<number> {
  const agents = new BackgroundAgents(store.root, localProcesses);
  // A server has recorded the agent itself.
  const other = agents.claim(id, serving === undefined ? process.ppid : process.pid);
  if (other !== undefined) throw new PodrunError('Conflict', `process ${other.pid} is background agent ${id} already`);
  const settings = agents.settings<AgentSettings>(id);
  if (settings === undefined) throw noBackgroundAgent(id);
  const pods = new Map<string, StoredPod>();
  const trouble = (text: string): void => {
    report(`${formatTime(clock.now().wallMs)} ${text}`);
  };
  const runtime = openRuntime(podrun, { id, store, clock, agents, settings, pods, trouble });
  try {
    const parts = { id, store, clock, agents, settings, runtime, pods, trouble, serving };
    const isOnRecord = await runPods({ ...parts, openApi: settings.hasApi === true ? openApi : undefined });
    return isOnRecord ? EXIT.ok : EXIT.failed;
  } catch (error) {
    if (!(error instanceof PodrunError) || serving !== undefined) throw error;
    const { code, message, hint } = error;
    sendAnswer({ type: 'failed', code, message, hint });
    return error.exitCode;
  }
}

function openRuntime(
  podrun: PodrunProgram,
  { id, store, agents, settings, pods, clock, trouble }: Omit<BackgroundAgent, 'runtime' | 'serving' | 'openApi'>,
): KeptRuntime {
  const env = settings.hostEnv as Readonly<Record<string, string>>;
  return new KeptRuntime({
    clock,
    socket: agents.paths(id).keeperSocket,
    features: settings.features,
    startKeeper: async () => {
      await callBackground(agents, { podrun, command: KEEPER_COMMAND, id, env, what: 'the keeper of the containers' });
    },
    logPlaceOf: (instance) => {
      const [uid = '', container = '', attempt = ''] = instance.split('/');
      const { namespace = '', name = '' } = pods.get(uid)?.metadata ?? {};
      return { namespace, name, uid, container, attempt: Number(attempt) };
    },
    endRemains: async (ids) => {
      const concerned = [...pods].filter(([uid]) => ids.some((containerId) => containerId.startsWith(`${uid}/`)));
      for (const [, pod] of concerned) await endContainers(store, pod, clock).catch(() => undefined);
    },
    onTrouble: trouble,
  });
}

/** Runs all Pods of the agent. Returns false when the state folder was lost, and with it the record of a Pod. */
async function runPods(background: BackgroundAgent): Promise<boolean> {
  const { id, store, clock, agents, runtime } = background;
  const kept = await runtime.findKept();
  const resumed = takeOver(id, store);
  if (kept === undefined) {
    runtime.remember(agents.exits<KeptContainer>(id));
    for (const { pod } of resumed) await endContainers(store, pod, clock);
  } else {
    endStrays(runtime, kept, resumed);
  }
  const { run, api } = await startRun(background, resumed, kept);
  const { serving } = background;
  const over = run.whenOver().then(() => 'end' as const);
  const how = await (serving === undefined ? over : Promise.race([over, serving(run)]));
  // The next server takes over.
  if (how === 'leave' && !run.isIdle) return true;
  await run.end({ force: false });
  await api?.close();
  await runtime.close();
  agents.remove(id, killGroup);
  return run.record !== 'lost';
}

/**
 * Starts the run of the assignment, with the Pods and workloads of the former process.
 * @param kept the containers of resumed Pods that still run, or have ended. Undefined: their keeper is gone
 */
async function startRun(
  background: BackgroundAgent,
  resumed: readonly Resumed[],
  kept: readonly KeptContainer[] | undefined,
): Promise<{ readonly run: Run; readonly api: AgentApi | undefined }> {
  const { id, store, clock, agents, settings, runtime, serving, openApi } = background;
  const beginning = agents.beginning<Assignment>(id);
  const { pods = [], workloads = [], services = [], isRolling, command } = beginning ?? {};
  let api: AgentApi | undefined;
  const resting = workloadsOfAgent(store, id);
  const containers = kept ?? agents.exits<KeptContainer>(id);
  const known = new Set(resumed.map(({ pod }) => keyText(pod.metadata)));
  const run = await Run.start({
    objects: {
      pods: pods.filter(({ object }) => !known.has(keyText(object.metadata))),
      workloads,
      services: serving === undefined ? [...services, ...servicesOfAgent(store, id)] : undefined,
      isRolling,
    },
    nodes: settings.nodes,
    settings: () => settings,
    store,
    clock,
    owner: { command: serving === undefined ? command || (resting[0]?.command ?? '') : 'serve', agent: id },
    isServing: serving !== undefined,
    openApi:
      openApi &&
      (async (node) => {
        api = await openApi(node, beginning?.served);
      }),
    kept: {
      runtime,
      // A keeper that has ended by itself has removed its socket: no container needed it, and the sandboxes stay.
      isNew: kept === undefined && existsSync(agents.paths(id).keeperSocket),
      networkRecord: agents.networkRecord(id),
      resumed: resumed.map(({ pod, release }) => ({ pod, release, instances: foundOf(pod, containers) })),
      resting,
    },
    listener: listenerOf(background, resumed),
    onClaimed: (claimed) => {
      agents.hasBegun(id);
      if (serving === undefined)
        sendAnswer({
          type: 'began',
          owned: claimed.owned.map(({ pod }) => pod),
          foreign: claimed.foreign.map(({ object }) => keyText(object.metadata)),
          resumed: namesOf(claimed.workloads, resumed),
          stored: api?.stored ?? [],
          warnings: api?.warnings ?? [],
          refused: api?.refused ?? [],
        });
      // A server may end it from now on, to take over: its starter has had its answer.
      agents.markReady(id);
    },
  });
  return { run, api };
}

/** Names workloads and Pods for people: `deployment/web`, `pod/one`. Workloads stand for their Pods. */
function namesOf(workloads: readonly OwnedWorkload[], resumed: readonly Resumed[]): string[] {
  const standalone = resumed.filter(({ pod }) => workloads.length === 0 || controllerOf(pod) === undefined);
  return [
    ...workloads.map(({ object }) => `${object.kind.toLowerCase()}/${object.metadata.name}`),
    ...standalone.map(({ pod }) => `pod/${pod.metadata.name}`),
  ];
}

/** No user watches the Pods of a background agent through it. Its keeper forgets Pods that are over or removed. */
function listenerOf(
  { clock, pods, runtime, serving, trouble }: BackgroundAgent,
  resumed: readonly Resumed[],
): RunListener {
  const heap = new SmallHeap([], serving && (() => shrinkOnce(machineClock(clock))));
  const forget = (pod: StoredPod): void => {
    endNetworkOf(pod, resumed);
    runtime.forget(pod.metadata.uid);
  };
  return {
    ...UNWATCHED,
    onPod: ({ type, object }) => {
      if (type === 'ADDED') {
        pods.set(object.metadata.uid, object);
        heap.add(object);
        return;
      }
      heap.pod(object, type === 'DELETED');
      if (type !== 'DELETED') return;
      forget(object);
      if (controllerOf(object) !== undefined || serving !== undefined) pods.delete(object.metadata.uid);
    },
    onOver: forget,
    onTrouble: trouble,
  };
}
