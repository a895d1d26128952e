import path from 'node:path';
import type { RunOutcome } from '../../engine/index.ts';
import { errorMessage, formatTime, parseTime, type StoredEvent, type StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { type RunGoal, wantedOf } from '../../controllers/index.ts';
import { podRoot, type Root, type RunRecord, type Unservable, verdictOf } from '../../lifecycle/index.ts';
import {
  describeExitCode,
  fitVerdict,
  type JunitCase,
  type JunitSuite,
  type ObjectSuite,
  podCases,
  RECORD_FAILURE,
  renderJunit,
  workloadCase,
  workloadGroups,
} from '../../print/index.ts';
import type { CommandRecord } from './goal-command.ts';
import { isThere } from './run-progress.ts';
import type { ApplyExpectations } from '../history/expectations.ts';
import type { PodEvidence } from '../../history/index.ts';
import {
  type FileStore,
  instanceLogPath,
  instancesLogged,
  logOutput,
  podEvidence,
  RecordedRuns,
} from '../../store/index.ts';
import { lanesOf, createdMs, isPresent, recordedRun, type RunInTime } from '../timeline/chosen-runs.ts';
import { eventsOf, runPage } from '../timeline/run-page.ts';
import { topWorkload, workloadsAbove } from '../../apiserver/index.ts';
import { removeOldLogs, writeText, writeReplacing } from '../report/report-folder.ts';

/** The contents of a report. */
export interface ReportRequest {
  readonly folder: string;
  readonly store: FileStore;
  readonly clock: Clock;
  readonly goal: RunGoal | undefined;
  /** COMMAND, as written. */
  readonly command: readonly string[] | undefined;
  /** Pods of other processes that `apply` changed and did not wait for. */
  readonly others: readonly StoredPod[];
  /** The expectations of `--expect`. */
  readonly expected: ApplyExpectations | undefined;
}

/** The state of a run at the time when its end was decided. */
interface Decision {
  readonly roots: readonly Root[];
  readonly pods: readonly StoredPod[];
  readonly evidence: ReadonlyMap<string, PodEvidence>;
  readonly outcome: RunOutcome;
  readonly atMs: number;
}

/** The end of a run. */
interface FinishedRun {
  /** The roots and all Pods in their final state. */
  readonly roots: readonly Root[];
  readonly pods: readonly StoredPod[];
  readonly record: RunRecord;
  /** Undefined when COMMAND was not started. */
  readonly command: CommandRecord | undefined;
}

/** Writes the report of a run of `apply` into a folder: timeline.html, junit.xml, pods.json, events.json and logs. */
export class RunReport {
  readonly #request: ReportRequest;
  readonly #startedMs: number;
  #decision: Decision | undefined;

  constructor(request: ReportRequest) {
    this.#request = request;
    this.#startedMs = request.clock.now().wallMs;
  }

  /** Notes the decision about the end: later changes come from podrun ending the Pods. */
  decided(outcome: RunOutcome, roots: readonly Root[], pods: readonly StoredPod[]): void {
    const { store, clock } = this.#request;
    const evidence = new Map(pods.map((pod) => [pod.metadata.uid, podEvidence(store, pod)]));
    this.#decision = { roots, pods, evidence, outcome, atMs: clock.now().wallMs };
  }

  /**
   * Writes the report, each file at once.
   * @param onTrouble called with the reason of a failure: the exit code of the run does not change
   */
  write(end: FinishedRun, onTrouble: (text: string) => void): void {
    const { pods, roots } = end;
    const { folder, store, clock } = this.#request;
    try {
      const runs = this.#runsOf(pods, roots);
      const nowMs = clock.now().wallMs;
      const file = (name: string): string => path.join(folder, name);
      this.#writeLogs(runs);
      writeText(file('pods.json'), json(pods));
      writeText(file('events.json'), json(runs.flatMap(({ recorded }) => eventsOf(recorded))));
      if (runs.length > 0) writeText(file('timeline.html'), runPage(runs, lanesOf(store, runs), nowMs));
      writeText(file('junit.xml'), renderJunit('podrun', this.#suites(end, runs)));
    } catch (error) {
      onTrouble(`the report could not be written to ${folder}: ${errorMessage(error)}`);
    }
  }

  /** The runs of the Pods, and of earlier Pods that the workloads of this run have replaced. */
  #runsOf(pods: readonly StoredPod[], roots: readonly Root[]): RunInTime[] {
    const { store, clock } = this.#request;
    const records = new RecordedRuns(store);
    const above = workloadsAbove(store);
    const nowMs = clock.now().wallMs;
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    const workloads = new Set(roots.map(({ object }) => object.metadata.uid));
    const isReplaced = (pod: StoredPod): boolean =>
      parseTime(pod.metadata.creationTimestamp) >= this.#startedMs && above(pod).some(({ uid }) => workloads.has(uid));
    const namespaces = new Set(roots.map(({ object }) => object.metadata.namespace));
    const runs = [...namespaces]
      .flatMap((namespace) => records.list({ namespace }))
      .filter((run) => uids.has(run.pod.metadata.uid) || isReplaced(run.pod))
      .toSorted((a, b) => createdMs(a) - createdMs(b))
      .map((run) => recordedRun(records, { run, workload: topWorkload(above, run.pod) }, nowMs));
    return workloadGroups(runs).flatMap(({ members }) => members);
  }

  #suites({ roots, pods, record, command }: FinishedRun, runs: readonly RunInTime[]): readonly JunitSuite[] {
    const outcome = this.#decision?.outcome;
    const suites = [...this.#workloadSuites(roots), ...pods.map((pod) => this.#podSuite(pod, runs))];
    const own = this.#commandSuite(outcome, command);
    const unservable = outcome?.type === 'unservable' ? outcome.objects.map(unservableSuite) : [];
    const hasOwnCase = own?.cases.some(({ result }) => result.type === 'failed') === true || unservable.length > 0;
    const why = hasOwnCase ? '' : whyFailed(outcome, record);
    const fitting = outcome === undefined ? suites : fitVerdict(suites, verdictOf(outcome, roots, record), why);
    const expected = this.#request.expected?.suites(this.#request.store) ?? [];
    return [...fitting, ...unservable, ...(own === undefined ? [] : [own]), ...expected];
  }

  /** A suite for each workload, as it was when the end was decided. */
  #workloadSuites(roots: readonly Root[]): ObjectSuite[] {
    const { goal, clock } = this.#request;
    const decision = this.#decision;
    const decidedAtMs = decision?.atMs ?? clock.now().wallMs;
    const isInterrupted = decision?.outcome.type === 'interrupted';
    return (decision?.roots ?? roots)
      .filter(({ object }) => object.kind !== 'Pod')
      .map((root) => {
        const { uid, namespace, name, creationTimestamp } = root.object.metadata;
        const isThereNow = isThere(root, goal);
        const own = workloadCase(root, { decidedAtMs, isInterrupted, isThere: isThereNow });
        const { seconds } = own;
        return { uid, name: `${namespace}/${name}`, startedAt: creationTimestamp, seconds, cases: [own] };
      });
  }

  #podSuite(last: StoredPod, runs: readonly RunInTime[]): ObjectSuite {
    const { goal: goalOfRun, others } = this.#request;
    const decision = this.#decision;
    const { uid, namespace, name, creationTimestamp } = last.metadata;
    const pod = decision?.pods.find(({ metadata }) => metadata.uid === uid) ?? last;
    const evidence = decision?.evidence.get(uid) ?? podEvidence(this.#request.store, last);
    const timeline = runs.find(({ recorded }) => recorded.uid === uid)?.timeline;
    const decidedAtMs = decision?.atMs ?? this.#request.clock.now().wallMs;
    const isInterrupted = decision?.outcome.type === 'interrupted';
    const isRunByOthers = others.some(({ metadata }) => metadata.uid === uid);
    const root = decision?.roots.find(({ pods }) => pods.some(({ metadata }) => metadata.uid === uid)) ?? podRoot(pod);
    const goal = goalOfRun && wantedOf(goalOfRun, root);
    const cases = podCases({ pod, evidence, timeline, goal, decidedAtMs, isInterrupted, isRunByOthers });
    const seconds = (timeline?.endMs ?? 0) / 1000;
    return { uid, name: `${namespace}/${name}`, startedAt: creationTimestamp, seconds, cases };
  }

  #commandSuite(outcome: RunOutcome | undefined, record: CommandRecord | undefined): JunitSuite | undefined {
    const { command, clock } = this.#request;
    if (command === undefined || outcome === undefined) return undefined;
    const seconds = (record?.durationMs ?? 0) / 1000;
    const output = record?.output === '' ? undefined : record?.output;
    const result = commandResult(outcome, record !== undefined);
    const startedAt = formatTime(record?.startedAtMs ?? clock.now().wallMs);
    const cases = [{ about: 'COMMAND', name: command.join(' '), seconds, output, result }];
    return { name: 'COMMAND', startedAt, seconds, cases };
  }

  /**
   * Writes `logs/POD/CONTAINER/N.log` with the whole log of instance N; below the namespace, when the run has several.
   * A Pod that is gone has none when another one has its name.
   */
  #writeLogs(runs: readonly RunInTime[]): void {
    const namespaces = new Set(runs.map(({ recorded }) => recorded.namespace));
    const present = new Set(runs.filter(({ run }) => isPresent(run)).map(({ recorded }) => keyOf(recorded)));
    for (const { run, recorded, timeline } of runs) {
      if (!isPresent(run) && present.has(keyOf(recorded))) continue;
      const { namespace, name } = recorded;
      const folders = namespaces.size > 1 ? [namespace, name] : [name];
      for (const { name: container } of timeline.containers) {
        const folder = path.join(this.#request.folder, 'logs', ...folders, container);
        removeOldLogs(folder);
        for (const attempt of instancesLogged(run.paths.logs, container)) {
          const text = logOutput(instanceLogPath(run.paths.logs, container, attempt));
          writeReplacing(path.join(folder, `${attempt}.log`), text);
        }
      }
    }
  }
}

function keyOf({ namespace, name }: RunInTime['recorded']): string {
  return `${namespace}/${name}`;
}

function unservableSuite({ about, path, message }: Unservable): JunitSuite {
  const text = path === '' ? message : `${path}: ${message}`;
  return { name: about, cases: [{ about, name: 'serves', result: { type: 'failed', message: text, text } }] };
}

/** The reason of a failure that no Pod caused. */
function whyFailed(outcome: RunOutcome | undefined, record: RunRecord): string {
  if (outcome?.type === 'timedOut') return 'the timeout passed before the goal was met';
  return record === 'complete' ? 'the run failed' : RECORD_FAILURE;
}

function commandResult(outcome: RunOutcome, isStarted: boolean): JunitCase['result'] {
  if (outcome.type === 'commandEnded') {
    if (outcome.exitCode === 0) return { type: 'passed' };
    const message = `it exited with ${describeExitCode(outcome.exitCode).replace(/^exit /, '')}`;
    return { type: 'failed', message, text: message };
  }
  if (!isStarted) return { type: 'skipped', message: 'it was not started' };
  const message = outcome.type === 'timedOut' ? 'the timeout passed while it was running' : 'podrun stopped it';
  return outcome.type === 'timedOut' ? { type: 'failed', message, text: message } : { type: 'skipped', message };
}

/** A list in the format of `kubectl get -o json`. */
function json(items: ReadonlyArray<StoredPod | StoredEvent>): string {
  const list = { apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } };
  return `${JSON.stringify(list, undefined, 4)}\n`;
}
