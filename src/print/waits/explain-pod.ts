import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import type { Wanted } from '../../lifecycle/requests/hopeless.ts';
import { PROBE_TYPES } from '../../lifecycle/probes/probe.ts';
import { describeEnd } from '../exit-code.ts';
import { excerpt } from '../excerpt.ts';
import { type ContainerView, containersOf, nameContainer } from '../live/container-view.ts';
import { EVENT_REASON, NODE_LABELS_MISSING } from '../../lifecycle/texts/events.ts';
import { DEADLINE_EXCEEDED } from '../../lifecycle/texts/pod-reasons.ts';
import { causeOf } from '../live/first-cause.ts';
import { lastWarning } from '../live/last-warning.ts';
import { failedMount } from '../live/failed-mount.ts';
import { failedPostStart, killingProbe, postStartText } from '../live/stopped-run.ts';
import { escapeTerminal } from '../terminal-text.ts';
import type { PodEvidence } from './evidence.ts';
import { attemptsOf, decidesToKill, probeHistory } from './probe-attempts.ts';
import { remedies } from './remedies.ts';
import { isEndedForGood } from './why-never.ts';

/** How many of the last lines of a log are quoted. */
const QUOTED_LINES = 10;

// oxlint-disable-next-line no-control-regex -- an escape is what colours begin with
const COLOURS = /\u001B\[[\d;]*m/g;

export interface PodQuestion {
  readonly pod: StoredPod;
  readonly evidence: PodEvidence;
  /** Events that came first after this do not count, milliseconds since 1970: how the Pod was ended, for example. */
  readonly untilMs: number;
  /** Is the end of the Pod waited for, and not that it serves? */
  readonly isEndWanted?: boolean;
  /** How the Pod is wanted, where that is known. */
  readonly wanted?: Wanted | undefined;
  /** `--state-dir`, where it was given. */
  readonly stateDir?: string | undefined;
}

/**
 * The evidence for why a Pod is not where it should be, to stand below a sentence that says so: earlier runs, probes,
 * the last lines of the log of the container concerned, the last warning, what to try. Lines with their ends, indented;
 * empty when there is nothing to tell.
 */
export function explainPod(question: PodQuestion): string {
  const { pod, evidence, untilMs, isEndWanted = false, wanted, stateDir } = question;
  if (pod.status.phase === 'Succeeded') return '';
  const view = containerConcerned(question);
  const probing = view === undefined ? [] : probes(view, evidence);
  const events = evidence.events.filter(({ reason = '' }) => !isSaidElsewhere(reason, pod, evidence));
  const warning = isTerminalPhase(pod.status.phase) ? undefined : lastWarning(events, untilMs);
  const blocks = [
    ...(view === undefined
      ? []
      : [...restarts(view, evidence), ...probing, ...hookOutput(view, evidence), ...log(view, evidence)]),
    ...(warning === undefined ? [] : [`last warning: ${warning}`]),
    ...whatToTry(remedies({ pod, view, evidence, isEndWanted, wanted, stateDir })),
  ];
  return blocks.map((line) => `  ${line}\n`).join('');
}

/** Is an event of that reason told from the journals, or in the cause itself? */
function isSaidElsewhere(reason: string, pod: StoredPod, { attempts, hooks, events }: PodEvidence): boolean {
  if (reason === EVENT_REASON.unhealthy) return attempts.length > 0;
  if (reason === EVENT_REASON.failedPostStartHook) return hooks.length > 0;
  if (reason === NODE_LABELS_MISSING) return true;
  return reason === EVENT_REASON.failedMount && failedMount(pod, events) !== undefined;
}

/** The container to blame, or else the first one that is not where it should be. */
function containerConcerned({ pod, evidence, isEndWanted = false }: PodQuestion): ContainerView | undefined {
  const views = containersOf(pod).filter(({ role }) => role !== 'ephemeral');
  const regular = views.filter(({ role }) => role === 'regular');
  const cause = causeOf(pod, evidence);
  const done = isEndWanted ? undefined : regular.find((view) => isEndedForGood(pod, view));
  if (done !== undefined && (cause === undefined || cause.kind === 'readiness')) return done;
  // Whatever ran out of time, what it was at is of interest.
  if (pod.status.reason === DEADLINE_EXCEEDED.reason) return views.find(wasAtWork);
  if (cause !== undefined) return views.find(({ container }) => container.name === cause.container);
  const late = views.find(({ role, status }) =>
    role === 'init' ? status?.state?.terminated === undefined : status?.ready !== true && !status?.state?.terminated,
  );
  return late ?? (isEndWanted ? regular.find(({ status }) => status?.state?.running !== undefined) : undefined);
}

function wasAtWork({ role, status }: ContainerView): boolean {
  const { running, terminated } = status?.state ?? {};
  return role !== 'sidecar' && (running !== undefined || (terminated !== undefined && terminated.exitCode !== 0));
}

/** What a container that runs again has behind it. */
function restarts(view: ContainerView, evidence: PodEvidence): string[] {
  const { restartCount = 0, state, lastState } = view.status ?? {};
  const before = lastState?.terminated;
  if (restartCount === 0 || state?.running === undefined || !before) return [];
  const times = restartCount === 1 ? 'once' : `${restartCount} times`;
  const probe = killingProbe(view.container.name, restartCount - 1, evidence.attempts);
  const hook = failedPostStart(view, evidence, restartCount - 1);
  const end = hook === undefined ? describeEnd(before) : `was ended, as its ${postStartText(hook)}`;
  const why = probe === undefined ? end : `was killed by its ${probe}`;
  return [`${nameContainer(view)} was restarted ${times}; the run before ${why}`];
}

/** The probes that failed in the present run; where the run has ended, those that ended it. */
function probes(view: ContainerView, { attempts }: PodEvidence): string[] {
  const isRunning = view.status?.state?.running !== undefined;
  return PROBE_TYPES.flatMap((type) => {
    const own = attemptsOf(view, type, attempts).filter(({ decision }) => decision !== 'abandoned');
    const last = own.at(-1);
    if (last === undefined || last.successes > 0 || !(isRunning || decidesToKill(last))) return [];
    return [`${type} probe, ${last.handler}:`, ...probeHistory(own).map((line) => `  ${line}`)];
  });
}

/** What the command of a postStart hook printed that failed. */
function hookOutput(view: ContainerView, evidence: PodEvidence): string[] {
  const hook = failedPostStart(view, evidence);
  if (hook?.exitCode === undefined) return [];
  return quoted((hook.output ?? '').trimEnd().split('\n'), `the postStart hook of ${nameContainer(view)}`);
}

function log(view: ContainerView, { logs }: PodEvidence): string[] {
  const tail = logs.get(view.container.name);
  return quoted(
    tail?.lines ?? [],
    `${nameContainer(view)}${tail?.isOfPreviousRun === true ? ' in the run before' : ''}`,
  );
}

/** The last lines of what somebody has printed, with a heading; nothing where there is nothing. */
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
