import path from 'node:path';
import { Agent } from '../agent/agent.ts';
import { ApplyRun, type RunOutcome } from '../agent/apply-run.ts';
import { closeLostRuns } from '../agent/lost-runs.ts';
import { readConfigFile } from '../agent/config-file.ts';
import { makeImageMap } from '../agent/image-map.ts';
import { readNode } from '../agent/node.ts';
import type { StoredPod } from '../api/objects.ts';
import { SystemClock } from '../clock.ts';
import { goalText } from '../lifecycle/goal.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import { fieldHasNoEffect } from '../lifecycle/texts/events.ts';
import { idleFields } from '../manifest/support/idle-fields.ts';
import { ProcessRuntime } from '../runtime/process-runtime.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { FileStore } from '../store/file-store.ts';
import type { ApplyFlags } from './apply.ts';
import { type ApplyPlan, planApply, sortObjects } from './apply-input.ts';
import { explainOutcome, exitCodeOf } from './apply-outcome.ts';
import type { ApplyView } from './apply-view.ts';
import { beginRuns } from './begin-runs.ts';
import { openStore } from './environment.ts';
import { openView } from './open-view.ts';
import { goalCommand } from './goal-command.ts';
import { loadOrExplain, printDryRun } from './manifest-input.ts';
import { podFiles } from './pod-files.ts';
import { storeRecord } from './store-record.ts';
import { listenForSignals } from './signals.ts';
import { tellIdleFields } from './tell-idle-fields.ts';

/** `podrun apply`: flags in, exit code out. */
export async function apply(flags: ApplyFlags, command: readonly string[] | undefined): Promise<number> {
  const plan = planApply(flags, command);
  const loaded = await loadOrExplain(flags);
  if (!loaded.ok) return loaded.exitCode;
  if (flags.dryRun !== 'none') return printDryRun(loaded.objects, flags);
  const { pods, records } = sortObjects(loaded.objects);
  const config = await readConfigFile({ path: flags.config, cwd: process.cwd() });
  const images = makeImageMap(flags.image, config);
  const clock = new SystemClock();
  const store = openStore(flags.stateDir, clock);
  const view = await openView({ flags, clock, pods });
  const warn = (text: string): void => view.trouble(text);
  try {
    for (const object of records) {
      view.note(storeRecord(store, object));
      tellIdleFields(object, { store, clock, nodeName: readNode({ storageDir: store.root }).name, warn });
    }
    if (pods.length === 0) return 0;
    const nodeLabels = config?.nodeLabels ?? {};
    return await runPods({ flags, plan, clock, store, view, pods, images, nodeLabels });
  } finally {
    view.close();
  }
}

interface Session {
  readonly flags: ApplyFlags;
  readonly plan: ApplyPlan;
  readonly clock: SystemClock;
  readonly store: FileStore;
  readonly view: ApplyView;
  readonly pods: readonly StoredPod[];
  readonly images: ReturnType<typeof makeImageMap>;
  readonly nodeLabels: Readonly<Record<string, string>>;
}

/** Runs the Pods to their end, whatever brings it about. */
async function runPods(session: Session): Promise<number> {
  const { plan, clock, store, view, pods } = session;
  const runtime = new ProcessRuntime({ clock, fifoDir: path.join(store.root, '.fifos') });
  // The first container would have to wait for this; a failure shows at its start.
  void runtime.prepare().catch(() => undefined);
  const killAll = (): void => runtime.killAll();
  process.once('exit', killAll);
  const begun = await beginRuns(store, clock, pods);
  const agent = makeAgent(session, runtime, () => run.look());
  // As last told, which is a moment before the agent's own view changes: no state that decides may be missed.
  const latest = new Map(begun.map(({ pod }) => [pod.metadata.uid, pod]));
  const run = new ApplyRun({
    agent,
    pods: () => [...latest.values()],
    clock,
    goal: plan.goal,
    timeoutMs: plan.timeoutMs,
    command: plan.command && goalCommand(plan.command, view),
    onDecided: (outcome) => view.ending(outcome),
  });
  const signals = listenForSignals(clock, (signal) => run.interrupt(signal));
  view.onReaderGone(() => run.interrupt('SIGPIPE'));
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
  // Others' remains must neither delay these Pods nor end them.
  const cleaned = closeLostRuns(store, clock, (text) => view.trouble(text)).catch((error: unknown) =>
    view.trouble(error instanceof Error ? error.message : String(error)),
  );

  const outcome = await run.outcome;
  await cleaned;
  for (const subscription of subscriptions) subscription.close();
  agent.close();
  signals.close();
  for (const { release } of begun) release();
  process.off('exit', killAll);
  view.close();
  return conclude(session, outcome, agent.pods);
}

function makeAgent(
  { plan, clock, store, view, images, nodeLabels }: Session,
  runtime: Runtime,
  look: () => void,
): Agent {
  return new Agent({
    store,
    files: podFiles(store),
    clock,
    runtime,
    node: readNode({ storageDir: store.root, labels: nodeLabels }),
    images,
    crashLoop: plan.crashLoop,
    hostEnv: process.env,
    identity: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    cwd: process.cwd(),
    notices: noticesOf,
    onOutput: (pod, container, stream, chunk) => view.output(pod, container, stream, chunk),
    onHookOutput: (pod, output) => view.hookOutput(pod, output),
    onOver: look,
    onEvent: (event) => view.event(event),
    onTrouble: (error) => view.trouble(error.message),
  });
}

async function conclude(session: Session, outcome: RunOutcome, pods: readonly StoredPod[]): Promise<number> {
  const { flags, store } = session;
  const nowMs = session.clock.now().wallMs;
  const goal = session.plan.goal === undefined ? '' : goalText(session.plan.goal);
  const explanation = explainOutcome({ outcome, pods, store, goal, timeout: flags.timeout, nowMs });
  if (explanation !== '') process.stderr.write(explanation);
  if (flags.keep !== undefined) await keepNewest(session, flags.keep);
  return exitCodeOf(outcome, pods);
}

/** Removes Pods that have ended, those of this run among them, and says which; in each namespace that it used. */
async function keepNewest({ store, clock, pods }: Session, keep: number): Promise<void> {
  const { removePods } = await import('../agent/collect-garbage.ts');
  const tell = ({ name, namespace }: { readonly name: string; readonly namespace: string }): void => {
    process.stderr.write(`pod "${name}" deleted from ${namespace} namespace (--keep ${keep})\n`);
  };
  for (const namespace of new Set(pods.map(({ metadata }) => metadata.namespace))) {
    await removePods({ store, clock, namespace, keep, dryRun: false, tell });
  }
}

function noticesOf(pod: StoredPod): EventDraft[] {
  return idleFields({ ...pod }).map(fieldHasNoEffect);
}
