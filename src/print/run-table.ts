import type { StoredPod } from '../api/objects.ts';
import { runLengthMs } from '../history/run-length.ts';
import { briefDuration } from './age.ts';
import { summarizePod } from './pod-status.ts';
import { renderRows } from './table-row.ts';
import { TABLE_LAYOUT, TabWriter } from './tab-writer.ts';

/** A run on record. */
export interface RunRow {
  /** How it is named: `web`, `web@1`. */
  readonly run: string;
  /** The Pod as it is, or as it was last. */
  readonly pod: StoredPod;
}

interface RunTableOptions {
  readonly noHeaders: boolean;
  /** NAMESPACE first. */
  readonly allNamespaces: boolean;
}

const HEADINGS = ['RUN', 'UID', 'STATUS', 'RESTARTS', 'STARTED', 'LASTED'];
/** As many digits of a uid as tell runs apart. */
const UID_DIGITS = 8;

/** The table of `history`; without runs the text is empty. */
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

/** What `history -o json` says of a run. */
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
