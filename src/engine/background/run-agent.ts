import { KeptRuntime } from './keeper/kept-runtime.ts';
import type { KeptContainer } from './keeper/protocol.ts';
import { controllerOf, EXIT, formatTime, PodrunError, type StoredPod } from '../../api/index.ts';
import { type Clock, machineClock } from '../../clock.ts';
import { killGroup, localProcesses } from '../../runtime/index.ts';
import { BackgroundAgents, type FileStore, keyText, noBackgroundAgent } from '../../store/index.ts';
import { type OwnedRun, beginRuns } from '../run/begin-runs.ts';
import { beginWorkloads, claimWorkload, type OwnedWorkload, workloadsOfAgent } from '../run/begin-workloads.ts';
import { Run } from '../run/run.ts';
import { type RunListener, UNWATCHED } from '../run/run-input.ts';
import type { AgentSettings } from '../../settings/index.ts';
import { shrinkOnce, SmallHeap } from '../run/small-heap.ts';
import { KEEPER_COMMAND } from './command-names.ts';
import { type Assignment, sendAnswer } from './answer.ts';
import { callBackground, type PodrunProgram } from './call-background.ts';
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
}

/**
 * Runs Pods until their end: the Pods of the assignment, and the Pods of a former process of the same agent. When this
 * process is killed, its containers keep running under their keeper.
 */
export async function runAgent(
  id: string,
  { store, clock, podrun, report, serving }: BackgroundProcess,
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
    const isOnRecord = await runPods({ id, store, clock, agents, settings, runtime, pods, trouble, serving });
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
  { id, store, agents, settings, pods, clock, trouble }: Omit<BackgroundAgent, 'runtime' | 'serving'>,
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
  const assignment = agents.beginning<Assignment>(id);
  const resting = workloadsOfAgent(store, id);
  const uids = new Set(resumed.map(({ pod }) => keyText(pod.metadata)));
  const wanted = assignment?.pods.filter(({ object }) => !uids.has(keyText(object.metadata))) ?? [];
  const title = { command: assignment?.command ?? '', agent: id };
  const { owned, foreign } = await beginRuns(store, clock, wanted, title);
  const workloads = [
    ...resting.flatMap(({ key, command }) => claimWorkload(store, key, command, id) ?? []),
    ...(await beginWorkloads(store, clock, assignment?.workloads ?? [], title)),
  ];
  agents.hasBegun(id);
  if (background.serving === undefined)
    sendAnswer({
      type: 'began',
      owned: owned.map(({ pod }) => pod),
      foreign: foreign.map(({ object }) => keyText(object.metadata)),
      resumed: namesOf(workloads, resumed),
    });
  // A server may end it from now on, to take over: its starter has had its answer.
  agents.markReady(id);
  const isOnRecord = await runToTheEnd(background, {
    owned,
    resumed,
    kept: kept ?? agents.exits<KeptContainer>(id),
    workloads,
    command: background.serving === undefined ? title.command || (resting[0]?.command ?? '') : 'serve',
  });
  // The next server takes over.
  if (isOnRecord === 'left') return true;
  await runtime.close();
  agents.remove(id, killGroup);
  return isOnRecord;
}

/** Names workloads and Pods for people: `deployment/web`, `pod/one`. Workloads stand for their Pods. */
function namesOf(workloads: readonly OwnedWorkload[], resumed: readonly Resumed[]): string[] {
  const apart = resumed.filter(({ pod }) => workloads.length === 0 || controllerOf(pod) === undefined);
  return [
    ...workloads.map(({ object }) => `${object.kind.toLowerCase()}/${object.metadata.name}`),
    ...apart.map(({ pod }) => `pod/${pod.metadata.name}`),
  ];
}

/** All that a background agent begins with. */
interface AgentWork {
  readonly owned: readonly OwnedRun[];
  readonly resumed: readonly Resumed[];
  /** The containers of resumed Pods that still run, or have ended. */
  readonly kept: readonly KeptContainer[];
  readonly workloads: readonly OwnedWorkload[];
  /** The command line of the user, for messages. */
  readonly command: string;
}

/**
 * Runs the Pods and workloads until all are over. Returns false when the state folder was lost; `left` when a server
 * has ended before its Pods.
 */
async function runToTheEnd(background: BackgroundAgent, work: AgentWork): Promise<boolean | 'left'> {
  const { id, agents, store, clock, settings, runtime, serving } = background;
  const { owned, resumed, kept, workloads, command } = work;
  const run = new Run({
    settings,
    store,
    clock,
    owner: { command, agent: id },
    owned,
    workloads,
    isServing: serving !== undefined,
    kept: {
      runtime,
      networkRecord: agents.networkRecord(id),
      resumed: resumed.map(({ pod, release }) => ({ pod, release, instances: foundOf(pod, kept) })),
    },
    listener: listenerOf(background, resumed),
  });
  run.begin();
  const over = run.whenOver().then(() => 'end' as const);
  const how = await (serving === undefined ? over : Promise.race([over, serving(run)]));
  if (how === 'leave' && !run.isIdle) return 'left';
  await run.end({ force: false });
  return run.record !== 'lost';
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
