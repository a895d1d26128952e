import type { Timeline } from '../../../history/timeline/model.ts';
import { readyCounts } from '../../../history/timeline/ready-counts.ts';
import type { ChartRow } from './rows.ts';

/** The row above the Pods of a workload: how many of them were Ready. */
export function groupRow(name: string, timelines: readonly Timeline[], originMs: number): ChartRow {
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

function podCount(count: number): string {
  return count === 1 ? '1 Pod' : `${count} Pods`;
}
