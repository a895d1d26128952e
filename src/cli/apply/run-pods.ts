import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { ApplyRun, type RunOutcome } from '../../agent/apply-run.ts';
import type { makeImageMap } from '../../agent/config/image-map.ts';
import { closeLostRuns } from '../../agent/clean-up/lost-runs.ts';
import type { ConfigFile } from '../../agent/config/config-file.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { SystemClock } from '../../clock.ts';
import { goalText } from '../../lifecycle/requests/goal.ts';
import type { NetworkFacts } from '../../runtime/network/detect.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { ApplyFlags } from './apply.ts';
import type { ApplyPlan } from './apply-input.ts';
import { type ChosenRuntime, lackOf } from './choose-runtime.ts';
import { explainOutcome, exitCodeOf } from './apply-outcome.ts';
import type { ApplyView } from '../view/apply-view.ts';
import type { Begun } from './begin-runs.ts';
import { rememberCreated } from './last-manifest.ts';
import { LivePods } from './live-pods.ts';
import { goalCommand } from './goal-command.ts';
import { type AgentSettings, makeAgent } from './make-agent.ts';
import { openRuntime } from './open-runtime.ts';
import { type HeldSignals, listenForSignals } from './signals.ts';

/** A run of `apply`, and all that it is about. */
export interface Session {
  readonly flags: ApplyFlags;
  readonly plan: ApplyPlan;
  readonly clock: SystemClock;
  readonly store: FileStore;
  readonly view: ApplyView;
  readonly images: ReturnType<typeof makeImageMap>;
  readonly config: ConfigFile | undefined;
  /** How its Pods are kept apart from the machine; it may have to be found out. */
  readonly runtime: Promise<ChosenRuntime>;
  /** What has asked the run to end before it could. */
  readonly held?: HeldSignals;
  /** How Pods get networks of their own; undefined: they share that of the host. */
  readonly privateNetworks: NetworkFacts | undefined;
}

/** What a run waits for: Pods of its own, which it runs and ends, and Pods that others run, which it leaves alone. */
export interface RunPods {
  readonly begun: readonly Begun[];
  readonly live: readonly StoredPod[];
}

/** Runs the Pods to their end, whatever brings it about. */
export async function runPods(session: Session, { begun, live }: RunPods): Promise<number> {
  const { plan, clock, store, view } = session;
  const settings = await settingsOf(
    session,
    begun.map(({ pod }) => pod),
  );
  const runtime = await openRuntime(store, clock, settings);
  // The first container would have to wait for this; a failure shows at its start.
  if (begun.length > 0) void runtime.prepare().catch(() => undefined);
  const killAll = (): void => runtime.killAll();
  process.once('exit', killAll);
  const agent = makeAgent({
    settings,
    store,
    clock,
    runtime,
    onOutput: (pod, container, stream, chunk) => view.output(pod, container, stream, chunk),
    onHookOutput: (pod, output) => view.hookOutput(pod, output),
    onOver: () => run.look(),
    onEvent: (event) => view.event(event),
    onTrouble: (error) => view.trouble(error.message),
  });
  const others = new LivePods(store, live, () => run.look());
  // As last told, which is a moment before the agent's own view changes: no state that decides may be missed.
  const latest = new Map(begun.map(({ pod }) => [pod.metadata.uid, pod]));
  const run = new ApplyRun({
    agent,
    // Without a goal, Pods of others are waited for only where there are no others to wait for.
    isOver: () => agent.isOver && (others.isOver || (plan.goal === undefined && begun.length > 0)),
    pods: () => [...latest.values(), ...others.pods],
    clock,
    goal: plan.goal,
    timeoutMs: plan.timeoutMs,
    command: plan.command && goalCommand(plan.command, view),
    onDecided: (outcome) => {
      if (begun.length > 0) view.ending(outcome);
    },
  });
  const signals = listenForSignals(clock, (signal) => run.interrupt(signal));
  view.onReaderGone((how) => run.interrupt(how));
  const subscriptions = begun.map(({ pod: { metadata } }) =>
    store.watch<StoredPod>('pods', { namespace: metadata.namespace, name: metadata.name }, (event) => {
      if (event.object.metadata.uid !== metadata.uid) return;
      latest.set(metadata.uid, event.object);
      view.pod(event);
      run.look();
    }),
  );
  for (const { pod } of begun) view.pod({ type: 'ADDED', object: pod });
  for (const { pod } of begun) agent.run(pod);
  run.look();
  const early = session.held?.release();
  if (early !== undefined) run.interrupt(early);
  const settled = settle(session, begun).catch((error: unknown) =>
    view.trouble(error instanceof Error ? error.message : String(error)),
  );

  const outcome = await run.outcome;
  await settled;
  for (const subscription of subscriptions) subscription.close();
  others.close();
  agent.close();
  signals.close();
  for (const { release } of begun) release();
  await runtime.close();
  process.off('exit', killAll);
  view.close();
  const isAboutAll = plan.goal !== undefined || begun.length === 0;
  return conclude(session, outcome, isAboutAll ? [...agent.pods, ...others.pods] : agent.pods);
}

/** How Pods of this command are run. What they ask for and this machine does not permit is said. */
export async function settingsOf(session: Session, pods: readonly StoredPod[]): Promise<AgentSettings> {
  const { plan, images, config, flags, view, privateNetworks } = session;
  const chosen = await session.runtime;
  const lack = await lackOf(chosen, pods);
  if (lack !== undefined) view.trouble(lack);
  return {
    images,
    crashLoop: plan.crashLoop,
    nodeLabels: config?.nodeLabels ?? {},
    nodeTaints: config?.nodeTaints ?? [],
    podPidsLimit: config?.podPidsLimit,
    pollsMemory: flags.enforceMemory === 'poll',
    privateNetworks,
    hostEnv: process.env,
    cwd: process.cwd(),
    features: chosen.features,
    sharedFolders: flags.isolate ? [] : workFolders(),
    strictPid1: flags.strictPid1,
    isBestEffort: flags.bestEffort,
  };
}

/** Where people work, and where their tools expect to find each other's files. */
function workFolders(): string[] {
  return [process.cwd(), homedir(), '/tmp', tmpdir()].filter((folder) => path.isAbsolute(folder));
}

/** What must neither delay these Pods nor end them: their manifests, and what other podruns have left behind. */
async function settle({ store, clock, view }: Session, begun: readonly Begun[]): Promise<void> {
  for (const { pod, written } of begun) rememberCreated(store, pod, written);
  await closeLostRuns(store, clock, (text) => view.trouble(text));
}

async function conclude(session: Session, outcome: RunOutcome, pods: readonly StoredPod[]): Promise<number> {
  const { flags, store } = session;
  const nowMs = session.clock.now().wallMs;
  const goal = session.plan.goal === undefined ? '' : goalText(session.plan.goal);
  const explanation = explainOutcome({ outcome, pods, store, goal, timeout: flags.timeout, nowMs });
  if (explanation !== '') process.stderr.write(explanation);
  return exitCodeOf(outcome, pods);
}
