import {
  type BesideRoots,
  ForeignRoots,
  type ObjectGoals,
  type RunListener,
  type RunOutcome,
  type StartedRun,
} from '../../engine/index.ts';
import { authorsOfDeletions, TakenAddresses, unservedLines, type WorkloadKey } from '../../apiserver/index.ts';
import { resolvedUid, type StoredPod } from '../../api/index.ts';
import type { PodEvidence } from '../../history/index.ts';
import { type Root, type RunRecord, verdictOf } from '../../lifecycle/index.ts';
import { adviseImages, failingProbes, jobsDone, RECORD_FAILURE } from '../../print/index.ts';
import { evidenceAbout, podEvidence, RecordWatch } from '../../store/index.ts';
import { isOnPath } from '../base/process.ts';
import { RunReport } from './write-report.ts';
import type { ApplyView } from '../view/apply-view.ts';
import { annotateRun, annotatesForGitHub } from '../view/github-mistakes.ts';
import { explainOutcome, podsToExplain, rootsToExplain } from './explain-outcome.ts';
import { type GoalCommandOptions, UserCommand } from './goal-command.ts';
import { showProgress } from './run-progress.ts';
import { summaryFile, writeSummary } from './write-summary.ts';
import { objectGoalsOf } from './object-goals.ts';
import type { ManifestsFollower, RunSession } from './session.ts';
import type { NodeSettings } from '../../settings/index.ts';
import { type HeldSignals, listenForSignals } from '../base/signals.ts';

/** A run to follow: on this machine, or on a cluster. */
export interface RunSource {
  readonly running: StartedRun;
  /** Live Pods of other processes, which this process only waits for. */
  readonly live: readonly StoredPod[];
  /** Workloads whose controllers another process runs. */
  readonly liveWorkloads: readonly WorkloadKey[];
  /** The settings of the node of these Pods. Undefined: they are of a cluster. */
  readonly node?: NodeSettings | undefined;
  /** True when the run has Pods that it ends. */
  readonly isOwnRun: boolean;
  /** With `--watch`: follows the manifests until the user ends it, and may add Pods. */
  readonly following?: ManifestsFollower | undefined;
  /** The Pods that wait in vain once nothing else can happen. */
  readonly stuck: (roots: readonly Root[]) => readonly StoredPod[];
  /** The variables for COMMAND, when it starts. */
  readonly variables: (roots: readonly Root[]) => Record<string, string> | Promise<Record<string, string>>;
  /** Starts a container of a Pod again. Undefined: this process does not run the Pods. */
  readonly restart?: ((uid: string, container: string) => void) | undefined;
  /** The first signal from before the run could react. */
  readonly heldSignals: HeldSignals;
}

/** Follows a run until its end, or until a decision ends it. Returns the exit code. */
export async function followRun(session: RunSession, source: RunSource): Promise<number> {
  const { cli, plan, services, served, loose, store, view, api } = session;
  const { running, following, isOwnRun, live, liveWorkloads, node } = source;
  const isAboutAll = plan.goal !== undefined || !isOwnRun;
  const report = openReport(session, isAboutAll ? [] : live);
  view.follow({ activityOf: (uid) => running.activityOf(uid), restart: source.restart });
  // A subscription may report changes at once: the first check of the run sees them.
  let check: () => void = () => undefined;
  const others = new ForeignRoots(store, { pods: live, workloads: liveWorkloads, services, node }, () => check());
  const evidence = new Map<string, PodEvidence>();
  let decided: readonly Root[] = [];
  const allRoots = (): readonly Root[] => [...running.roots, ...others.roots];
  const allPods = (): readonly StoredPod[] => [...running.allPods, ...others.roots.flatMap(({ pods }) => pods)];
  let untold: readonly string[] = [];
  const objects = objectGoalsOf(session, () => check());
  const unserved = (): string[] => [...unservedBy(session, running, allRoots()), ...(objects?.pending ?? [])];
  const awaited = (): string[] => [...unserved(), ...(api?.hooks.unfinished ?? [])];
  const taken = new TakenAddresses(store, served, () => check());
  const command = userCommand(session, {
    variables: async () => source.variables(allRoots()),
    keepsOutput: report !== undefined || summaryFile(session) !== undefined,
    onStart: () => progress.close(),
  });
  const progress = showProgress(session, { roots: allRoots, unserved: awaited, isOwnRun });
  const begun = running.until({
    isOver: () => isOver(session, source, others, objects),
    roots: allRoots,
    unserved,
    unservable: (isAllReady) => [...taken.objects, ...(loose?.unservable(isAllReady) ?? []), ...(api?.refused ?? [])],
    beside: () => api?.hooks ?? NO_HOOKS,
    clock: cli.clock,
    goal: plan.goal,
    rules: plan.rules,
    stuck: () => source.stuck(running.roots),
    waitsForOthers: (uid) => running.waitsForOthers(uid) || others.waitsForOthers(uid),
    authors: () => authorsOfDeletions(store),
    timeoutMs: plan.timeoutMs,
    command,
    mayBeEmpty: isWithoutPods(source),
    onDecided: (outcome) => {
      following?.close();
      progress.close();
      // Evidence is collected at the decision: later states come from podrun ending the Pods.
      decided = allRoots();
      for (const each of evidenceOf(session, outcome, decided)) evidence.set(...each);
      untold = allPods().flatMap((pod) => (evidence.has(resolvedUid(pod)) ? [] : failuresOfProbes(session, pod)));
      report?.decided(outcome, decided, allPods());
      view.decided?.(outcome, decided);
      if (isOwnRun) view.ending(outcome);
    },
  });
  check = () => begun.check();
  const signals = listenForSignals(cli, (signal) => begun.interrupt(signal));
  view.onReaderGone((how) => begun.readerGone(how));
  tellJobsDone(session, running);
  begun.check();
  passOnEarlySignal(source, begun);
  const outcome = await begun.outcome;
  await running.close();
  // The signal listener stays until the report is written: a second Ctrl-C must not leave half of it.
  const record = running.record === 'complete' && isAboutAll ? others.record : running.record;
  const end = { roots: allRoots(), pods: allPods(), record, command: command?.record };
  report?.write(end, (trouble) => view.trouble(trouble));
  for (const each of [others, taken, objects, signals, view]) each?.close();
  for (const line of untold.slice(0, WARNINGS_MAX)) cli.warn(line);
  const roots = isAboutAll ? [...running.endedRoots, ...others.roots] : running.endedRoots;
  const verdict = tellOutcome(session, { outcome, roots, decided, evidence, record });
  writeSummary(session, { ...end, ...verdict, decided });
  return verdict.exitCode;
}

/** Lines about Services without a ready endpoint, and about objects that the API server does not take yet. */
function unservedBy({ store, services, api }: RunSession, running: StartedRun, roots: readonly Root[]): string[] {
  return [...unservedLines(store, services, roots, running), ...(api?.pending ?? [])];
}

const NO_HOOKS: BesideRoots = { unfinished: [], failed: [] };

/** True for a run that neither has Pods nor waits for Pods of other processes. */
function isWithoutPods({ isOwnRun, live, liveWorkloads }: RunSource): boolean {
  return !isOwnRun && live.length === 0 && liveWorkloads.length === 0;
}

/** True when nothing more can happen. */
function isOver(
  { plan }: RunSession,
  source: RunSource,
  others: ForeignRoots,
  objects: ObjectGoals | undefined,
): boolean {
  const { running, following, isOwnRun } = source;
  if (following !== undefined || !running.isOver) return false;
  // Without a Pod, other processes may still do what the objects wait for.
  if (isWithoutPods(source) && (objects?.pending.length ?? 0) > 0) return false;
  // Without a goal, `apply` waits for Pods of other processes only when it runs nothing of its own.
  return others.isOver || (plan.goal === undefined && isOwnRun);
}

/** The evidence about the Pods that explain an outcome, by their uid. */
function evidenceOf(
  { plan, store }: RunSession,
  outcome: RunOutcome,
  decided: readonly Root[],
): [string, PodEvidence][] {
  const seen = rootsToExplain(outcome, plan.goal, decided);
  return podsToExplain(outcome, seen).map((pod) => [resolvedUid(pod), podEvidence(store, pod)]);
}

/** The number of warnings about probes. */
const WARNINGS_MAX = 5;

/** Sentences about probes that have failed at every attempt. */
function failuresOfProbes({ store }: RunSession, pod: StoredPod): string[] {
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  if (containers.every(({ livenessProbe, startupProbe }) => (livenessProbe ?? startupProbe) === undefined)) return [];
  const watch = new RecordWatch(store, pod);
  const { attempts } = watch.records();
  watch.close();
  return failingProbes(pod, attempts);
}

function passOnEarlySignal({ heldSignals }: RunSource, run: ReturnType<StartedRun['until']>): void {
  const early = heldSignals.release();
  if (early !== undefined) run.interrupt(early);
}

/** Without a goal, notes once that all Jobs have ended while servers still run. */
function tellJobsDone({ plan, view }: RunSession, running: StartedRun): void {
  if (plan.goal !== undefined) return;
  const following = running.follow({
    changed: () => {
      const sentence = jobsDone(running.roots);
      if (sentence === undefined) return;
      following.close();
      view.note(sentence);
    },
  });
}

/** The end of a run. */
interface EndedRun {
  readonly outcome: RunOutcome;
  /** The roots in their final state. */
  readonly roots: readonly Root[];
  /** The roots in their state when the outcome was decided. */
  readonly decided: readonly Root[];
  /** The evidence of the Pods that explain the outcome, from the same time, by resolved uid. */
  readonly evidence: ReadonlyMap<string, PodEvidence>;
  readonly record: RunRecord;
}

/** Explains the outcome on standard error. */
function tellOutcome(
  session: RunSession,
  { outcome, roots, decided, evidence, record }: EndedRun,
): { readonly exitCode: number; readonly explanation: string } {
  const { cli, plan, store } = session;
  const explanation = explainOutcome({
    outcome,
    roots,
    seen: rootsToExplain(outcome, plan.goal, decided),
    evidenceOf: (object) => evidence.get(resolvedUid(object)) ?? evidenceAbout(store, object),
    goal: plan.goal,
    flags: { ...cli.flags, ...session.flags },
    imageAdvice: (waiting) => adviceOn(session, waiting),
    nowMs: cli.clock.now().wallMs,
  });
  if (explanation !== '') cli.stderr.write(explanation);
  if (record !== 'complete') reportRecordFailure(session);
  return { exitCode: verdictOf(outcome, roots, record).exitCode, explanation };
}

/** Reports that the record of the run has gaps, or is lost. */
function reportRecordFailure({ cli, flags }: RunSession): void {
  cli.stderr.write(`error: ${RECORD_FAILURE}\n`);
  if (annotatesForGitHub(cli, flags)) annotateRun(cli, RECORD_FAILURE);
}

/** The COMMAND of the command line, if there is one. */
function userCommand(
  { cli, plan, view }: RunSession,
  options: Pick<GoalCommandOptions, 'variables' | 'keepsOutput' | 'onStart'>,
): UserCommand | undefined {
  return plan.command === undefined ? undefined : new UserCommand({ cli, argv: plan.command, view, ...options });
}

/** Advice about entries of podrun.yaml that map images to programs. */
function adviceOn({ cli, config }: RunSession, pods: readonly StoredPod[]): string {
  return adviseImages({
    pods,
    configPath: config?.path ?? 'podrun.yaml',
    isOnPath: (program) => isOnPath(program, cli.env['PATH']),
  });
}

/**
 * The report of `--report`; undefined without the flag.
 * @param others Pods of other processes that `apply` changes and does not wait for
 */
export function openReport(session: RunSession, others: readonly StoredPod[]): RunReport | undefined {
  const { cli, flags, plan, store } = session;
  if (flags.report === undefined) return undefined;
  return new RunReport({
    folder: cli.pathOf(flags.report),
    store,
    clock: cli.clock,
    goal: plan.goal,
    command: plan.command,
    others,
    expected: session.expected,
  });
}

/** The callbacks of a run that show everything in the view. */
export function showing(view: ApplyView): RunListener {
  return {
    onPod: (event) => view.pod(event),
    onOutput: (pod, container, stream, chunk) => view.output(pod, container, stream, chunk),
    onHookOutput: (pod, output) => view.hookOutput(pod, output),
    onEvent: (event) => view.event(event),
    onObject: (event) => view.object(event),
    onTrouble: (text) => view.trouble(text),
  };
}
