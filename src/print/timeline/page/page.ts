import script from './page.js?raw';
import style from './page.css?raw';
import { chartMarkup } from './chart.ts';
import { jsonMarkup, Markup, markup } from './markup.ts';
import { chartRows, type Entry, type ChartRow } from './rows.ts';
import { nodeLabel } from '../drawing.ts';
import { workloadGroups } from '../pod-summary.ts';
import { eventSection, overview, type PagePod, podSection, entrySection } from './sections.ts';
import { type NodeLane, readyCounts, type Timeline } from '../../../history/index.ts';

export interface PageOptions {
  /** Computes the SHA-256 of a text in base64: the page allows only its own script. */
  readonly sha256: (text: string) => string;
  /** The time at which the page was made, RFC 3339. */
  readonly madeAt: string;
  readonly version: string;
  /** The lanes of nodes. Default: none. */
  readonly nodes?: readonly NodeLane[];
}

/**
 * Makes one page that contains everything and loads nothing. Output of Pods is text in it: each text is escaped, and a
 * content security policy forbids other scripts.
 */
export function renderPage(pods: readonly PagePod[], options: PageOptions): string {
  const { sha256, madeAt, version, nodes = [] } = options;
  const originMs = Math.min(...pods.map(({ timeline }) => timeline.createdAtMs));
  const offsets = pods.map(({ timeline }) => timeline.createdAtMs - originMs);
  const lengthMs = Math.max(1, ...pods.map(({ timeline }, index) => (offsets[index] ?? 0) + timeline.endMs)) * 1.01;
  const rowsOfPods = workloadGroups(pods).flatMap(({ workload, members }) => {
    const timelines = members.map(({ timeline }) => timeline);
    return [
      ...(workload === undefined ? [] : [groupRow(workload, timelines, originMs)]),
      ...members.flatMap(({ run, timeline }) =>
        chartRows({ ...timeline, name: run }, timeline.createdAtMs - originMs, nodes.length > 0),
      ),
    ];
  });
  const rows = [...nodes.map(nodeRow), ...rowsOfPods];
  const entries = rows.flatMap((row) => row.entries);
  const names = workloadGroups(pods).map(({ workload, members }) => workload ?? members[0]?.run ?? '');
  const title = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${sha256(style)}'`,
    `script-src 'sha256-${sha256(script)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - podrun timeline</title>
<link rel="icon" href="data:,">
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#things">Skip the picture and go to its table</a>
<header>
<div class="heading"><p class="brand">podrun timeline</p><h1>${title}</h1></div>
<div class="tools" role="toolbar" aria-label="View">
<button type="button" id="zoom-out" aria-label="Zoom out">&minus;</button>
<button type="button" id="zoom-fit">Fit</button>
<button type="button" id="zoom-in" aria-label="Zoom in">+</button>
<button type="button" id="theme" aria-label="Colours: as in the system">Auto</button>
</div>
</header>
<main>
${overview(pods)}
<section aria-labelledby="chart-title">
<h2 id="chart-title">What happened when</h2>
${chartMarkup({ rows, lengthMs })}
${legend()}
</section>
${pods.map((pod, index) => podSection(pod, index, pods.length))}
${eventSection(pods, offsets)}
${entrySection(entries)}
</main>
<footer>Made by podrun ${version}, ${madeAt}.
Times count from the creation of the first Pod, ${new Date(originMs).toISOString()}.</footer>
<div id="tip" role="status" hidden></div>
<script type="application/json" id="data">${jsonMarkup(entries.map(tooltipOf))}</script>
<script>${new Markup(script)}</script>
</body>
</html>
`;
  return page.text;
}

/** The data of the tooltip of an entry. */
function tooltipOf({ pod, container, title, fromMs, toMs, isMark, details }: Entry): unknown {
  const where = container === undefined ? pod : `${pod} / ${container}`;
  return { where, title, fromMs, toMs: isMark ? fromMs : toMs, details };
}

const LEGEND: ReadonlyArray<readonly [string, string]> = [
  ['waiting', 'waiting'],
  ['backOff', 'back-off'],
  ['blocked', 'cannot start'],
  ['part starting', 'starting up'],
  ['running', 'running'],
  ['part ready', 'ready'],
  ['stopping over', 'asked to end'],
  ['hook', 'hook'],
];

function legend(): Markup {
  const keys = LEGEND.map(([look, text]) => {
    const swatch = markup`<svg width="22" height="12" aria-hidden="true">
<g class="${look}"><rect class="bar ${look}" width="22" height="12" rx="3"/></g></svg>`;
    return markup`<li>${swatch}${text}</li>`;
  });
  return markup`<ul class="legend">${keys}<li>&#9650; &#9660; a probe that changed something</li></ul>
<p class="hint">Drag to move, Ctrl and wheel or + and &minus; to zoom,
arrow keys to move to the next entry.</p>`;
}

/** The row above the Pods of a workload: how many of them were Ready. */
function groupRow(name: string, timelines: readonly Timeline[], originMs: number): ChartRow {
  const counts = readyCounts(timelines, originMs);
  const most = Math.max(1, ...counts.map(({ ready }) => ready));
  const entries = counts.map(({ ready, fromMs, toMs }) => ({
    pod: name,
    title: `${ready} Ready`,
    details: [],
    look: ready === 0 ? 'waiting' : ready === most ? 'running attempt' : 'running',
    isMark: false,
    parts: ready === most && ready > 0 ? [{ fromMs, toMs, look: 'ready' }] : [],
    label: `${ready} Ready`,
    fromMs,
    toMs,
  }));
  return { kind: 'workload', label: name, note: podCount(timelines.length), entries };
}

/** The row of a node: how many Pods it had, and when it was away. */
function nodeRow({ name, counts, away }: NodeLane): ChartRow {
  const about = { pod: nodeLabel(name), details: [], isMark: false, parts: [] };
  const entries = [
    ...counts.map(({ pods, fromMs, toMs }) => {
      const text = podCount(pods);
      return { ...about, title: text, look: pods === 0 ? 'waiting' : 'running', label: text, fromMs, toMs };
    }),
    ...away.map(({ how, fromMs, toMs }) => ({ ...about, title: how, look: 'blocked', label: how, fromMs, toMs })),
  ];
  return { kind: 'workload', label: nodeLabel(name), note: '', entries };
}

function podCount(count: number): string {
  return count === 1 ? '1 Pod' : `${count} Pods`;
}
