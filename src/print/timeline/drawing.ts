import { type ContainerStory, type NodeLane, readyCounts, type Timeline } from '../../history/index.ts';
import type { Painter, Tone } from '../text/painter.ts';
import { type GlyphName, type Glyphs, LEGEND } from './glyphs.ts';

/** The label of the row of conditions. */
export const CONDITIONS_LABEL = '  conditions';

/** A row: its label and its drawing. */
interface Row {
  readonly label: string;
  readonly canvas: CanvasRow;
}

/** Draws Pods, and remembers the symbols for the legend. */
export class Drawing {
  readonly lengthMs: number;
  readonly width: number;
  readonly used: Set<GlyphName> = new Set();
  /** The drawn conditions by their letters. */
  readonly conditions: Map<string, string> = new Map();
  readonly #glyphs: Glyphs;

  constructor({ lengthMs, width, glyphs }: { lengthMs: number; width: number; glyphs: Glyphs }) {
    this.lengthMs = lengthMs;
    this.width = width;
    this.#glyphs = glyphs;
  }

  #newRow(): CanvasRow {
    return new CanvasRow(this.width, this.lengthMs);
  }

  rowsOf(timeline: Timeline, offsetMs: number): Row[] {
    return [
      { label: timeline.name, canvas: this.#podRow(timeline, offsetMs) },
      { label: CONDITIONS_LABEL, canvas: this.#conditionRow(timeline, offsetMs) },
      ...timeline.containers.flatMap((container) => this.#containerRows(container, offsetMs)),
    ];
  }

  /** The row above the Pods of a workload: the number of them that were Ready, as digits. */
  workloadRow(name: string, timelines: readonly Timeline[], originMs: number): Row {
    const canvas = this.#newRow();
    for (const { ready, fromMs, toMs } of readyCounts(timelines, originMs)) {
      canvas.fill(fromMs, toMs, digit(ready), ready === 0 ? 'muted' : 'good');
    }
    return { label: name, canvas };
  }

  /** The row of a node: the number of Pods on it, as digits, and the times in which it was away. */
  nodeRow({ name, counts, away }: NodeLane): Row {
    const canvas = this.#newRow();
    for (const { pods, fromMs, toMs } of counts) {
      canvas.fill(fromMs, toMs, digit(pods), pods === 0 ? 'muted' : 'info');
    }
    for (const { fromMs, toMs } of away) this.#fill(canvas, 'away', fromMs, toMs);
    return { label: nodeLabel(name), canvas };
  }

  #podRow({ phases, conditions, ending }: Timeline, offsetMs: number): CanvasRow {
    const row = this.#newRow();
    for (const { phase, fromMs, toMs } of phases) {
      if (phase === 'Pending') this.#fill(row, 'waiting', offsetMs + fromMs, offsetMs + toMs);
      if (phase === 'Running') this.#fill(row, 'running', offsetMs + fromMs, offsetMs + toMs);
    }
    for (const { type, status, fromMs, toMs } of conditions) {
      if (type === 'Ready' && status === 'True') this.#fill(row, 'ready', offsetMs + fromMs, offsetMs + toMs);
    }
    if (ending !== undefined) this.#fill(row, 'stopping', offsetMs + ending.fromMs, offsetMs + ending.toMs);
    const last = phases.at(-1);
    if (last?.phase === 'Succeeded') this.#mark(row, 'good', offsetMs + last.fromMs);
    if (last?.phase === 'Failed') this.#mark(row, 'bad', offsetMs + last.fromMs);
    return row;
  }

  /** The row with the initial of each condition where it became True, in lower case where it stopped being True. */
  #conditionRow({ conditions }: Timeline, offsetMs: number): CanvasRow {
    const row = this.#newRow();
    // The later of two letters in one column is shown and explained.
    const seen = new Map<number, readonly [string, string]>();
    for (const { type, status, fromMs } of conditions.toSorted((a, b) => rankOf(a) - rankOf(b))) {
      if (status !== 'True' && fromMs === 0) continue;
      const wasMet = conditions.some(
        (condition) => condition.type === type && condition.status === 'True' && condition.fromMs < fromMs,
      );
      if (status !== 'True' && !wasMet) continue;
      const initial = initialOf(type);
      const isMet = status === 'True';
      seen.set(row.columnOf(offsetMs + fromMs), [initial, type]);
      row.mark(offsetMs + fromMs, isMet ? initial : initial.toLowerCase(), isMet ? 'info' : 'muted');
    }
    for (const [initial, type] of seen.values()) this.conditions.set(initial, type);
    return row;
  }

  #containerRows(container: ContainerStory, offsetMs: number): Row[] {
    const { name, hooks, probes } = container;
    const handlers = [...new Set([...hooks.map(({ hook }) => hook), ...probes.map(({ probe }) => probe)])];
    return [
      { label: `  ${name}`, canvas: this.#lifeRow(container, offsetMs) },
      ...handlers.map((handler) => ({
        label: `    ${handler}`,
        canvas: this.#handlerRow(container, handler, offsetMs),
      })),
    ];
  }

  #lifeRow({ waits, attempts, stops }: ContainerStory, offsetMs: number): CanvasRow {
    const row = this.#newRow();
    for (const { reason, fromMs, toMs } of waits) {
      this.#fill(row, waitLook(reason), offsetMs + fromMs, offsetMs + toMs);
    }
    for (const { fromMs, toMs, ready, startedUpMs = toMs, exit } of attempts) {
      this.#fill(row, 'starting', offsetMs + fromMs, offsetMs + Math.min(startedUpMs, toMs));
      if (startedUpMs < toMs) this.#fill(row, 'running', offsetMs + startedUpMs, offsetMs + toMs);
      for (const span of ready) this.#fill(row, 'ready', offsetMs + span.fromMs, offsetMs + span.toMs);
      if (exit !== undefined) this.#mark(row, exit.exitCode === 0 ? 'good' : 'bad', offsetMs + toMs);
    }
    for (const { fromMs, toMs } of stops) {
      if (toMs > fromMs) this.#fill(row, 'stopping', offsetMs + fromMs, offsetMs + toMs);
    }
    for (const { exit, toMs } of attempts) {
      if (exit !== undefined) this.#mark(row, exit.exitCode === 0 ? 'good' : 'bad', offsetMs + toMs);
    }
    return row;
  }

  #handlerRow({ hooks, probes }: ContainerStory, handler: string, offsetMs: number): CanvasRow {
    const row = this.#newRow();
    for (const { hook, fromMs, toMs, result } of hooks) {
      if (hook !== handler) continue;
      this.#fill(row, 'hook', offsetMs + fromMs, offsetMs + toMs);
      if (result === 'failure') this.#mark(row, 'bad', offsetMs + toMs);
    }
    const own = probes.filter(({ probe }) => probe === handler);
    // Results with a decision are drawn last, so that other results do not cover them.
    for (const { fromMs, result, decision } of own.toSorted((a, b) => weightOf(a) - weightOf(b))) {
      const isGood = result === 'success' || result === 'warning';
      const turned = decision !== 'none' && decision !== 'retry';
      const glyph = isGood ? (turned ? 'turnedGood' : 'probeGood') : turned ? 'turnedBad' : 'probeBad';
      this.#mark(row, glyph, offsetMs + fromMs);
    }
    return row;
  }

  #fill(row: CanvasRow, glyph: GlyphName, fromMs: number, toMs: number): void {
    this.used.add(glyph);
    row.fill(fromMs, toMs, this.#glyphs[glyph], LEGEND[glyph].tone);
  }

  #mark(row: CanvasRow, glyph: GlyphName, atMs: number): void {
    this.used.add(glyph);
    row.mark(atMs, this.#glyphs[glyph], LEGEND[glyph].tone);
  }
}

/** A number in one cell. */
function digit(count: number): string {
  return count > 9 ? '+' : String(count);
}

/** The label of the row of a node. */
export function nodeLabel(name: string): string {
  return `node/${name}`;
}

function weightOf({ decision, result }: { readonly decision: string; readonly result: string }): number {
  return (decision === 'none' ? 0 : 2) + (result === 'success' ? 0 : 1);
}

/** The look of a wait by its reason. */
export function waitLook(reason: string | undefined): 'waiting' | 'backOff' | 'blocked' {
  if (reason === undefined || /^(ContainerCreating|PodInitializing|RestartingAllContainers)$/.test(reason))
    return 'waiting';
  return reason.endsWith('BackOff') ? 'backOff' : 'blocked';
}

/** The order in which conditions become True: of two in one column the later one is shown. */
const CONDITION_ORDER = ['PodScheduled', 'PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready'];

/** The drawing order: a condition that became True covers one that stopped being True. */
function rankOf({ type, status }: Timeline['conditions'][number]): number {
  const rank = CONDITION_ORDER.indexOf(type);
  return (rank < 0 ? CONDITION_ORDER.length : rank) + (status === 'True' ? CONDITION_ORDER.length + 1 : 0);
}

const INITIALS: Readonly<Record<string, string>> = { PodScheduled: 'S', PodReadyToStartContainers: 'N' };

/** The letter of a condition. For a readiness gate, the letter after the slash. */
function initialOf(type: string): string {
  return INITIALS[type] ?? (type.split('/').at(-1)?.charAt(0) || '?').toUpperCase();
}

/** One cell of a row. */
interface Cell {
  readonly text: string;
  readonly tone: Tone | undefined;
}

const EMPTY: Cell = { text: ' ', tone: undefined };

/** A row of characters on the time axis. Later drawings cover earlier ones. */
class CanvasRow {
  readonly #cells: Cell[];
  readonly #lengthMs: number;

  /** @param lengthMs the time that the whole width represents */
  constructor(width: number, lengthMs: number) {
    this.#cells = Array.from({ length: width }, () => EMPTY);
    this.#lengthMs = lengthMs;
  }

  /** Draws a period, at least one cell wide. */
  fill(fromMs: number, toMs: number, text: string, tone: Tone | undefined): void {
    const [from, to] = [this.columnOf(fromMs), this.columnOf(toMs)];
    for (let column = from; column < Math.max(from + 1, to); column++) this.#cells[column] = { text, tone };
  }

  /** Draws a point in time. */
  mark(atMs: number, text: string, tone: Tone | undefined): void {
    this.#cells[this.columnOf(atMs)] = { text, tone };
  }

  columnOf(ms: number): number {
    const { length } = this.#cells;
    return Math.max(0, Math.min(length - 1, Math.floor((ms / this.#lengthMs) * length)));
  }

  /** Formats the row without empty cells at its end. Cells of one tone are painted together. */
  render(painter: Painter): string {
    const last = this.#cells.findLastIndex(({ text }) => text !== ' ');
    let line = '';
    for (let at = 0; at <= last;) {
      const tone = this.#cells[at]?.tone;
      let end = at;
      let run = '';
      while (end <= last && this.#cells[end]?.tone === tone) run += this.#cells[end++]?.text ?? '';
      line += tone === undefined ? run : painter.tone(tone, run);
      at = end;
    }
    return line;
  }
}
