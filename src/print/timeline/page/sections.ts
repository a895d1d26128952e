import type { CriticalPath, PathStep, Timeline } from '../../../history/index.ts';
import { podEnd } from '../pod-summary.ts';
import { stepDuration } from '../scale.ts';
import { pathExtract, stepHint, stepText } from '../step-text.ts';
import { type Markup, markup, readable } from './markup.ts';
import type { Entry } from './rows.ts';

/** The output of a container in one of its runs. */
export interface PageLog {
  readonly container: string;
  readonly attempt: number;
  readonly text: string;
  /** True when the beginning was left out. */
  readonly isCut: boolean;
}

/** A run of a Pod, with everything that a page shows of it. */
export interface PagePod {
  /** The workload that made the Pod: `deployment/web`. Undefined: none. */
  readonly workload?: string | undefined;
  /** The name of the run: `web`, `web@1`. */
  readonly run: string;
  readonly timeline: Timeline;
  /** The output of `describe`. Undefined: left out. */
  readonly describe: string | undefined;
  readonly logs: readonly PageLog[];
}

/** The number of Pods up to which their sections are open. */
const OPEN_MAX = 2;

/** The result of each Pod, in a line. */
export function overview(pods: readonly PagePod[]): Markup {
  const cards = pods.map(({ run, workload, timeline }, index) => {
    const { criticalPath, phases } = timeline;
    const phase = phases.at(-1)?.phase ?? 'Unknown';
    const time = criticalPath.isReady ? stepDuration(criticalPath.toMs) : 'never';
    const owner = workload === undefined ? undefined : markup`<p class="state">${workload}</p>`;
    return markup`<li class="card ${phase.toLowerCase()}"><a href="#pod-${index}">${run}</a>${owner}
<p class="figure"><b>${time}</b> to Ready</p><p class="state">${podEnd(timeline)}</p></li>`;
  });
  return markup`<ul class="cards" aria-label="Pods">${cards}</ul>`;
}

const INTRODUCTIONS = {
  ready: 'These steps had to happen one after another until the Pod was Ready:',
  never: 'The Pod took these steps one after another:',
};

/** The critical path of a Pod to Ready, its `describe` and its logs. */
export function podSection(pod: PagePod, index: number, count: number): Markup {
  const { run, timeline, describe, logs } = pod;
  const { isReady, toMs } = timeline.criticalPath;
  const claim = isReady ? `Ready after ${stepDuration(toMs)}` : `never Ready in ${stepDuration(toMs)}`;
  const described =
    describe === undefined
      ? undefined
      : markup`<h3>Describe</h3>
<details><summary>kubectl describe pod ${timeline.name}</summary>
<pre tabindex="0">${readable(describe)}</pre></details>`;
  return markup`<section id="pod-${index}" class="pod" aria-labelledby="pod-title-${index}">
<details${count <= OPEN_MAX ? markup` open` : undefined}>
<summary><h2 id="pod-title-${index}">${run}</h2><span>${claim}</span></summary>
<p>${INTRODUCTIONS[isReady ? 'ready' : 'never']}</p>
${pathList(timeline.criticalPath)}
${logs.length === 0 ? undefined : markup`<h3>Logs</h3>${logs.map(logBlock)}`}
${described}</details></section>
`;
}

function pathList(path: CriticalPath): Markup {
  const { steps, others, longest, purpose } = pathExtract(path);
  const hint = longest === undefined ? undefined : stepHint(longest);
  const rest = markup`<li class="rest">${others.count} more steps, ${stepDuration(others.ms)} together</li>`;
  return markup`<ol class="path">${steps.map((step) => stepItem(step, step === longest))}${
    others.count === 0 ? undefined : rest
  }</ol>
${longest === undefined || hint === undefined ? undefined : advice(longest, `${purpose}:`, hint)}`;
}

function advice(step: PathStep, purpose: string, hint: string): Markup {
  const where =
    step.field === undefined
      ? markup`<span>(${stepText({ ...step, message: undefined })})</span>`
      : markup`<code>${step.field}</code>`;
  return markup`<p class="advice"><b>${purpose}</b> ${hint} ${where}</p>`;
}

function stepItem(step: PathStep, isLongest: boolean): Markup {
  const { fromMs, toMs, share, field, kind } = step;
  const code = field === undefined ? undefined : markup` <code>${field}</code>`;
  const width = `${Number((share * 100).toFixed(2))}%`;
  return markup`<li class="${isLongest ? 'longest' : undefined}">
<span class="time">${stepDuration(toMs - fromMs)}</span><span class="share">${Math.round(share * 100)}%</span>
<svg class="share-bar" height="8" aria-hidden="true"><rect class="track" width="100%" height="8" rx="4"/>
<rect class="step step-${kind}" width="${width}" height="8" rx="4"/></svg>
<span class="what">${readable(stepText(step))}${code}</span></li>
`;
}

function logBlock({ container, attempt, text, isCut }: PageLog): Markup {
  const safe = readable(text);
  const lines = safe === '' ? 0 : safe.split('\n').length - (safe.endsWith('\n') ? 1 : 0);
  const run = attempt === 0 ? '' : `, attempt ${attempt + 1}`;
  const size = lines === 1 ? '1 line' : `${lines} lines`;
  // HTML ignores a newline right after <pre>.
  return markup`<details class="log">
<summary>${container}${run} <small>${isCut ? `the last ${size}` : size}</small></summary>
<pre tabindex="0">
${safe}</pre></details>
`;
}

export function eventSection(pods: readonly PagePod[], offsets: readonly number[]): Markup {
  const events = pods
    .flatMap(({ run, timeline }, index) => {
      return timeline.events.map((event) => ({ ...event, run, atMs: event.atMs + (offsets[index] ?? 0) }));
    })
    .toSorted((a, b) => a.atMs - b.atMs);
  const rows = events.map(({ run, atMs, type, reason, message, container, count }) => {
    const often = count > 1 ? markup` &times;${count}` : undefined;
    return markup`<tr class="${type === 'Warning' ? 'warning' : undefined}">
<td class="number">${stepDuration(atMs)}</td><td>${run}</td><td>${container}</td><td>${type}</td>
<td>${reason}${often}</td><td class="text">${readable(message)}</td></tr>
`;
  });
  return markup`<section aria-labelledby="events-title"><h2 id="events-title">Events</h2>
${table('events-title', ['#At', 'Pod', 'Container', 'Type', 'Reason', 'Message'], rows)}</section>
`;
}

/** The table of all entries, for screen readers and for searching. */
export function entrySection(entries: readonly Entry[]): Markup {
  const rows = entries
    .toSorted((a, b) => a.fromMs - b.fromMs)
    .map(({ pod, container, title, fromMs, toMs, isMark, details }) => {
      const more = details.map(([name, value]) => `${name}: ${readable(value)}`).join('; ');
      return markup`<tr><td class="number">${stepDuration(fromMs)}</td>
<td class="number">${isMark ? undefined : stepDuration(toMs - fromMs)}</td><td>${pod}</td><td>${container}</td>
<td>${readable(title)}</td><td class="text">${more}</td></tr>
`;
    });
  return markup`<section id="things" aria-labelledby="things-title" tabindex="-1">
<h2 id="things-title">The picture as a table</h2>
<details><summary>${entries.length} entries, in the order of their beginning</summary>
${table('things-title', ['#At', '#Took', 'Pod', 'Container', 'What', 'Details'], rows)}</details></section>
`;
}

/** @param headings headings of numeric columns begin with # */
function table(titleId: string, headings: readonly string[], rows: readonly Markup[]): Markup {
  const cells = headings.map((heading) => {
    const [isNumber, text] = [heading.startsWith('#'), heading.replace('#', '')];
    return isNumber ? markup`<th scope="col" class="number">${text}</th>` : markup`<th scope="col">${text}</th>`;
  });
  return markup`<div class="scroll" tabindex="0" role="region" aria-labelledby="${titleId}">
<table><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
