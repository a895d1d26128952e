import type { StoredPod } from '../api/index.ts';
import { type Difference, type ManifestChange, type RunComparison, runLengthMs } from '../history/index.ts';
import { briefDuration } from './base/age.ts';
import { summarizePod } from './table/pod-status.ts';
import { renderRows, TABLE_LAYOUT, TabWriter } from './text/tab-writer.ts';

/** A compared run: its name, and its Pod in the current or last state. */
interface ComparedRun {
  readonly run: string;
  readonly pod: StoredPod;
}

/** The length to which values of a manifest are cut. */
const VALUE_MAX = 60;

/** Formats a comparison for people: a line for each difference, then the changes of the manifest. */
export function renderComparison(a: ComparedRun, b: ComparedRun, { differences, manifest }: RunComparison): string {
  const changes = manifest.length === 0 ? '' : `\n${renderManifestChanges(manifest)}`;
  if (differences.length === 0) return `${a.run} and ${b.run} do not differ.\n${changes}`;
  const rows = differences.map((difference) => [
    difference.subject,
    difference.what,
    difference.a,
    difference.b + share(difference),
  ]);
  return table([['WHERE', 'WHAT', a.run, b.run], ...rows]) + changes;
}

function renderManifestChanges(manifest: readonly ManifestChange[]): string {
  return `Their manifests differ:\n${table(manifest.map(({ path, a, b }) => [`  ${path}`, value(a), value(b)]))}`;
}

function table(rows: readonly (readonly string[])[]): string {
  return new TabWriter(TABLE_LAYOUT).render(renderRows(rows));
}

function value(given: unknown): string {
  if (given === undefined) return '<none>';
  const text = JSON.stringify(given);
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text;
}

/** The relative change of a time: ` (+35%)`. */
function share({ aMs, bMs }: Difference): string {
  if (aMs === undefined || bMs === undefined || aMs < 1) return '';
  const percent = Math.round((bMs / aMs - 1) * 100);
  return ` (${percent >= 0 ? '+' : ''}${percent}%)`;
}

/** The record of a comparison for `diff -o json`. */
export function comparisonRecord(
  a: ComparedRun,
  b: ComparedRun,
  { comparison, nowMs }: { readonly comparison: RunComparison; readonly nowMs: number },
): object {
  const { differences, manifest } = comparison;
  return {
    same: differences.length === 0,
    a: runRecord(a, nowMs),
    b: runRecord(b, nowMs),
    differences: differences.map(({ aMs, bMs, ...rest }) => ({
      ...rest,
      ...(aMs === undefined || bMs === undefined
        ? {}
        : { aSeconds: Math.round(aMs) / 1000, bSeconds: Math.round(bMs) / 1000 }),
    })),
    manifest,
  };
}

/** A recorded run. */
export interface RunRow {
  /** The name of the run: `web`, `web@1`. */
  readonly run: string;
  /** The Pod in its current or last state. */
  readonly pod: StoredPod;
}

interface RunTableOptions {
  readonly noHeaders: boolean;
  /** Adds the column NAMESPACE in front. */
  readonly allNamespaces: boolean;
}

const HEADINGS = ['RUN', 'UID', 'STATUS', 'RESTARTS', 'STARTED', 'LASTED'];
/** The number of digits of a uid that distinguish runs. */
const UID_DIGITS = 8;

/** The table of `history`. Empty without runs. */
export function renderRuns(
  runs: readonly RunRow[],
  nowMs: number,
  { noHeaders, allNamespaces }: RunTableOptions,
): string {
  if (runs.length === 0) return '';
  const rows = runs.map(({ run, pod }) => {
    const { text, restarts } = summarizePod(pod);
    const { uid, creationTimestamp, namespace } = pod.metadata;
    const length = runLengthMs(pod, nowMs);
    return [
      ...(allNamespaces ? [namespace] : []),
      run,
      uid.slice(0, UID_DIGITS),
      text,
      String(restarts),
      creationTimestamp.replace(/\.\d+/, ''),
      length === undefined ? '<unknown>' : briefDuration(length),
    ];
  });
  if (!noHeaders) rows.unshift([...(allNamespaces ? ['NAMESPACE'] : []), ...HEADINGS]);
  return new TabWriter(TABLE_LAYOUT).render(renderRows(rows));
}

/** The record of a run for `history -o json`. */
export function runRecord({ run, pod }: RunRow, nowMs: number): object {
  const { namespace, name, uid, creationTimestamp } = pod.metadata;
  const length = runLengthMs(pod, nowMs);
  return {
    run,
    namespace,
    pod: name,
    uid,
    started: creationTimestamp,
    ...(length === undefined ? {} : { lastedSeconds: Math.round(length) / 1000 }),
    phase: pod.status.phase,
    restarts: summarizePod(pod).restarts,
  };
}
