import type { Timeline } from '../../history/index.ts';
import { briefDuration } from '../base/age.ts';

/**
 * The summary of a Pod in one clause: `Ready after 6.2s, Succeeded after 12.4s`.
 * @param hasNodes true for its node at the beginning: `on node-2, Ready after 6.2s`
 */
export function podSummary(timeline: Timeline, hasNodes: boolean = false): string {
  const { isReady, toMs } = timeline.criticalPath;
  const { nodeName } = timeline.pod.spec;
  const node = hasNodes && nodeName !== undefined ? `on ${nodeName}, ` : '';
  return `${node}${isReady ? `Ready after ${briefDuration(toMs)}` : 'never Ready'}, ${podEnd(timeline)}`;
}

/** The end of a Pod: `1 restart, Succeeded after 12.4s`. For a running Pod: `1 restart, Running, 5m old`. */
export function podEnd({ phases, endMs, isOver, containers }: Timeline): string {
  const restarts = containers
    .filter(({ role }) => role !== 'ephemeral')
    .reduce((sum, { attempts }) => sum + Math.max(0, ...attempts.map(({ attempt }) => attempt)), 0);
  const phase = phases.at(-1);
  const name = phase?.phase ?? 'Unknown';
  const isTerminal = name === 'Succeeded' || name === 'Failed';
  const reason = phase?.reason === undefined ? '' : ` (${phase.reason})`;
  const now = isTerminal
    ? `${name}${reason} after ${briefDuration(phase?.fromMs ?? endMs)}`
    : `${name}, ${briefDuration(endMs)} old`;
  return [
    ...(restarts === 0 ? [] : [restarts === 1 ? '1 restart' : `${restarts} restarts`]),
    isOver && !isTerminal ? `removed after ${briefDuration(endMs)}` : now,
  ].join(', ');
}

/** Runs of Pods of one workload; or one run of a Pod that no workload made. */
interface WorkloadGroup<T> {
  readonly workload: string | undefined;
  readonly members: readonly T[];
}

/** Groups runs by their workloads. The groups have the order of their first members. */
export function workloadGroups<T extends { readonly workload?: string | undefined }>(
  runs: readonly T[],
): WorkloadGroup<T>[] {
  const groups = new Map<string | T, T[]>();
  for (const run of runs) {
    const key = run.workload ?? run;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].map((members) => ({ workload: members[0]?.workload, members }));
}
