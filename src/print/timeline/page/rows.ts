import { type AttemptStory, type ContainerStory, isGood, type Stretch, type Timeline } from '../../../history/index.ts';
import { briefDuration } from '../../base/age.ts';
import { describeExitCode } from '../../base/exit-code.ts';
import { stepDuration } from '../scale.ts';
import { hasDecision, probeMarks } from './probe-marks.ts';
import { stepHint, stepText } from '../step-text.ts';
import { waitLook } from '../drawing.ts';

/** A period or point in time that is drawn, listed and described. Times count from the beginning of the page. */
export interface Entry extends Stretch {
  /** The name of the Pod; of a workload as `deployment/web`. */
  readonly pod: string;
  /** Undefined for an entry about the Pod. */
  readonly container?: string | undefined;
  readonly title: string;
  /** Further details: names and values. */
  readonly details: ReadonlyArray<readonly [string, string]>;
  /** The CSS class of the drawing, see page.css. */
  readonly look: string;
  /** True to draw a mark even for a period. */
  readonly isMark: boolean;
  /** The parts that are drawn over it. */
  readonly parts: ReadonlyArray<Stretch & { readonly look: string }>;
  /** The text in the bar. */
  readonly label: string;
}

export interface ChartRow {
  readonly kind: 'workload' | 'pod' | 'thin' | 'container' | 'handler';
  readonly label: string;
  readonly note: string;
  readonly entries: readonly Entry[];
}

type NewEntry = Stretch & Pick<Entry, 'title' | 'look'> & Partial<Entry>;

/**
 * All rows of a Pod, drawn from `offsetMs` on.
 * @param hasNodes true for the name of its node beside its own
 */
export function chartRows(timeline: Timeline, offsetMs: number, hasNodes: boolean): ChartRow[] {
  const { name, containers, pod } = timeline;
  const completed = (entry: NewEntry): Entry => ({
    pod: name,
    details: [],
    isMark: false,
    label: '',
    ...entry,
    fromMs: offsetMs + entry.fromMs,
    toMs: offsetMs + entry.toMs,
    parts: (entry.parts ?? []).map((part) => ({
      ...part,
      fromMs: offsetMs + part.fromMs,
      toMs: offsetMs + part.toMs,
    })),
  });
  const row = (kind: ChartRow['kind'], label: string, note: string, entries: readonly NewEntry[]): ChartRow => {
    return { kind, label, note, entries: entries.map(completed) };
  };
  return [
    row('pod', name, hasNodes ? (pod.spec.nodeName ?? '') : '', phaseEntries(timeline)),
    row('thin', 'way to Ready', '', pathEntries(timeline)),
    row('thin', 'conditions', '', conditionEntries(timeline)),
    ...containers.flatMap((container) => [
      row('container', container.name, ROLES[container.role], lifeEntries(container)),
      ...handlersOf(container).map((handler) =>
        row('handler', handler, '', [...hookEntries(container, handler), ...probeEntries(container, handler)]),
      ),
    ]),
  ];
}

const ROLES: Readonly<Record<ContainerStory['role'], string>> = {
  init: 'init',
  sidecar: 'sidecar',
  regular: '',
  ephemeral: 'ephemeral',
};

function handlersOf({ hooks, probes }: ContainerStory): string[] {
  return [...new Set([...hooks.map(({ hook }) => hook), ...probes.map(({ probe }) => probe)])];
}

function why(of: {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}): Array<[string, string]> {
  return [
    ...(of.reason === undefined ? [] : [['reason', of.reason] as [string, string]]),
    ...(of.message === undefined ? [] : [['message', of.message] as [string, string]]),
  ];
}

function phaseEntries({ phases, conditions, ending, endMs }: Timeline): NewEntry[] {
  const ready = conditions.filter(({ type, status }) => type === 'Ready' && status === 'True');
  const spans = phases.map((span): NewEntry => {
    const { phase, fromMs, toMs } = span;
    const parts = ready
      .map((readySpan) => ({
        fromMs: Math.max(fromMs, readySpan.fromMs),
        toMs: Math.min(toMs, readySpan.toMs),
        look: 'ready',
      }))
      .filter((part) => part.toMs > part.fromMs);
    const isEnd = phase === 'Succeeded' || phase === 'Failed';
    const look = isEnd ? `end-${phase.toLowerCase()}` : phase === 'Running' ? 'running' : 'waiting';
    return {
      title: `phase ${phase}`,
      look,
      label: phase,
      fromMs,
      toMs,
      isMark: isEnd && toMs - fromMs < endMs / 50,
      parts,
      details: why(span),
    };
  });
  if (ending === undefined) return spans;
  const grace: Array<[string, string]> =
    ending.graceSeconds === undefined ? [] : [['grace period', `${ending.graceSeconds}s`]];
  return [...spans, { ...ending, title: 'asked to end', look: 'stopping over', label: '', details: grace }];
}

function pathEntries({ criticalPath }: Timeline): NewEntry[] {
  return criticalPath.steps.map((step) => {
    const hint = stepHint(step);
    const details: Array<[string, string]> = [
      ['share of the way', `${Math.round(step.share * 100)}%`],
      ...(hint === undefined ? [] : [['to shorten it', hint] as [string, string]]),
      ...(step.field === undefined ? [] : [['field', step.field] as [string, string]]),
    ];
    const { fromMs, toMs } = step;
    return { title: stepText(step), container: step.container, look: `step step-${step.kind}`, fromMs, toMs, details };
  });
}

function conditionEntries({ conditions }: Timeline): NewEntry[] {
  return conditions
    .filter(({ status, fromMs, type }) => {
      return (
        status === 'True' ||
        conditions.some((other) => other.type === type && other.status === 'True' && other.fromMs < fromMs)
      );
    })
    .map((span) => {
      const { type, status, fromMs } = span;
      const look = status === 'True' ? 'met' : 'unmet';
      return { title: `${type} ${status}`, look, isMark: true, fromMs, toMs: fromMs, details: why(span) };
    });
}

function lifeEntries({ name, role, waits, attempts, stops }: ContainerStory): NewEntry[] {
  return [
    ...waits.map((wait): NewEntry => {
      const { reason, fromMs, toMs } = wait;
      const title = reason === undefined ? 'not begun' : `waiting: ${reason}`;
      const look = waitLook(reason);
      return {
        container: name,
        title,
        look,
        label: look === 'waiting' ? '' : (reason ?? ''),
        fromMs,
        toMs,
        details: why(wait),
      };
    }),
    ...attempts.map((attempt) => attemptEntry(name, role, attempt)),
    ...stops.map(({ fromMs, toMs, why: text, graceSeconds }): NewEntry => {
      const details: Array<[string, string]> = [
        ['why', text],
        ['grace period', `${graceSeconds}s, of which ${stepDuration(toMs - fromMs)} were used`],
      ];
      return { container: name, title: 'asked to end', look: 'stopping over', fromMs, toMs, details };
    }),
  ];
}

function attemptEntry(container: string, role: ContainerStory['role'], attempt: AttemptStory): NewEntry {
  const { fromMs, toMs, ready, startedUpMs, exit, isRunning } = attempt;
  const number = `attempt ${attempt.attempt + 1}`;
  const how = isRunning ? 'running' : exit === undefined ? 'removed' : describeExitCode(exit.exitCode);
  const isBad = exit !== undefined && exit.exitCode !== 0;
  const startingMs = startedUpMs === undefined ? toMs : Math.min(startedUpMs, toMs);
  const details: Array<[string, string]> = [
    ['how it ended', how],
    ...(role === 'init' || startedUpMs === undefined
      ? []
      : [['started up after', briefDuration(startedUpMs - fromMs)] as [string, string]]),
    ...(ready[0] === undefined ? [] : [['ready after', briefDuration(ready[0].fromMs - fromMs)] as [string, string]]),
    ...why(exit ?? {}),
  ];
  const parts = [
    ...(startingMs > fromMs && role !== 'init' ? [{ fromMs, toMs: startingMs, look: 'starting' }] : []),
    ...ready.map((span) => ({ ...span, look: 'ready' })),
  ];
  const label = isBad ? `${attempt.attempt === 0 ? '' : `${number} · `}${how}` : attempt.attempt === 0 ? '' : number;
  const look = `running attempt${isBad ? ' bad' : ''}`;
  return { container, title: `${number}: ${how}`, look, label, fromMs, toMs, parts, details };
}

function hookEntries({ name, hooks }: ContainerStory, handler: string): NewEntry[] {
  return hooks
    .filter(({ hook }) => hook === handler)
    .map(({ hook, handler: what, result, message, fromMs, toMs }) => ({
      container: name,
      title: `${hook} hook: ${result ?? 'running'}`,
      look: result === 'failure' ? 'hook bad' : 'hook',
      fromMs,
      toMs,
      details: [['handler', what], ...(message === undefined ? [] : [['message', message] as const])],
    }));
}

function probeEntries({ name, probes }: ContainerStory, handler: string): NewEntry[] {
  const own = probes.filter(({ probe }) => probe === handler);
  return probeMarks(own).map(({ last, fromMs, count: together }) => {
    const { probe, result, decision, count, threshold, output, toMs } = last;
    const details: Array<[string, string]> = [
      together === 1 ? ['took', stepDuration(toMs - fromMs)] : ['the last at', stepDuration(last.fromMs)],
      ['in a row', `${count} of ${threshold}`],
      ...(decision === 'none' ? [] : [['decided', decision] as [string, string]]),
      ...(output.trim() === '' ? [] : [['output', output.trim()] as [string, string]]),
    ];
    const look = `probe ${isGood(last) ? 'good' : 'bad'}${hasDecision(last) ? ' turned' : ''}`;
    const title = `${probe} probe: ${result}${together === 1 ? '' : `, ${together} attempts`}`;
    return { container: name, title, look, isMark: true, fromMs, toMs, details };
  });
}
