import type { StoredPod } from '../../api/objects.ts';
import type { ContainerTimeline, HookSpan, ProbeSpan, Timeline } from '../../history/timeline/model.ts';
import { type Goal, goalState, goalText } from '../../lifecycle/requests/goal.ts';
import { describeEnd, describeExitCode, reasonOfEnd } from '../exit-code.ts';
import { type ContainerView, containersOf, nameContainer } from '../live/container-view.ts';
import { firstCause } from '../live/first-cause.ts';
import { goalPhrase } from '../waits/goal-phrase.ts';
import type { PodEvidence } from '../waits/evidence.ts';
import { explainPod } from '../waits/explain-pod.ts';
import type { JunitCase } from '../junit.ts';

/** A Pod as it was when the end of the run was decided: what was done to end it afterwards is no fault of it. */
export interface DecidedPod {
  readonly pod: StoredPod;
  readonly evidence: PodEvidence;
  /** Undefined: nothing of the run is on record any more. */
  readonly timeline: Timeline | undefined;
  /** What the run waited for; undefined: the end of its Pods. */
  readonly goal: Goal | undefined;
  /** When it was decided, milliseconds since 1970. */
  readonly decidedAtMs: number;
  /** Somebody interrupted the run: what had not come to its end by then is neither good nor bad. */
  readonly isInterrupted: boolean;
  /** Another podrun runs it, and this run was not about what becomes of it. */
  readonly isOfOthers?: boolean;
}

type Result = JunitCase['result'];

const PASSED: Result = { type: 'passed' };

/** What was expected of a Pod: of itself, of its containers, probes and hooks, and of the goal. */
export function podCases(decided: DecidedPod): JunitCase[] {
  const { pod, timeline, goal } = decided;
  const { namespace, name, creationTimestamp } = pod.metadata;
  const about = `${namespace}/${name}`;
  const lifeMs = timeline?.endMs ?? Number.POSITIVE_INFINITY;
  const seconds = Math.max(0, Math.min(lifeMs, decided.decidedAtMs - Date.parse(creationTimestamp)) / 1000);
  if (decided.isOfOthers) {
    const message = `another podrun runs it; when this one was done it was ${pod.status.phase}`;
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
      const life = lives.find((one) => one.name === view.container.name);
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

function goalResult(decided: DecidedPod, goal: Goal): Result {
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
  // It stands below a sentence elsewhere, and alone here.
  return block.replaceAll(/^ {2}/gm, '').trimEnd();
}

/** The end that its latest run came to; a container that was restarted and is well again passes, with a remark. */
function containerResult(decided: DecidedPod, view: ContainerView, life: ContainerTimeline | undefined): Result {
  const { evidence, pod } = decided;
  const { status, container, role } = view;
  const { state, lastState } = status ?? {};
  const passed: Result = { type: 'passed', remark: restartsOf(status?.restartCount, life) };
  if (state?.running) return passed;
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined) {
    const { reason, message } = state?.waiting ?? {};
    if (reason === undefined || /^(ContainerCreating|PodInitializing)$/.test(reason)) {
      return { type: 'skipped', message: 'it was not started' };
    }
    const text = [reason, message].filter(Boolean).join(': ');
    return { type: 'failed', message: `cannot start: ${text}`, text };
  }
  // A sidecar is stopped when the others are done: how it takes that says nothing.
  const isStopped = role === 'sidecar' && pod.status.phase === 'Succeeded';
  if (ended.exitCode === 0 || isStopped) return passed;
  const why = reasonOfEnd(ended);
  const end = `${describeEnd(ended)}${why === undefined ? '' : `: ${why}`}`;
  const { lines = [], isOfPreviousRun = false } = evidence.logs.get(container.name) ?? {};
  const heading = isOfPreviousRun ? 'Last output of the run before:' : 'Last output:';
  const text = lines.length === 0 ? end : [end, heading, ...lines.map((line) => `  ${line}`)].join('\n');
  return { type: 'failed', message: end, text };
}

/** Ends of earlier runs that are told: of a crash loop that went on for a week there are thousands. */
const ENDS_MAX = 10;

/** What a container that passes has behind it: no server reads of flaky cases, and all show their output. */
function restartsOf(count = 0, life: ContainerTimeline | undefined): string | undefined {
  if (count === 0) return undefined;
  const ends = (life?.attempts ?? []).flatMap(({ attempt, exit, fromMs, toMs }) => {
    const seconds = ((toMs - fromMs) / 1000).toFixed(2);
    const isEarlier = exit !== undefined && attempt < count;
    return isEarlier ? [`attempt ${attempt + 1} ended after ${seconds}s: ${describeExitCode(exit.exitCode)}`] : [];
  });
  return [`restarted ${count === 1 ? 'once' : `${count} times`}`, ...ends.slice(-ENDS_MAX)].join('\n');
}

/** A container that is being stopped need not be ready. */
function isBefore({ timeline, decidedAtMs }: DecidedPod): (attempt: ProbeSpan) => boolean {
  return ({ fromMs }) => (timeline?.createdAtMs ?? 0) + fromMs <= decidedAtMs;
}

/** A probe by what it said last of those attempts that count. */
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
  if (last === undefined) return { type: 'skipped', message: 'no attempt came to a result' };
  if (last.result === 'success' || last.result === 'warning') return PASSED;
  const failures = counted.filter(({ result }) => result !== 'success' && result !== 'warning').length;
  const message = `${last.result} (${last.count} of ${last.threshold}): ${last.output.trim().split('\n')[0] ?? ''}`;
  const text = [`${failures} of ${counted.length} attempts did not succeed. The last one:`, last.output.trim()];
  return { type: 'failed', message, text: text.join('\n') };
}

function hookCases(about: string, { name, hooks }: ContainerTimeline): JunitCase[] {
  return hooks.map((hook: HookSpan) => {
    const which = hook.attempt === 0 ? '' : ` (attempt ${hook.attempt + 1})`;
    const message = hook.message ?? 'it failed';
    const result: Result = hook.result === 'failure' ? { type: 'failed', message, text: message } : PASSED;
    return { about, name: `${hook.hook} hook of ${name}${which}`, seconds: (hook.toMs - hook.fromMs) / 1000, result };
  });
}

function secondsOf(life: ContainerTimeline | undefined): number {
  return (life?.attempts ?? []).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 1000;
}
