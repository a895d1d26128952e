import { readFileSync } from 'node:fs';
import type { Container, ContainerStatus } from '../../src/api/generated/types.ts';

/** Rows of a table of test/conformance/tables; `id` names a row, `source` says where kubelet decides it. */
export function tableRows<Row extends { readonly id: string }>(name: string): Row[] {
  const file = new URL(`../conformance/tables/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { rows: Row[] }).rows;
}

/** A container and its status in one, as the tables write them. */
export interface TableContainer extends Omit<Container, 'name'> {
  readonly name: string;
  /** `none`: there is no status yet. */
  readonly state?: 'none' | 'waiting' | 'running' | 'terminated';
  readonly exitCode?: number;
  /** Exit code of the instance before this one. */
  readonly lastExitCode?: number;
  readonly reason?: string;
  readonly started?: boolean;
  readonly ready?: boolean;
}

export function specOf(entry: TableContainer | string): Container {
  if (typeof entry === 'string') return { name: entry };
  const { name, restartPolicy, restartPolicyRules } = entry;
  return { name, restartPolicy, restartPolicyRules };
}

/** The status of a table's container: none where the table has none. */
export function statusOf(entry: TableContainer): ContainerStatus[] {
  const { name, state, exitCode = 0, lastExitCode, reason, started, ready = false } = entry;
  if (state === 'none') return [];
  const ended = { reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error') };
  return [
    {
      name,
      ready,
      started,
      restartCount: lastExitCode === undefined ? 0 : 1,
      image: 'busybox',
      imageID: '',
      state: {
        ...(state === 'waiting' ? { waiting: { reason } } : {}),
        ...(state === 'running' ? { running: {} } : {}),
        ...(state === 'terminated' ? { terminated: { ...ended, exitCode } } : {}),
      },
      lastState: lastExitCode === undefined ? {} : { terminated: { ...ended, exitCode: lastExitCode } },
    },
  ];
}
