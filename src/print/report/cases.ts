import type { StoredPod } from '../../api/index.ts';
import {
  type ContainerStory,
  endsIn,
  type HookSpan,
  type PodEvidence,
  type ProbeSpan,
  type Timeline,
} from '../../history/index.ts';
import { goalState, goalText, type PodGoal, type Root } from '../../lifecycle/index.ts';
import { describeEnd, describeExitCode, reasonOfEnd } from '../base/exit-code.ts';
import { containersOf, nameContainer, type PodContainer } from '../base/pod-container.ts';
import { firstCause } from '../live/first-cause.ts';
import { explainPod } from '../waits/explain-pod.ts';
import { goalPhrase } from '../waits/goal-phrase.ts';
import { rootState } from '../workloads/root-phrases.ts';
import type { JunitCase } from './junit.ts';

/** A Pod at the time of the verdict: the end of the run may stop it later, which is no failure. */
export interface DecidedPod {
  readonly pod: StoredPod;
  readonly evidence: PodEvidence;
  /** Undefined when the run has no record any more. */
  readonly timeline: Timeline | undefined;
  /** The goal of the run. Undefined when the run waited for the end of its Pods. */
  readonly goal: PodGoal | undefined;
  /** The time of the verdict, milliseconds since 1970. */
  readonly decidedAtMs: number;
  /** True when the user interrupted the run: Pods and containers that had not ended are skipped. */
  readonly isInterrupted: boolean;
  /** True when another podrun runs the Pod, and this run did not wait for it. */
  readonly isRunByOthers?: boolean;
}

type Result = JunitCase['result'];

const PASSED: Result = { type: 'passed' };

/** The cases of a Pod: the Pod itself, its containers, probes and hooks, and the goal. */
export function podCases(decided: DecidedPod): JunitCase[] {
  const { pod, timeline, goal } = decided;
  const { namespace, name, creationTimestamp } = pod.metadata;
  const about = `${namespace}/${name}`;
  const lifeMs = timeline?.endMs ?? Number.POSITIVE_INFINITY;
  const seconds = Math.max(0, Math.min(lifeMs, decided.decidedAtMs - Date.parse(creationTimestamp)) / 1000);
  if (decided.isRunByOthers) {
    const message = `another podrun runs the Pod; at the end of this run it was ${pod.status.phase}`;
    return [{ about, name: `Pod ${name}`, seconds, result: { type: 'skipped', message } }];
  }
  const containers = containersOf(pod).filter(({ role }) => role !== 'ephemeral');
  const lives = timeline?.containers ?? [];
  return [
    { about, name: `Pod ${name}`, seconds, result: podResult(decided) },
    ...(goal === undefined
      ? []
      : [{ about, name: `goal ${goalText(goal)}`, seconds, result: goalResult(decided, goal) }]),
    ...containers.map((view) => {
      const life = lives.find((candidate) => candidate.name === view.container.name);
      return {
        about,
        name: nameContainer(view),
        seconds: secondsOf(life),
        result: containerResult(decided, view, life),
      };
    }),
    ...lives.flatMap((life) => [
      ...probeCases(about, life.name, life.probes.filter(isBefore(decided))),
      ...hookCases(about, life),
    ]),
  ];
}

function podResult(decided: DecidedPod): Result {
  const { pod, evidence, goal, decidedAtMs, isInterrupted } = decided;
  const { phase } = pod.status;
  if (phase === 'Succeeded' || (goal?.type === 'failed' && phase === 'Failed')) return PASSED;
  const why = (): string => explained(decided);
  if (phase === 'Failed') return { type: 'failed', message: firstCause(pod, evidence), text: why() };
  const waiting = goalPhrase(pod, goal, decidedAtMs, evidence);
  if (isInterrupted) return { type: 'skipped', message: `interrupted while waiting for ${waiting}` };
  const isWhatWasWanted = goal !== undefined && goalState(goal, pod) === 'met';
  if (isWhatWasWanted) return PASSED;
  return { type: 'failed', message: `waiting for ${waiting}`, text: why() };
}

function goalResult(decided: DecidedPod, goal: PodGoal): Result {
  const { pod, decidedAtMs, isInterrupted, evidence } = decided;
  const state = goalState(goal, pod);
  if (state === 'met') return PASSED;
  const waiting = goalPhrase(pod, goal, decidedAtMs, evidence);
  if (state === 'impossible') {
    return { type: 'failed', message: firstCause(pod, evidence), text: explained(decided) };
  }
  if (isInterrupted) return { type: 'skipped', message: `interrupted while waiting for ${waiting}` };
  return { type: 'failed', message: `waiting for ${waiting}`, text: explained(decided) };
}

function explained({ pod, evidence, decidedAtMs }: DecidedPod): string {
  const block = explainPod({ pod, evidence, untilMs: decidedAtMs });
  // The block is indented for its place below a sentence. Here it stands alone.
  return block.replaceAll(/^ {2}/gm, '').trimEnd();
}

/** The result of the latest run of a container. A container that is well after restarts passes, with a remark. */
function containerResult(decided: DecidedPod, view: PodContainer, life: ContainerStory | undefined): Result {
  const { evidence, pod } = decided;
  const { status, container, role } = view;
  const { state } = status ?? {};
  const passed: Result = { type: 'passed', remark: restartsOf(status?.restartCount, life) };
  if (state?.running) return passed;
  const ended = endsIn(status).at(-1)?.terminated;
  if (ended === undefined) {
    const { reason, message } = state?.waiting ?? {};
    if (reason === undefined || /^(ContainerCreating|PodInitializing)$/.test(reason)) {
      return { type: 'skipped', message: 'it was not started' };
    }
    const text = [reason, message].filter(Boolean).join(': ');
    return { type: 'failed', message: `cannot start: ${text}`, text };
  }
  // A sidecar is stopped after the other containers: its exit code does not matter then.
  const isStopped = role === 'sidecar' && pod.status.phase === 'Succeeded';
  if (ended.exitCode === 0 || isStopped) return passed;
  const why = reasonOfEnd(ended);
  const end = `${describeEnd(ended)}${why === undefined ? '' : `: ${why}`}`;
  const { lines = [], isOfPreviousRun = false } = evidence.logs.get(container.name) ?? {};
  const heading = isOfPreviousRun ? 'Last output of the run before:' : 'Last output:';
  const text = lines.length === 0 ? end : [end, heading, ...lines.map((line) => `  ${line}`)].join('\n');
  return { type: 'failed', message: end, text };
}

/** The number of earlier ends to list: a long crash loop has thousands. */
const ENDS_MAX = 10;

/** The remark about the restarts of a container that passes: CI servers have no flaky result, but show output. */
function restartsOf(count = 0, life: ContainerStory | undefined): string | undefined {
  if (count === 0) return undefined;
  const ends = (life?.attempts ?? []).flatMap(({ attempt, exit, fromMs, toMs }) => {
    const seconds = ((toMs - fromMs) / 1000).toFixed(2);
    const isEarlier = exit !== undefined && attempt < count;
    return isEarlier ? [`attempt ${attempt + 1} ended after ${seconds}s: ${describeExitCode(exit.exitCode)}`] : [];
  });
  return [`restarted ${count === 1 ? 'once' : `${count} times`}`, ...ends.slice(-ENDS_MAX)].join('\n');
}

/** Selects attempts before the verdict: a container that is being stopped need not be ready. */
function isBefore({ timeline, decidedAtMs }: DecidedPod): (attempt: ProbeSpan) => boolean {
  return ({ fromMs }) => (timeline?.createdAtMs ?? 0) + fromMs <= decidedAtMs;
}

/** One case for each probe, with the result of its last attempt that counts. */
function probeCases(about: string, name: string, probes: readonly ProbeSpan[]): JunitCase[] {
  const types = [...new Set(probes.map(({ probe }) => probe))];
  return types.map((type) => {
    const own = probes.filter(({ probe }) => probe === type);
    const seconds = own.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 1000;
    return { about, name: `${type} probe of ${name}`, seconds, result: probeResult(own) };
  });
}

const NOT_COUNTED: ReadonlySet<ProbeSpan['decision']> = new Set(['retry', 'notCounted', 'abandoned']);

function probeResult(attempts: readonly ProbeSpan[]): Result {
  const counted = attempts.filter(({ decision }) => !NOT_COUNTED.has(decision));
  const last = counted.at(-1);
  if (last === undefined) return { type: 'skipped', message: 'no attempt had a result' };
  if (last.result === 'success' || last.result === 'warning') return PASSED;
  const failures = counted.filter(({ result }) => result !== 'success' && result !== 'warning').length;
  const message = `${last.result} (${last.count} of ${last.threshold}): ${last.output.trim().split('\n')[0] ?? ''}`;
  const text = [`${failures} of ${counted.length} attempts did not succeed. The last one:`, last.output.trim()];
  return { type: 'failed', message, text: text.join('\n') };
}

function hookCases(about: string, { name, hooks }: ContainerStory): JunitCase[] {
  return hooks.map((hook: HookSpan) => {
    const which = hook.attempt === 0 ? '' : ` (attempt ${hook.attempt + 1})`;
    const message = hook.message ?? 'it failed';
    const result: Result = hook.result === 'failure' ? { type: 'failed', message, text: message } : PASSED;
    return { about, name: `${hook.hook} hook of ${name}${which}`, seconds: (hook.toMs - hook.fromMs) / 1000, result };
  });
}

function secondsOf(life: ContainerStory | undefined): number {
  return (life?.attempts ?? []).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 1000;
}

/** A workload at the time of the verdict. */
interface DecidedWorkload {
  /** The time of the verdict, milliseconds since 1970. */
  readonly decidedAtMs: number;
  readonly isInterrupted: boolean;
  /** True when it had reached the goal or, without a goal, its end. */
  readonly isThere: boolean;
}

/** The case about a workload as a whole. Its Pods have suites of their own. */
export function workloadCase(root: Root, { decidedAtMs, isInterrupted, isThere }: DecidedWorkload): JunitCase {
  const { kind, metadata } = root.object;
  const { namespace, name, creationTimestamp } = metadata;
  const state = rootState(root);
  const seconds = Math.max(0, (decidedAtMs - Date.parse(creationTimestamp)) / 1000);
  const about = `${namespace}/${name}`;
  const result = ((): JunitCase['result'] => {
    if (isThere) return { type: 'passed', remark: state };
    if (isInterrupted) return { type: 'skipped', message: `interrupted at ${state}` };
    return { type: 'failed', message: state, text: state };
  })();
  return { about, name: `${kind} ${name}`, seconds, result };
}
