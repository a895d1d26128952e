import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import type { Instant } from '../../api/time.ts';
import type { PodActivity } from '../../lifecycle/activity.ts';
import { WAITING } from '../../lifecycle/texts/waiting.ts';
import type { Tone } from '../painter.ts';
import { conditionOf, type PodSummary, summarizePod } from '../pod-status.ts';
import { withoutControls } from '../terminal-text.ts';
import { type ContainerView, containersOf } from './container-view.ts';
import { ageText, containerActivityText, podActivityText } from './current-activity.ts';

/** A Pod as the live view has it: its object, and what its agent is about to do. */
export interface FollowedPod {
  readonly pod: StoredPod;
  /** Undefined: nothing. */
  readonly activity: PodActivity | undefined;
}

/** A line of the status block, in cells. */
export interface StatusRow {
  /** Of a container: the sign before its name. */
  readonly sign: string;
  readonly name: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
  readonly age: string;
  readonly now: string;
  readonly tone: Tone;
  /** Name of its container, by which it gets its colour; undefined: it is about a Pod. */
  readonly container?: string;
}

/** Lower is more interesting: trouble, what is on its way, what runs, what is done. */
export type Interest = 0 | 1 | 2 | 3;

/** A Pod with its line, and those of its containers. */
export interface PodRows {
  readonly interest: Interest;
  /** The word that a count of Pods uses. */
  readonly status: string;
  /** For a Pod whose containers have lines of their own. */
  readonly heading: StatusRow;
  /** For a Pod that has one line. */
  readonly alone: StatusRow;
  /** Empty for a Pod of one container: its one line says it all. Init containers that are done are left out. */
  readonly containers: readonly StatusRow[];
}

/** The lines that a Pod may have in the status block. */
export function podRows(followed: FollowedPod, now: Instant): PodRows {
  const { pod, activity } = followed;
  const summary = summarizePod(pod);
  const views = containersOf(pod);
  const rows = views.map((view) => containerRow(view, activity, now));
  const status = isGoingDown(pod, activity) ? 'Terminating' : summary.text;
  const interest = interestOf(pod, summary, rows, status);
  const heading: StatusRow = {
    sign: '',
    name: pod.metadata.name,
    ready: `${summary.ready}/${summary.total}`,
    status,
    restarts: String(summary.restarts),
    age: ageText(pod.metadata.creationTimestamp, now.wallMs),
    now: withoutControls(podActivityText(pod, activity, now)),
    tone: podTone(pod, summary, interest),
  };
  const alone = { ...heading, now: heading.now || busiest(rows, views.length > 1) };
  const isInitialized = conditionOf(pod.status, 'Initialized')?.status === 'True';
  const open = rows.filter((_, index) => !isInitialized || views[index]?.role !== 'init');
  const containers = views.length > 1 && !isTerminalPhase(pod.status.phase) ? open : [];
  return { interest, status, heading, alone, containers };
}

/** What `apply` ends by itself has no deletionTimestamp, and goes down all the same. */
function isGoingDown({ status }: StoredPod, activity: PodActivity | undefined): boolean {
  return activity?.isEnding === true && !isTerminalPhase(status.phase);
}

function containerRow(view: ContainerView, activity: PodActivity | undefined, now: Instant): StatusRow {
  const { container, status, role } = view;
  const tone = containerTone(view);
  const { running, terminated, waiting } = status?.state ?? {};
  const isBeside = role === 'sidecar' || role === 'ephemeral';
  const text = withoutControls(containerActivityText(view, activity, now));
  return {
    sign: SIGNS[tone],
    name: container.name,
    ready: '',
    status: (running ? 'Running' : (terminated?.reason ?? waiting?.reason)) || 'Waiting',
    restarts: String(status?.restartCount ?? 0),
    age: ageText(running?.startedAt, now.wallMs),
    now: isBeside ? [role, text].filter(Boolean).join(', ') : text,
    tone,
    container: container.name,
  };
}

const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', bad: '✗', info: '›', muted: '·' };

function containerTone({ status, role }: ContainerView): Tone {
  const { running, terminated, waiting } = status?.state ?? {};
  if (running) return status?.ready === true && role !== 'init' ? 'good' : 'info';
  if (terminated) return terminated.exitCode === 0 ? 'good' : 'bad';
  return isOrdinaryWait(waiting?.reason) ? 'muted' : 'bad';
}

function isOrdinaryWait(reason: string | undefined): boolean {
  return [undefined, '', WAITING.containerCreating, WAITING.podInitializing].includes(reason);
}

/** Of several containers, what the one is doing that most deserves it. */
function busiest(rows: readonly StatusRow[], named: boolean): string {
  const order: readonly Tone[] = ['bad', 'info', 'good', 'muted'];
  const telling = rows.filter(({ now }) => now !== '');
  const row = telling.toSorted((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone)).at(0);
  if (row === undefined) return '';
  return named ? `${row.name}: ${row.now}` : row.now;
}

function interestOf(pod: StoredPod, summary: PodSummary, rows: readonly StatusRow[], status: string): Interest {
  if (pod.status.phase === 'Succeeded') return 3;
  if (pod.status.phase === 'Failed' || pod.status.phase === 'Unknown') return 0;
  // An init container that has ended with 0 is done; so is nothing else that ended with another code.
  if (rows.some(({ tone }) => tone === 'bad')) return 0;
  return status === 'Running' && summary.ready === summary.total ? 2 : 1;
}

function podTone({ status }: StoredPod, { ready, total }: PodSummary, interest: Interest): Tone {
  if (interest === 0) return 'bad';
  if (interest === 3) return 'muted';
  return status.phase === 'Running' && ready === total ? 'good' : 'info';
}
