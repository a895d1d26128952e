import type { StoredPod } from '../api/index.ts';
import { runLengthMs } from '../history/index.ts';
import { briefDuration } from './base/age.ts';
import { summarizePod } from './table/pod-status.ts';
import { renderRows } from './text/table-row.ts';
import { TABLE_LAYOUT, TabWriter } from './text/tab-writer.ts';

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
