import { type Instant, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { type PodActivity, WAITING } from '../../lifecycle/index.ts';
import type { Tone } from '../text/painter.ts';
import { conditionOf, type PodSummary, summarizePod } from '../table/pod-status.ts';
import { withoutControls } from '../text/terminal-text.ts';
import { type PodContainer, containersOf, roleWord } from '../base/pod-container.ts';
import { containerActivityText, podActivityText } from './current-activity.ts';
import { podLabel } from './live-columns.ts';

/** A Pod in the live view: its object, and the next activities of its agent. */
export interface FollowedPod {
  readonly pod: StoredPod;
  /** Undefined without activity. */
  readonly activity: PodActivity | undefined;
}

/** A Pod, or one of its containers, in the block. */
export interface BlockTarget {
  readonly pod: StoredPod;
  /** Undefined: the whole Pod. */
  readonly container?: string | undefined;
}

/** A piece of a line with its look. */
export interface RowPart {
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** The container, as `pod/container`, whose colour the piece has. */
  readonly series?: string | undefined;
}

/** A line of the status block. */
export interface StatusRow {
  /** The level: a Pod stands below its workload, a container below its Pod. */
  readonly depth: number;
  /** Empty for a Pod. */
  readonly sign: string;
  readonly name: string;
  readonly status: string;
  /** The node of a Pod that has one. */
  readonly node?: string | undefined;
  /** The tone of sign and status. */
  readonly tone: Tone;
  readonly rest: readonly RowPart[];
  /** Addresses, which are shown whole. */
  readonly urls?: readonly RowPart[];
  readonly target?: BlockTarget;
}

/** The priority of a line, lower is shown first: trouble, in progress, running, done. */
export type RowPriority = 0 | 1 | 2 | 3;

/** A Pod as the block counts and sorts it. Its rows are made on demand, since many Pods may not fit. */
export interface PodEntry {
  readonly pod: StoredPod;
  readonly priority: RowPriority;
  /** The word for the Pod in counts. */
  readonly status: string;
  /** True when the containers are worth lines of their own: there are several, and not all are well. */
  readonly isOpen: boolean;
  /** The containers with their signs: `✓ cache ✓ web`. */
  readonly marks: readonly RowPart[];
  /** @param isExpanded true for rows of the containers, except init containers that are done, below the Pod's */
  readonly rows: (depth: number, isExpanded: boolean) => StatusRow[];
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

/** The containers with rows: init containers that are done have none. */
function openContainers(pod: StoredPod): readonly PodContainer[] {
  const isInitialized = conditionOf(pod.status, 'Initialized')?.status === 'True';
  return outlineOf(pod).views.filter(({ role }) => !isInitialized || role !== 'init');
}

/** A Pod and its containers, which a person may choose. */
export function targetsOf(pod: StoredPod): BlockTarget[] {
  const containers = openContainers(pod);
  const own = containers.length < 2 ? [] : containers.map(({ container }) => ({ pod, container: container.name }));
  return [{ pod }, ...own];
}

/** The entry of a Pod in the status block. */
export function podEntry({ pod, activity }: FollowedPod, now: Instant): PodEntry {
  const { summary, views, hasTrouble } = outlineOf(pod);
  const status = isTerminating(pod, activity) ? 'Terminating' : summary.text;
  const priority = priorityOf(pod, summary, hasTrouble, status);
  const open = openContainers(pod);
  const draw = (view: PodContainer, depth: number): StatusRow => containerRow({ pod, view, activity, now }, depth);
  const marks = views.length < 2 ? [] : open.flatMap((view) => mark(pod, view));
  const rows = (depth: number, isExpanded: boolean): StatusRow[] => {
    const text = withoutControls(podActivityText(pod, activity, now));
    const activityText = text || isExpanded ? text : busiest({ pod, activity, now }, open, views.length > 1);
    const heading: StatusRow = {
      depth,
      sign: '',
      name: podLabel(pod),
      status,
      node: pod.spec.nodeName,
      tone: podTone(priority),
      rest: [...(isExpanded ? [] : marks), ...plain(activityText), ...restarts(summary.restarts)],
      target: { pod },
    };
    return isExpanded ? [heading, ...open.map((view) => draw(view, depth + 1))] : [heading];
  };
  const isOpen = open.length > 1 && !isTerminalPhase(pod.status.phase) && priority < 2;
  return { pod, priority, status, isOpen, marks, rows };
}

function mark({ metadata }: StoredPod, view: PodContainer): RowPart[] {
  const { name } = view.container;
  const tone = containerTone(view);
  return [
    { text: SIGNS[tone], tone },
    { text: name, series: `${metadata.name}/${name}` },
  ];
}

function restarts(count: number): RowPart[] {
  return count === 0 ? [] : [{ text: count === 1 ? '1 restart' : `${count} restarts`, tone: 'info' }];
}

function plain(text: string): RowPart[] {
  return text === '' ? [] : [{ text, tone: 'muted' }];
}

/** True for a Pod that ends, also when `apply` ends it without a deletionTimestamp. */
function isTerminating({ status }: StoredPod, activity: PodActivity | undefined): boolean {
  return activity?.isEnding === true && !isTerminalPhase(status.phase);
}

interface DrawnContainer {
  readonly pod: StoredPod;
  readonly view: PodContainer;
  readonly activity: PodActivity | undefined;
  readonly now: Instant;
}

function containerRow({ pod, view, activity, now }: DrawnContainer, depth: number): StatusRow {
  const { container, status, role } = view;
  const tone = containerTone(view);
  const { running, terminated, waiting } = status?.state ?? {};
  const text = withoutControls(containerActivityText(view, activity, now));
  const word = role === 'init' ? undefined : roleWord(role);
  return {
    depth,
    sign: SIGNS[tone],
    name: container.name,
    status: (running ? 'Running' : (terminated?.reason ?? waiting?.reason)) || 'Waiting',
    tone,
    rest: [...plain(word ?? ''), ...plain(text), ...restarts(status?.restartCount ?? 0)],
    target: { pod, container: container.name },
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
function busiest(drawn: Omit<DrawnContainer, 'view'>, views: readonly PodContainer[], isNamed: boolean): string {
  const order: readonly Tone[] = ['bad', 'info', 'good', 'muted'];
  const [first] = views
    .map((view) => ({ view, text: withoutControls(containerActivityText(view, drawn.activity, drawn.now)) }))
    .filter(({ text }) => text !== '')
    .toSorted((a, b) => order.indexOf(containerTone(a.view)) - order.indexOf(containerTone(b.view)));
  if (first === undefined) return '';
  return isNamed ? `${first.view.container.name}: ${first.text}` : first.text;
}

function priorityOf(pod: StoredPod, summary: PodSummary, hasTrouble: boolean, status: string): RowPriority {
  if (pod.status.phase === 'Succeeded') return 3;
  if (pod.status.phase === 'Failed' || pod.status.phase === 'Unknown') return 0;
  if (hasTrouble) return 0;
  const isReady = summary.ready === summary.total && conditionOf(pod.status, 'Ready')?.status !== 'False';
  return status === 'Running' && isReady ? 2 : 1;
}

function podTone(interest: RowPriority): Tone {
  return (['bad', 'info', 'good', 'muted'] as const)[interest];
}
