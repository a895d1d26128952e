import { KeptRuntime } from './keeper/kept-runtime.ts';
import type { KeptContainer } from './keeper/protocol.ts';
import { EXIT, hasCode, PodrunError } from '../../api/errors.ts';
import { controllerOf, type StoredPod } from '../../api/objects.ts';
import { formatTime } from '../../api/time.ts';
import { type Clock, machineClock } from '../../clock.ts';
import { killGroup } from '../../runtime/kill.ts';
import { localProcesses } from '../../runtime/watch/process-identity.ts';
import { BackgroundAgents, noBackgroundAgent } from '../../store/owners/background-agents.ts';
import type { FileStore } from '../../store/file-store.ts';
import { type OwnedRun, beginRuns } from '../begin-runs.ts';
import { beginWorkloads, claimWorkload, type OwnedWorkload, workloadsOfAgent } from '../begin-workloads.ts';
import { hasOwners, type LoopOptions, openLoop } from '../open-loop.ts';
import type { WorkloadLoop } from '../../workloads/workload-loop.ts';
import { keyText } from '../../store/records/listing.ts';
import { rememberCreated } from '../../store/records/last-manifest.ts';
import { Agent } from '../../kubelet/agent.ts';
import type { AgentSettings } from '../../settings/agent-settings.ts';
import { StateGuard } from '../state-guard.ts';
import { shrinkOnce, SmallHeap } from '../small-heap.ts';
import { KEEPER_COMMAND } from './command-names.ts';
import { type Assignment, sendAnswer } from './answer.ts';
import { callBackground, type PodrunProgram } from './call-background.ts';
import { servedAgent, type Serving } from './served-agent.ts';
import { endContainers, endNetworkOf, endStrays, foundOf, type Resumed, takeOver } from './take-over.ts';

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

/** Runs all Pods of the agent. Answers false when the state folder was lost, and with it the record of a Pod. */
async function runPods(background: BackgroundAgent): Promise<boolean> {
  const { id, store, clock, agents, runtime, pods } = background;
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
  for (const { pod } of [...resumed, ...owned]) pods.set(pod.metadata.uid, pod);
  const isOnRecord = await runToTheEnd(background, {
    owned,
    resumed,
    kept: kept ?? agents.exits<KeptContainer>(id),
    workloads,
    command: title.command || (resting[0]?.command ?? ''),
  });
  // The next server goes on.
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
 * Runs the Pods and workloads until all are over. Answers false when the state folder was lost; `left` when a server
 * has ended before its Pods.
 */
async function runToTheEnd(background: BackgroundAgent, work: AgentWork): Promise<boolean | 'left'> {
  const { id, agents, store, clock, runtime, pods, trouble, serving } = background;
  let guard: StateGuard | undefined;
  const releases = new Map([...work.owned, ...work.resumed].map(({ pod, release }) => [pod.metadata.uid, release]));
  let loop: WorkloadLoop | undefined;
  const heap = new SmallHeap([...pods.values()], serving && (() => shrinkOnce(machineClock(clock))));
  const subscription = store.watch<StoredPod>('pods', {}, ({ type, object }) => {
    heap.pod(object, type === 'DELETED');
    if (type !== 'DELETED') return;
    endNetworkOf(object, work.resumed);
    runtime.forget(object.metadata.uid);
    const isForgotten = controllerOf(object) !== undefined || serving !== undefined;
    if (isForgotten && releases.delete(object.metadata.uid)) pods.delete(object.metadata.uid);
  });
  const onStarted = (pod: StoredPod, release: () => void): void => {
    heap.add(pod);
    releases.set(pod.metadata.uid, release);
    pods.set(pod.metadata.uid, pod);
  };
  let isServing = serving !== undefined;
  const ended = await new Promise<Agent | 'left'>((resolve, reject) => {
    const look = (): void => {
      if (!isServing && agent.isOver && (loop?.isOver ?? true)) resolve(agent);
    };
    const endAll = (): void => {
      isServing = false;
      loop?.stop();
      agent.terminate({ force: false });
      look();
    };
    const agent = new Agent({
      ...background,
      ...SILENT,
      forgetsRemoved: serving !== undefined,
      networkRecord: agents.networkRecord(id),
      onOver: (pod) => {
        endNetworkOf(pod, work.resumed);
        runtime.forget(pod.metadata.uid);
        look();
      },
      onRecordLost: (pod) => guard?.recordLost(pod),
      onTrouble: (error) => tellTrouble(background, error),
    });
    guard = new StateGuard({
      store,
      clock,
      onLost: (why) => {
        trouble(`${why}: ending its Pods`);
        endAll();
      },
      onRenewed: () => agent.lookForObjects(),
      onTrouble: trouble,
    });
    beginPods(store, agent, work);
    loop = beginLoop(background, agent, work, { onStarted, onTurn: look });
    const served = serving?.(servedAgent({ id, store, agent, loop, onStarted }));
    served?.then((how) => (how === 'leave' && !isIdle(agent, loop) ? resolve('left') : endAll()), reject);
    look();
  });
  if (ended === 'left') return ended;
  subscription.close();
  guard?.close();
  const hasFolder = guard?.hasLostFolder !== true;
  if (hasFolder) for (const release of releases.values()) release();
  // Its helper no longer serves a Service that another agent takes up.
  await ended.close();
  if (hasFolder) loop?.close();
  return guard?.hasLost !== true;
}

/** True when nothing is left that a keeper or the next server would go on with. */
function isIdle(agent: Agent, loop: WorkloadLoop | undefined): boolean {
  return agent.isOver && loop?.isEmpty === true;
}

function tellTrouble({ pods, store, trouble }: BackgroundAgent, error: Error): void {
  if (hasCode(error, 'Disk')) for (const { metadata } of pods.values()) store.markIncomplete(metadata);
  trouble(error.message);
}

function beginPods(store: FileStore, agent: Agent, { owned, resumed, kept }: AgentWork): void {
  for (const { pod } of resumed) agent.resume(pod, foundOf(pod, kept));
  for (const { pod, written } of owned) {
    rememberCreated(store, pod, written);
    agent.run(pod);
  }
}

/** Nobody watches the Pods of a background agent through it. */
const SILENT = {
  logsElsewhere: true,
  onOutput: () => undefined,
  onHookOutput: () => undefined,
  onEvent: () => undefined,
} as const;

/** Begins to run the controllers of the workloads. */
function beginLoop(
  { id, store, clock, settings, trouble, serving }: BackgroundAgent,
  agent: Agent,
  { owned, resumed, workloads, command }: AgentWork,
  listeners: Pick<LoopOptions, 'onStarted' | 'onTurn'>,
): WorkloadLoop {
  const loop = openLoop({
    ...listeners,
    store,
    clock,
    agent,
    jobBackOff: settings.jobBackOff,
    owner: { command, agent: id },
    forgetsRemoved: serving !== undefined,
    onObject: () => undefined,
    onEvent: () => undefined,
    onTrouble: (error) => trouble(error.message),
  });
  for (const { object, release } of workloads) {
    loop.add(object, release);
    loop.followServices(object.metadata.namespace);
  }
  for (const { pod } of [...resumed, ...owned]) {
    loop.followServices(pod.metadata.namespace);
    if (hasOwners(pod)) loop.follow(pod);
  }
  return loop;
}
