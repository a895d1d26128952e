import { ApplyRun, ForeignRoots, type RunAgent, type RunListener, type RunOutcome } from '../../engine/index.ts';
import { unservedLines, type WorkloadKey } from '../../apiserver/index.ts';
import { resolvedUid, type StoredPod } from '../../api/index.ts';
import type { PodEvidence } from '../../history/index.ts';
import { type PodActivity, type Root, type RunRecord, verdictOf } from '../../lifecycle/index.ts';
import { adviseImages, jobsDone, RECORD_FAILURE } from '../../print/index.ts';
import { evidenceAbout, podEvidence } from '../../store/index.ts';
import { isOnPath } from '../base/program-on-path.ts';
import { RunReport } from './write-report.ts';
import type { ApplyView } from '../view/apply-view.ts';
import { annotateRun, annotatesForGitHub } from '../view/github-mistakes.ts';
import { explainOutcome, podsToExplain, rootsToExplain } from './explain-outcome.ts';
import { type GoalCommandOptions, UserCommand } from './goal-command.ts';
import { showProgress } from './run-progress.ts';
import type { ManifestsFollower, RunSession } from './session.ts';
import { listenForSignals } from '../base/signals.ts';

/** Runs the Pods of a run, and ends them: an agent of this process, or a cluster. */
export interface Running extends RunAgent {
  /** The applied Pods and workloads in their last state. */
  readonly roots: readonly Root[];
  /** The same after the end. */
  readonly endedRoots: readonly Root[];
  /** All Pods of the run, those of controllers included. */
  readonly allPods: readonly StoredPod[];
  readonly record: RunRecord;
  /** False while connections to Services do not reach the endpoints of the last change. */
  readonly areServicesCurrent: boolean;
  activityOf(uid: string): PodActivity | undefined;
  begin(): void;
  close(): Promise<void>;
}

/** A run to follow. */
export interface RunSource {
  /** Creates what runs the Pods. Nothing has begun. */
  readonly open: (onChange: () => void, onDefect: (defect: unknown) => void) => Running;
  /** Live Pods of other processes, which this process only waits for. */
  readonly live: readonly StoredPod[];
  /** Workloads whose controllers another process runs. */
  readonly liveWorkloads: readonly WorkloadKey[];
  /** True when the run has Pods that it ends. */
  readonly isOwnRun: boolean;
  /** With `--watch`: goes on until the user ends it, and may bring further Pods. */
  readonly following?: ManifestsFollower | undefined;
  /** The Pods that wait in vain once nothing else can happen. */
  readonly stuck: (roots: readonly Root[]) => readonly StoredPod[];
  /** The variables for COMMAND, when it starts. */
  readonly variables: (roots: readonly Root[]) => Record<string, string> | Promise<Record<string, string>>;
}

/** Follows a run until its end, or until a decision ends it. Answers the exit code. */
export async function followRun(session: RunSession, source: RunSource): Promise<number> {
  const { cli, plan, services, store, view } = session;
  const { following, isOwnRun, live, liveWorkloads } = source;
  const isAboutAll = plan.goal !== undefined || !isOwnRun;
  const report = openReport(session, isAboutAll ? [] : live);
  const look = jobsTeller(session);
  const running = source.open(
    () => look(run, running),
    (defect) => run.broken(defect),
  );
  view.follow((uid) => running.activityOf(uid));
  const others = new ForeignRoots(store, { pods: live, workloads: liveWorkloads, services }, () => run.check());
  const evidence = new Map<string, PodEvidence>();
  let seen: readonly Root[] = [];
  const allRoots = (): readonly Root[] => [...running.roots, ...others.roots];
  const allPods = (): readonly StoredPod[] => [...running.allPods, ...others.roots.flatMap(({ pods }) => pods)];
  const unserved = (): string[] => unservedLines(store, services, allRoots(), running);
  const command = userCommand(session, {
    variables: async () => source.variables(allRoots()),
    keepsOutput: report !== undefined,
    onStart: () => progress.close(),
  });
  const run = new ApplyRun({
    agent: running,
    // Without a goal, `apply` waits for Pods of other processes only when it runs nothing of its own.
    isOver: () => following === undefined && running.isOver && (others.isOver || (plan.goal === undefined && isOwnRun)),
    roots: allRoots,
    unserved,
    clock: cli.clock,
    goal: plan.goal,
    rules: plan.rules,
    stuck: () => source.stuck(running.roots),
    timeoutMs: plan.timeoutMs,
    command,
    onDecided: (outcome) => {
      following?.close();
      progress.close();
      // Evidence is collected at the decision: later states come from podrun ending the Pods.
      seen = rootsToExplain(outcome, plan.goal, allRoots());
      for (const pod of podsToExplain(outcome, seen)) evidence.set(resolvedUid(pod), podEvidence(store, pod));
      report?.decided(outcome, allRoots(), allPods());
      if (isOwnRun) view.ending(outcome);
    },
  });
  const progress = showProgress(session, { roots: allRoots, unserved, isOwnRun });
  const signals = listenForSignals(cli, (signal) => run.interrupt(signal));
  view.onReaderGone((how) => run.readerGone(how));
  running.begin();
  following?.begin();
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
function jobsTeller({ plan, view }: RunSession): (run: ApplyRun, running: Running) => void {
  let isTold = plan.goal !== undefined;
  return (run, running) => {
    run.check();
    const sentence = isTold ? undefined : jobsDone(running.roots);
    if (sentence === undefined) return;
    isTold = true;
    view.note(sentence);
  };
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
function tellOutcome(session: RunSession, { outcome, roots, seen, evidence, record }: EndedRun): number {
  const { cli, plan, store } = session;
  const explanation = explainOutcome({
    outcome,
    roots,
    seen,
    evidenceOf: (object) => evidence.get(resolvedUid(object)) ?? evidenceAbout(store, object),
    goal: plan.goal,
    flags: { ...cli.flags, ...session.flags },
    imageAdvice: (waiting) => adviceOn(session, waiting),
    nowMs: cli.clock.now().wallMs,
  });
  if (explanation !== '') cli.stderr.write(explanation);
  if (record !== 'complete') reportRecordFailure(session);
  return verdictOf(outcome, roots, record).exitCode;
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
    folder: flags.report,
    store,
    clock: cli.clock,
    goal: plan.goal,
    command: plan.command,
    others,
    expected: session.expected,
  });
}

/** The callbacks of a run that show everything in the view. */
export function showing(view: ApplyView): Omit<RunListener, 'onChange' | 'onDefect'> {
  return {
    onPod: (event) => view.pod(event),
    onOutput: (pod, container, stream, chunk) => view.output(pod, container, stream, chunk),
    onHookOutput: (pod, output) => view.hookOutput(pod, output),
    onEvent: (event) => view.event(event),
    onObject: (event) => view.object(event),
    onTrouble: (text) => view.trouble(text),
  };
}
