import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { namesIn } from './atomic-file.ts';

/**
 * Log files of a container: `N.log` is written by the instance with restart count N, and `N.log.TIME` are its earlier
 * parts. Names and numbers are kubelet's. Source: pkg/kubelet/logs/container_log_manager.go.
 */

/** Instances whose logs are kept: the present one and the one before, for `logs --previous`. */
const INSTANCES_KEPT = 2;

/** Where the instance of a container with that restart count writes. */
export function instanceLogPath(podLogs: string, container: string, restartCount: number): string {
  return path.join(podLogs, container, `${restartCount}.log`);
}

/** The earlier parts of a log, oldest first. */
export function rotatedParts(log: string): string[] {
  const folder = path.dirname(log);
  const prefix = `${path.basename(log)}.`;
  return namesIn(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => path.join(folder, name));
}

/** All parts of a log, oldest first, the one that is written last. */
export function partsOfLog(log: string): string[] {
  return [...rotatedParts(log), ...(existsSync(log) ? [log] : [])];
}

/** Removes the logs of all instances of a container but the latest ones. */
export function removeOldInstances(containerLogs: string): void {
  const instanceOf = (name: string): number => Number.parseInt(name, 10);
  const names = namesIn(containerLogs).filter((name) => /^\d+\.log/.test(name));
  const instances = [...new Set(names.map(instanceOf))].toSorted((a, b) => a - b);
  const kept = new Set(instances.slice(-INSTANCES_KEPT));
  for (const name of names) {
    if (!kept.has(instanceOf(name))) rmSync(path.join(containerLogs, name), { force: true });
  }
}
