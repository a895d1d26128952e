import { type Instant, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { type PodActivity, WAITING } from '../../lifecycle/index.ts';
import type { Tone } from '../text/painter.ts';
import { conditionOf, type PodSummary, summarizePod } from '../table/pod-status.ts';
import { withoutControls } from '../text/terminal-text.ts';
import { type PodContainer, containersOf } from '../base/pod-container.ts';
import { ageText, containerActivityText, podActivityText } from './current-activity.ts';

/** A Pod in the live view: its object, and the next activities of its agent. */
export interface FollowedPod {
  readonly pod: StoredPod;
  /** Undefined without activity. */
  readonly activity: PodActivity | undefined;
}

/** A line of the status block, in cells. */
export interface StatusRow {
  /** The sign before the name of a container. Empty for a Pod. */
  readonly sign: string;
  readonly name: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
  readonly age: string;
  readonly now: string;
  readonly tone: Tone;
  /** The name of the container, which determines its colour. Undefined for the line of a Pod. */
  readonly container?: string;
}

/** The priority of a line, lower is shown first: trouble, in progress, running, done. */
export type RowPriority = 0 | 1 | 2 | 3;

/** A Pod as the block counts and sorts it. Its rows are made on demand, since many Pods may not fit. */
export interface PodEntry {
  readonly priority: RowPriority;
  /** The word for the Pod in counts. */
  readonly status: string;
  /** The number of containers with lines of their own. 0 for a Pod with one container, which needs none. */
  readonly size: number;
  /**
   * @param isExpanded true for rows of the containers below that of the Pod, except for init containers that are done
   */
  readonly rows: (isExpanded: boolean) => StatusRow[];
}

/** The parts of a Pod's rows that do not change with time. */
interface Outline {
  readonly summary: PodSummary;
  readonly views: readonly PodContainer[];
  readonly hasTrouble: boolean;
}

/** Outlines by version of a Pod: a version never changes, and is drawn many times. */
const outlines = new WeakMap<StoredPod, Outline>();

function outlineOf(pod: StoredPod): Outline {
  let outline = outlines.get(pod);
  if (outline === undefined) {
    const views = containersOf(pod);
    const hasTrouble = views.some((view) => containerTone(view) === 'bad');
    outline = { summary: summarizePod(pod), views, hasTrouble };
    outlines.set(pod, outline);
  }
  return outline;
}

/** The entry of a Pod in the status block. */
export function podEntry({ pod, activity }: FollowedPod, now: Instant): PodEntry {
  const { summary, views, hasTrouble } = outlineOf(pod);
  const status = isTerminating(pod, activity) ? 'Terminating' : summary.text;
  const priority = priorityOf(pod, summary, hasTrouble, status);
  const isInitialized = conditionOf(pod.status, 'Initialized')?.status === 'True';
  const open = views.filter(({ role }) => !isInitialized || role !== 'init');
  const draw = (view: PodContainer): StatusRow => containerRow(view, activity, now);
  const rows = (isExpanded: boolean): StatusRow[] => {
    const text = withoutControls(podActivityText(pod, activity, now));
    const heading: StatusRow = {
      sign: '',
      name: pod.metadata.name,
      ready: `${summary.ready}/${summary.total}`,
      status,
      restarts: String(summary.restarts),
      age: ageText(pod.metadata.creationTimestamp, now.wallMs),
      now: text || isExpanded ? text : busiest(views.map(draw), views.length > 1),
      tone: podTone(pod, summary, priority),
    };
    return isExpanded ? [heading, ...open.map(draw)] : [heading];
  };
  const size = views.length > 1 && !isTerminalPhase(pod.status.phase) ? open.length : 0;
  return { priority: priority, status, size, rows };
}

/** True for a Pod that ends, also when `apply` ends it without a deletionTimestamp. */
function isTerminating({ status }: StoredPod, activity: PodActivity | undefined): boolean {
  return activity?.isEnding === true && !isTerminalPhase(status.phase);
}

function containerRow(view: PodContainer, activity: PodActivity | undefined, now: Instant): StatusRow {
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

function containerTone({ status, role }: PodContainer): Tone {
  const { running, terminated, waiting } = status?.state ?? {};
  if (running) return status?.ready === true && role !== 'init' ? 'good' : 'info';
  if (terminated) return terminated.exitCode === 0 ? 'good' : 'bad';
  return isOrdinaryWait(waiting?.reason) ? 'muted' : 'bad';
}

function isOrdinaryWait(reason: string | undefined): boolean {
  return [undefined, '', WAITING.containerCreating, WAITING.podInitializing].includes(reason);
}

/** The activity of the container that most needs attention. */
function busiest(rows: readonly StatusRow[], named: boolean): string {
  const order: readonly Tone[] = ['bad', 'info', 'good', 'muted'];
  const active = rows.filter(({ now }) => now !== '');
  const row = active.toSorted((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone)).at(0);
  if (row === undefined) return '';
  return named ? `${row.name}: ${row.now}` : row.now;
}

function priorityOf(pod: StoredPod, summary: PodSummary, hasTrouble: boolean, status: string): RowPriority {
  if (pod.status.phase === 'Succeeded') return 3;
  if (pod.status.phase === 'Failed' || pod.status.phase === 'Unknown') return 0;
  if (hasTrouble) return 0;
  return status === 'Running' && summary.ready === summary.total ? 2 : 1;
}

function podTone({ status }: StoredPod, { ready, total }: PodSummary, interest: RowPriority): Tone {
  if (interest === 0) return 'bad';
  if (interest === 3) return 'muted';
  return status.phase === 'Running' && ready === total ? 'good' : 'info';
}
