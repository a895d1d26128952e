import { isTerminalPhase, type StoredEvent, type StoredPod } from '../../api/index.ts';
import {
  causedKill,
  DEADLINE_EXCEEDED,
  EVENT_REASON,
  NO_ROOM,
  NO_NAME_REASONS,
  NODE_LABELS_MISSING,
  PROBE_TYPES,
  type WantedState,
} from '../../lifecycle/index.ts';

import { describeEnd } from '../base/exit-code.ts';
import { excerpt } from '../text/excerpt.ts';
import { containersOf, nameContainer, type PodContainer } from '../base/pod-container.ts';
import { causeOf } from '../live/first-cause.ts';
import { failedPostStart, killingProbe, ownEnd, postStartText } from '../live/stopped-run.ts';
import { blockingMount } from '../live/blocking-mount.ts';
import { escapeTerminal } from '../text/terminal-text.ts';
import { endsIn, type PodEvidence } from '../../history/index.ts';
import { attemptsOf, probeHistory } from '../base/probe-attempts.ts';
import { remedies, TELL_REMEDY } from './remedies.ts';
import { isEndedForGood } from './goal-phrase.ts';
import { timestampMs } from '../base/age.ts';
import { sortedByLastSeen } from '../table/events.ts';
import { isAbsentFromStatus } from '../live/event-transition.ts';

/** The number of last log lines to quote. */
const QUOTED_LINES = 10;

// oxlint-disable-next-line no-control-regex -- colours begin with an escape character
const COLOURS = /\u001B\[[\d;]*m/g;

export interface ExplainPodOptions {
  readonly pod: StoredPod;
  readonly evidence: PodEvidence;
  /** The latest time of events that count, milliseconds since 1970. Later ones may be about ending the Pod. */
  readonly untilMs: number;
  /** True when the end of the Pod is wanted, false when it shall serve. */
  readonly isEndWanted?: boolean;
  /** The wanted state, if it is known. */
  readonly wanted?: WantedState | undefined;
  /** The value of `--state-dir`, if it was given. */
  readonly stateDir?: string | undefined;
  /** Changes advice for readers without the command line. Undefined: it is of no use to them. */
  readonly reworded?: ((sentence: string) => string | undefined) | undefined;
}

/**
 * The evidence for why a Pod has not reached the wanted state, as indented lines below a sentence: earlier runs,
 * probes, the last log lines of the container that causes it, the last warning, advice. Empty without evidence.
 */
export function explainPod(question: ExplainPodOptions): string {
  const { pod, evidence, untilMs, isEndWanted = false, wanted, stateDir, reworded } = question;
  if (pod.status.phase === 'Succeeded') return '';
  const view = containerConcerned(question);
  const probing = view === undefined ? [] : probes(view, evidence);
  const isShown = ({ reason = '' }: StoredEvent): boolean =>
    isShownByPod(reason, pod, evidence) || (view !== undefined && TELL_REMEDY.has(reason));
  const events = evidence.events.filter((event) => !isShown(event) && mayExplain(event, evidence));
  const warning = isTerminalPhase(pod.status.phase) ? undefined : lastWarning(events, untilMs);
  const blocks = [
    ...(view === undefined
      ? []
      : [...restarts(view, evidence), ...probing, ...hookOutput(view, evidence), ...log(view, evidence)]),
    ...(warning === undefined ? [] : [`last warning: ${warning}`]),
    ...whatToTry(remedies({ pod, view, evidence, isEndWanted, wanted, stateDir, reworded })),
  ];
  return blocks.map((line) => `  ${line}\n`).join('');
}

const UNKNOWN_NAME =
  /ENOTFOUND|EAI_AGAIN|getaddrinfo|no such host|bad address|not known|could not resolve|unknown host|resolution/i;

/** False for a warning about names when no output mentions one: it describes the network, not this failure. */
function mayExplain({ reason = '' }: StoredEvent, { logs }: PodEvidence): boolean {
  if (!NO_NAME_REASONS.has(reason)) return true;
  return [...logs.values()].some(({ lines }) => lines.some((line) => UNKNOWN_NAME.test(line)));
}

/** True when the journals or the cause contain the news of an event with this reason. */
function isShownByPod(reason: string, pod: StoredPod, { attempts, hooks, events }: PodEvidence): boolean {
  if (reason === EVENT_REASON.unhealthy) return attempts.length > 0;
  if (reason === EVENT_REASON.failedPostStartHook) return hooks.length > 0;
  if (reason === NODE_LABELS_MISSING || reason === NO_ROOM) return true;
  return reason === EVENT_REASON.failedMount && blockingMount(pod, events) !== undefined;
}

/** The container that causes the state, or else the first one that is not as it should be. */
function containerConcerned({ pod, evidence, isEndWanted = false }: ExplainPodOptions): PodContainer | undefined {
  const views = containersOf(pod).filter(({ role }) => role !== 'ephemeral');
  const regular = views.filter(({ role }) => role === 'regular');
  const cause = causeOf(pod, evidence);
  const done = isEndWanted ? undefined : regular.find((view) => isEndedForGood(pod, view));
  if (done !== undefined && (cause === undefined || cause.kind === 'readiness')) return done;
  // At a deadline, the container that was at work is of interest.
  if (ownEnd(pod, evidence.events)?.reason === DEADLINE_EXCEEDED.reason) return views.find(wasAtWork);
  if (cause !== undefined) return views.find(({ container }) => container.name === cause.container);
  const late = views.find(({ role, status }) =>
    role === 'init' ? status?.state?.terminated === undefined : status?.ready !== true && !status?.state?.terminated,
  );
  return late ?? (isEndWanted ? regular.find(({ status }) => status?.state?.running !== undefined) : undefined);
}

function wasAtWork({ role, status }: PodContainer): boolean {
  const { running, terminated } = status?.state ?? {};
  return role !== 'sidecar' && (running !== undefined || (terminated !== undefined && terminated.exitCode !== 0));
}

/** The line about restarts of a container that runs again. */
function restarts(view: PodContainer, evidence: PodEvidence): string[] {
  const { restartCount = 0, state } = view.status ?? {};
  const before = endsIn(view.status).at(-1);
  if (restartCount === 0 || state?.running === undefined || before === undefined) return [];
  const times = restartCount === 1 ? 'once' : `${restartCount} times`;
  const probe = killingProbe(view.container.name, before.attempt, evidence.attempts);
  const hook = failedPostStart(view, evidence, before.attempt);
  const end = hook === undefined ? describeEnd(before.terminated) : `was ended, as its ${postStartText(hook)}`;
  const why = probe === undefined ? end : `was killed by its ${probe}`;
  return [`${nameContainer(view)} was restarted ${times}; the run before ${why}`];
}

/** The lines about probes that failed in the present run, or that ended the last run. */
function probes(view: PodContainer, { attempts }: PodEvidence): string[] {
  const isRunning = view.status?.state?.running !== undefined;
  return PROBE_TYPES.flatMap((type) => {
    const own = attemptsOf(view, type, attempts).filter(({ decision }) => decision !== 'abandoned');
    const last = own.at(-1);
    if (last === undefined || last.successes > 0 || !(isRunning || causedKill(last))) return [];
    return [`${type} probe, ${last.handler}:`, ...probeHistory(own).map((line) => `  ${line}`)];
  });
}

/** The output of a failed postStart hook. */
function hookOutput(view: PodContainer, evidence: PodEvidence): string[] {
  const hook = failedPostStart(view, evidence);
  if (hook?.exitCode === undefined) return [];
  return quoted((hook.output ?? '').trimEnd().split('\n'), `the postStart hook of ${nameContainer(view)}`);
}

function log(view: PodContainer, { logs }: PodEvidence): string[] {
  const tail = logs.get(view.container.name);
  return quoted(
    tail?.lines ?? [],
    `${nameContainer(view)}${tail?.isOfPreviousRun === true ? ' in the run before' : ''}`,
  );
}

/** The last lines of an output with a heading. Empty without output. */
function quoted(printed: readonly string[], by: string): string[] {
  const lines = printed
    .slice(-QUOTED_LINES)
    .map((line) => excerpt(escapeTerminal(line.replaceAll(COLOURS, '').trimEnd())));
  if (lines.every((line) => line === '')) return [];
  const count = lines.length === 1 ? 'last line' : `last ${lines.length} lines`;
  return [`${count} of ${by}:`, ...lines.map((line) => `  ${line}`.trimEnd())];
}

function whatToTry(sentences: readonly string[]): string[] {
  return sentences.length === 0 ? [] : ['what to try:', ...sentences.map((sentence) => `  ${sentence}`)];
}

/**
 * The latest warning about a Pod that its status does not repeat, as `FailedMount: MountVolume.SetUp failed …`. It
 * explains why a Pod makes no progress.
 * @param events those about the Pod
 * @param untilMs milliseconds since 1970; later warnings do not count
 */
function lastWarning(events: readonly StoredEvent[], untilMs: number): string | undefined {
  const warning = sortedByLastSeen(events).findLast(
    (event) => event.type === 'Warning' && isAbsentFromStatus(event) && firstSeenMs(event) <= untilMs,
  );
  return warning && excerpt(`${warning.reason}: ${(warning.message ?? '').trim().replaceAll(/(?<!\s)\s*\n\s*/g, ' ')}`);
}

function firstSeenMs({ firstTimestamp, eventTime }: StoredEvent): number {
  return timestampMs(firstTimestamp || eventTime) ?? 0;
}
