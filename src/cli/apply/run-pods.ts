import path from 'node:path';
import { ApplyRun, type RunOutcome } from '../../agent/runs/apply-run.ts';
import type { ConfigFile } from '../../agent/config/config-file.ts';
import { resolvedUid, type StoredPod } from '../../api/objects.ts';
import { commandVariables } from '../../lifecycle/requests/command-variables.ts';
import { goalText } from '../../lifecycle/requests/goal.ts';
import type { Root } from '../../lifecycle/requests/root.ts';
import { stuckPods } from '../../lifecycle/requests/stuck.ts';
import { type RunRecord, verdictOf } from '../../lifecycle/requests/verdict.ts';
import { obstacleText } from '../../machine/obstacle.ts';
import { RECORD_FAILURE } from '../../print/report/fit-verdict.ts';
import type { PodEvidence } from '../../history/evidence.ts';
import { jobsDone } from '../../print/workloads/jobs-done.ts';
import { adviseImages } from '../../print/waits/image-advice.ts';
import type { OwnedWorkload, WorkloadKey } from '../../agent/runs/begin-workloads.ts';
import { calledCommand } from '../environment.ts';
import type { OwnedRun } from '../../agent/runs/begin-runs.ts';
import { type ChosenRuntime, unmetRequests } from '../../agent/setup/choose-runtime.ts';
import { ForeignRoots } from '../../agent/runs/foreign-roots.ts';
import type { AgentSettings } from '../../agent/setup/agent-settings.ts';
import { evidenceAbout, podEvidence } from '../../store/records/pod-evidence.ts';
import { isOnPath } from '../program-on-path.ts';
import { type RunListener, RunningPods } from '../../agent/runs/running-pods.ts';
import { closeInheritedDescriptors } from '../../runtime/helpers/inherited-descriptors.ts';
import type { Cli } from '../cli.ts';
import { serviceFacts } from '../../agent/network/service-facts.ts';
import { serviceVariables } from '../../lifecycle/environment/environment-services.ts';
import type { FileStore } from '../../store/file-store.ts';
import { RunReport } from '../report/write-report.ts';
import { SmallHeap } from '../../agent/runs/small-heap.ts';
import { annotatesForGitHub } from '../view/github-mistakes.ts';
import type { ApplyView } from '../view/apply-view.ts';
import { annotateRun } from '../view/github-mistakes.ts';
import type { ApplyFlags } from './apply-flags.ts';
import { explainOutcome, podsToExplain, rootsToExplain } from './explain-outcome.ts';
import { firstPullTeller } from './first-pull.ts';
import { UserCommand } from './goal-command.ts';
import { showProgress } from './run-progress.ts';
import { unservedLines } from '../../objects/services/unserved.ts';
import type { ApplySession } from './session.ts';
import { listenForSignals } from './signals.ts';

/**
 * The Pods of a run: Pods that this process runs and ends, and live Pods of other processes, which it only waits for.
 */
export interface RunPods {
  readonly owned: readonly OwnedRun[];
  /** Workloads whose controllers this process runs. */
  readonly workloads: readonly OwnedWorkload[];
  readonly live: readonly StoredPod[];
  /** Workloads whose controllers another process runs. */
  readonly liveWorkloads: readonly WorkloadKey[];
}

/** Runs the Pods until their end, or until a decision ends them. */
export async function runPods(
  session: ApplySession,
  { owned, workloads, live, liveWorkloads }: RunPods,
): Promise<number> {
  const { cli, flags, plan, services, store, view } = session;
  closeInheritedDescriptors();
  const isOwnRun = owned.length > 0 || workloads.length > 0 || flags.staticPods !== undefined;
  const isAboutAll = plan.goal !== undefined || !isOwnRun;
  const report = openReport(session, isAboutAll ? [] : live);
  const own = owned.map(({ pod }) => pod);
  const look = jobsTeller(session);
  const settings = await settingsOf(session);
  const running = new RunningPods({
    settings,
    store,
    clock: cli.clock,
    owned,
    workloads,
    staticPods: flags.staticPods,
    command: calledCommand(cli),
    listener: { ...showing(view, own), onPull: firstPullTeller(session), onChange: () => look(run, running) },
  });
  view.follow((uid) => running.agent.activityOf(uid));
  const others = new ForeignRoots(store, { pods: live, workloads: liveWorkloads, services }, () => run.check());
  const evidence = new Map<string, PodEvidence>();
  let seen: readonly Root[] = [];
  const allRoots = (): readonly Root[] => [...running.roots, ...others.roots];
  const allPods = (): readonly StoredPod[] => [...running.allPods, ...others.roots.flatMap(({ pods }) => pods)];
  const command = userCommand(session, allRoots, report !== undefined, () => progress.close());
  const run = new ApplyRun({
    agent: running,
    // Without a goal, `apply` waits for Pods of other processes only when it runs nothing of its own.
    isOver: () => running.isOver && (others.isOver || (plan.goal === undefined && isOwnRun)),
    roots: allRoots,
    unserved: () => unservedLines(store, services, allRoots()),
    clock: cli.clock,
    goal: plan.goal,
    rules: plan.rules,
    // A registry may have the image later, as on a node.
    stuck: () => (pullsImages(settings) ? [] : stuckPods(running.roots)),
    timeoutMs: plan.timeoutMs,
    command,
    onDecided: (outcome) => {
      progress.close();
      // Evidence is collected at the decision: later states come from podrun ending the Pods.
      seen = rootsToExplain(outcome, plan.goal, allRoots());
      for (const pod of podsToExplain(outcome, seen)) evidence.set(resolvedUid(pod), podEvidence(store, pod));
      report?.decided(outcome, allRoots(), allPods());
      if (isOwnRun) view.ending(outcome);
    },
  });
  const progress = showProgress(session, allRoots, isOwnRun);
  const signals = listenForSignals(cli, (signal) => run.interrupt(signal));
  view.onReaderGone((how) => run.readerGone(how));
  running.begin();
  const early = session.heldSignals?.release();
  if (early !== undefined) run.interrupt(early);

  const outcome = await run.outcome;
  await running.close();
  // The signal listener stays until the report is written: a second Ctrl-C must not leave half of it.
  const record = running.record === 'complete' && isAboutAll ? others.record : running.record;
  const end = { roots: allRoots(), pods: allPods(), record, command: command?.record };
  report?.write(end, (trouble) => view.trouble(trouble));
  others.close();
  signals.close();
  view.close();
  const roots = isAboutAll ? [...running.endedRoots, ...others.roots] : running.endedRoots;
  return tellOutcome(session, { outcome, roots, seen, evidence, record });
}

/** Checks a run after each change. Without a goal, tells once that all Jobs have ended while its servers go on. */
function jobsTeller({ plan, view }: ApplySession): (run: ApplyRun, running: RunningPods) => void {
  let isTold = plan.goal !== undefined;
  return (run, running) => {
    run.check();
    const sentence = isTold ? undefined : jobsDone(running.roots);
    if (sentence === undefined) return;
    isTold = true;
    view.note(sentence);
  };
}

/** True when images of registries may be what a Pod waits for. */
function pullsImages({ imageSource, features }: AgentSettings): boolean {
  return imageSource === 'registry' || (imageSource === 'auto' && features.tier === 'namespace');
}

/** The end of a run. */
interface EndedRun {
  readonly outcome: RunOutcome;
  /** The roots in their final state. */
  readonly roots: readonly Root[];
  /** The roots that explain the outcome, in their state when it was decided. */
  readonly seen: readonly Root[];
  /** The evidence of their Pods, from the same time, by resolved uid. */
  readonly evidence: ReadonlyMap<string, PodEvidence>;
  readonly record: RunRecord;
}

/** Explains the outcome on standard error. Answers the exit code. */
function tellOutcome(session: ApplySession, { outcome, roots, seen, evidence, record }: EndedRun): number {
  const { cli, plan, store } = session;
  const explanation = explainOutcome({
    outcome,
    roots,
    seen,
    evidenceOf: (object) => evidence.get(resolvedUid(object)) ?? evidenceAbout(store, object),
    goal: plan.goal,
    flags: { ...session.flags, ...cli.flags },
    imageAdvice: (waiting) => adviceOn(session, waiting),
    nowMs: cli.clock.now().wallMs,
  });
  if (explanation !== '') cli.stderr.write(explanation);
  if (record !== 'complete') reportRecordFailure(session);
  return verdictOf(outcome, roots, record).exitCode;
}

/** Reports that the record of the run has gaps, or is lost. */
function reportRecordFailure({ cli, flags }: ApplySession): void {
  cli.stderr.write(`error: ${RECORD_FAILURE}\n`);
  if (annotatesForGitHub(cli, flags)) annotateRun(cli, RECORD_FAILURE);
}

/** The COMMAND of the command line, if there is one. */
function userCommand(
  { cli, plan, view, store }: ApplySession,
  roots: () => readonly Root[],
  keepsOutput: boolean,
  onStart: () => void,
): UserCommand | undefined {
  if (plan.command === undefined) return undefined;
  const variables = (): Record<string, string> => ({
    ...serviceAddresses(store, roots()),
    ...commandVariables(roots(), path.resolve(store.root)),
  });
  return new UserCommand({ cli, argv: plan.command, view, variables, keepsOutput, onStart });
}

/** `NAME_SERVICE_HOST` and `NAME_SERVICE_PORT` of the Services beside the roots, as this machine reaches them. */
function serviceAddresses(store: FileStore, roots: readonly Root[]): Record<string, string> {
  const namespaces = new Set(roots.map(({ object }) => object.metadata.namespace));
  const variables = [...namespaces].flatMap((namespace) => [
    ...serviceVariables(serviceFacts(store, namespace, 'host'), namespace, true),
  ]);
  return Object.fromEntries(variables.filter(([name]) => /_SERVICE_(HOST|PORT(_\w+)?)$/.test(name)));
}

/** Advice about entries of podrun.yaml that map images to programs. */
function adviceOn({ cli, config }: ApplySession, pods: readonly StoredPod[]): string {
  return adviseImages({
    pods,
    configPath: config?.path ?? 'podrun.yaml',
    isOnPath: (program) => isOnPath(program, cli.env['PATH']),
  });
}

/** Passes the events of the run to the view. */
function showing(view: ApplyView, pods: readonly StoredPod[]): Omit<RunListener, 'onChange'> {
  const heap = new SmallHeap(pods);
  return {
    onPod: (event) => {
      view.pod(event);
      heap.pod(event.object);
    },
    onOutput: (pod, container, stream, chunk) => view.output(pod, container, stream, chunk),
    onHookOutput: (pod, output) => view.hookOutput(pod, output),
    onEvent: (event) => view.event(event),
    onObject: (event) => view.object(event),
    onTrouble: (text) => view.trouble(text),
  };
}

/**
 * The report of `--report`; undefined without the flag.
 * @param others Pods of other processes that `apply` changes and does not wait for
 */
export function openReport(session: ApplySession, others: readonly StoredPod[]): RunReport | undefined {
  const { cli, flags, plan, store } = session;
  if (flags.report === undefined) return undefined;
  return new RunReport({
    folder: flags.report,
    store,
    clock: cli.clock,
    goal: plan.goal,
    command: plan.command,
    others,
    expected: session.expected,
  });
}

/** The settings of the agent. Prints requests of the Pods that this machine cannot meet. */
export async function settingsOf(session: ApplySession): Promise<AgentSettings> {
  const { cli, view } = session;
  const chosen = await session.runtime;
  if (cli.isVerbose) printDecisions(session, chosen);
  const lack = unmetRequests(chosen, session.planned);
  if (lack !== undefined) view.trouble(lack);
  return { ...session.settings, features: chosen.features };
}

/** Prints the decisions before the Pods run, and their sources, for --verbose. */
function printDecisions({ cli, flags, plan, config }: ApplySession, { features, lack }: ChosenRuntime): void {
  cli.detail(
    config === undefined ? 'found no podrun.yaml in this folder or those above' : `settings of ${config.path}`,
  );
  const why = lack === undefined ? '' : `; ${obstacleText(lack.why)}`;
  cli.detail(`runtime tier ${features.tier}: ${whoChoseRuntime(cli, flags, config)}${why}`);
  const goal = plan.goal === undefined ? 'every Pod has ended' : `every Pod is ${goalText(plan.goal)}`;
  cli.detail(`waiting until ${goal}, ${flags.timeout === undefined ? 'without a time limit' : `for ${flags.timeout}`}`);
}

function whoChoseRuntime({ env }: Cli, { runtime }: ApplyFlags, config: ConfigFile | undefined): string {
  if (runtime !== undefined) return `--runtime ${runtime}`;
  const variable = env['PODRUN_RUNTIME'];
  if (variable) return `PODRUN_RUNTIME=${variable}`;
  return config?.runtime === undefined
    ? 'the best that this machine permits'
    : `runtime: ${config.runtime} of ${config.path}`;
}
