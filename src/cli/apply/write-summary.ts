import { errorMessage, type StoredPod } from '../../api/index.ts';
import { type Root, rootEnd } from '../../lifecycle/index.ts';
import { renderSummary, rootName, rootState, type SummaryRow } from '../../print/index.ts';
import { RecordedRuns } from '../../store/index.ts';
import { recordedRun, type RunInTime } from '../timeline/chosen-runs.ts';
import { annotatesForGitHub } from '../view/github-mistakes.ts';
import { appendText } from '../report/report-folder.ts';
import type { CommandRecord } from './goal-command.ts';
import { isThere } from './run-progress.ts';
import type { RunSession } from './session.ts';

/** The end of a run, for its summary. */
export interface SummarizedRun {
  /** The roots when the end was decided: later changes come from podrun ending the Pods. */
  readonly decided: readonly Root[];
  readonly pods: readonly StoredPod[];
  readonly explanation: string;
  readonly exitCode: number;
  /** Undefined when COMMAND was not started. */
  readonly command: CommandRecord | undefined;
}

/** The file to which GitHub Actions wants the summary of a step. Undefined: none is wanted. */
export function summaryFile({ cli, flags }: Pick<RunSession, 'cli' | 'flags'>): string | undefined {
  return (annotatesForGitHub(cli, flags) && cli.env['GITHUB_STEP_SUMMARY']) || undefined;
}

/** Appends the summary of a run, where one is wanted. A failure is reported, and changes no exit code. */
export function writeSummary(session: RunSession, run: SummarizedRun): void {
  const file = summaryFile(session);
  if (file === undefined) return;
  const { decided, explanation, exitCode, command, pods } = run;
  const { plan, view } = session;
  try {
    const runs = timelinesOf(session, pods);
    const text = renderSummary({
      exitCode,
      rows: decided.map((root) => rowOf(session, root, runs)),
      explanation,
      steps: runs.flatMap(({ recorded, timeline: { criticalPath } }) =>
        criticalPath.steps.map((step) => ({ pod: recorded.name, step })),
      ),
      command: command && { name: (plan.command ?? []).join(' '), output: command.output },
    });
    appendText(session.cli.pathOf(file), text);
  } catch (error) {
    view.trouble(`the summary could not be written to ${file}: ${errorMessage(error)}`);
  }
}

function timelinesOf({ store, cli }: RunSession, pods: readonly StoredPod[]): RunInTime[] {
  const records = new RecordedRuns(store);
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  return [...new Set(pods.map(({ metadata }) => metadata.namespace))]
    .flatMap((namespace) => records.list({ namespace }))
    .filter(({ pod }) => uids.has(pod.metadata.uid))
    .map((run) => recordedRun(records, { run, workload: undefined }, cli.clock.now().wallMs));
}

function rowOf({ plan }: RunSession, root: Root, runs: readonly RunInTime[]): SummaryRow {
  const { pods } = root;
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  const paths = runs.filter(({ recorded }) => uids.has(recorded.uid)).map(({ timeline }) => timeline.criticalPath);
  const isReady = paths.length > 0 && paths.every((path) => path.isReady);
  const statuses = pods.flatMap(({ status }) => [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
  ]);
  return {
    about: rootName(root),
    isWell: plan.goal === undefined ? rootEnd(root) !== 'failed' : isThere(root, plan.goal),
    state: rootState(root),
    readyMs: isReady ? Math.max(...paths.map(({ toMs }) => toMs)) : undefined,
    restarts: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
  };
}
