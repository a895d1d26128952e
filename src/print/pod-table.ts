import type { PodSpec, PodStatus } from '../api/generated/types.ts';
import type { StoredPod, WatchEvent } from '../api/objects.ts';
import { humanDuration } from '../api/duration.ts';
import { ageSince } from './age.ts';
import { labelText } from './labels.ts';
import { conditionOf, summarizePod } from './pod-status.ts';
import { renderRows } from './table-row.ts';
import { TABLE_LAYOUT, TabWriter } from './tab-writer.ts';

/** The flags of `get pods` that choose what its table shows. */
export interface PodTableOptions {
  /** `-o wide`: IP, NODE, NOMINATED NODE, READINESS GATES. */
  readonly wide?: boolean;
  /** `-A`: NAMESPACE first. */
  readonly allNamespaces?: boolean;
  /** `--show-labels`: LABELS last. */
  readonly showLabels?: boolean;
  /** `-L`: one column for each of these labels. */
  readonly labelColumns?: readonly string[];
  readonly noHeaders?: boolean;
  /** `--output-watch-events`: EVENT. */
  readonly watchEvents?: boolean;
  /** `--show-kind`: `pod/NAME` in the column NAME. */
  readonly showKind?: boolean;
}

type PodEvent = WatchEvent<StoredPod>;

/** One column: its heading, and its cell for a Pod. */
interface Column {
  readonly heading: string;
  readonly cell: (event: PodEvent, nowMs: number) => string;
}

/** The table of `get pods`, with headings. An empty list gives an empty text. */
export function renderPodTable(pods: readonly StoredPod[], nowMs: number, options: PodTableOptions = {}): string {
  return new PodTablePrinter(options).render(
    pods.map((object) => ({ type: 'ADDED', object })),
    nowMs,
  );
}

/** Prints the table piece by piece, for `get -w`: headings once, columns that only ever grow. */
export class PodTablePrinter {
  readonly #columns: readonly Column[];
  readonly #writer = new TabWriter(TABLE_LAYOUT);
  #headingsDue: boolean;

  constructor(options: PodTableOptions = {}) {
    this.#columns = columnsOf(options);
    this.#headingsDue = options.noHeaders !== true;
  }

  /** Lines for these Pods, ages as of `nowMs`; with the headings in front when they are the first. */
  render(events: readonly PodEvent[], nowMs: number): string {
    if (events.length === 0) return '';
    const rows = events.map((event) => this.#columns.map(({ cell }) => cell(event, nowMs)));
    if (this.#headingsDue) rows.unshift(this.#columns.map(({ heading }) => heading));
    this.#headingsDue = false;
    return this.#writer.render(renderRows(rows));
  }
}

const BASE_COLUMNS: readonly Column[] = [
  {
    heading: 'READY',
    cell: ({ object }) => {
      const { ready, total } = summarizePod(object);
      return `${ready}/${total}`;
    },
  },
  { heading: 'STATUS', cell: ({ object }) => summarizePod(object).text },
  {
    heading: 'RESTARTS',
    cell: ({ object }, nowMs) => {
      const { restarts, lastRestartMs } = summarizePod(object);
      if (restarts === 0 || lastRestartMs === undefined) return String(restarts);
      return `${restarts} (${humanDuration(nowMs - lastRestartMs)} ago)`;
    },
  },
  { heading: 'AGE', cell: ({ object }, nowMs) => ageSince(object.metadata.creationTimestamp, nowMs) },
];

const WIDE_COLUMNS: readonly Column[] = [
  { heading: 'IP', cell: ({ object }) => object.status.podIPs?.[0]?.ip || '<none>' },
  { heading: 'NODE', cell: ({ object }) => object.spec.nodeName || '<none>' },
  { heading: 'NOMINATED NODE', cell: ({ object }) => object.status.nominatedNodeName || '<none>' },
  { heading: 'READINESS GATES', cell: ({ object }) => readinessGates(object.spec, object.status) },
];

/** The EVENT column; the API machinery pads the words to the same length. */
const EVENT_COLUMN: Column = { heading: 'EVENT', cell: ({ type }) => type.padEnd('MODIFIED'.length) };

function columnsOf(options: PodTableOptions): Column[] {
  const kind = options.showKind ? 'pod/' : '';
  const columns: Column[] = [
    { heading: 'NAME', cell: ({ object }) => kind + object.metadata.name },
    ...BASE_COLUMNS,
    ...(options.wide ? WIDE_COLUMNS : []),
    ...(options.labelColumns ?? []).map(labelColumn),
  ];
  if (options.watchEvents) columns.unshift(EVENT_COLUMN);
  if (options.allNamespaces) columns.unshift({ heading: 'NAMESPACE', cell: ({ object }) => object.metadata.namespace });
  if (options.showLabels) columns.push({ heading: 'LABELS', cell: ({ object }) => labelText(object.metadata.labels) });
  return columns;
}

function labelColumn(key: string): Column {
  return {
    heading: key.slice(key.lastIndexOf('/') + 1).toUpperCase(),
    cell: ({ object }) => object.metadata.labels?.[key] ?? '',
  };
}

function readinessGates(spec: PodSpec, status: PodStatus): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(({ conditionType }) => conditionOf(status, conditionType)?.status === 'True');
  return `${open.length}/${gates.length}`;
}
