import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { namesIn } from '../disk/atomic-file.ts';
import { errorCode, ifPresent } from '../disk/disk-errors.ts';

/**
 * Log files of a container. The instance with restart count N writes `N.log`; `N.log.TIME` are rotated parts. Its hooks
 * and probes write `N.hooks.log`, with parts alike. Names and numbers are kubelet's. Source:
 * pkg/kubelet/logs/container_log_manager.go.
 */

/** The number of instances whose logs are kept: the current one, and the previous one for `logs --previous`. */
const INSTANCES_KEPT = 2;

const FOLDER_MODE = 0o700;

/** The log of the container instance with a restart count. */
export function instanceLogPath(podLogs: string, container: string, restartCount: number): string {
  return path.join(podLogs, container, `${restartCount}.log`);
}

/** The log of the hooks and probes of an instance. */
export function hookLogPath(podLogs: string, container: string, restartCount: number): string {
  return path.join(podLogs, container, `${restartCount}.hooks.log`);
}

/**
 * Makes the folders of a log: `logs` and `logs/CONTAINER`. Does not make the folder of the Pod: a removed Pod must not
 * come back.
 */
export function makeLogFolders(log: string): void {
  const containerLogs = path.dirname(log);
  for (const folder of [path.dirname(containerLogs), containerLogs]) {
    try {
      mkdirSync(folder, FOLDER_MODE);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** The newest instance of a container with output of hooks or probes. */
export function newestHookLog(podLogs: string, container: string): number | undefined {
  const names = namesIn(path.join(podLogs, container)).filter((name) => /^\d+\.hooks\.log$/.test(name));
  return names.length === 0 ? undefined : Math.max(...names.map((name) => Number.parseInt(name, 10)));
}

/** The instances of a container that have a log, oldest first. */
export function instancesLogged(podLogs: string, container: string): number[] {
  const names = namesIn(path.join(podLogs, container)).filter((name) => /^\d+\.log$/.test(name));
  return names.map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b);
}

/** The rotated parts of a log, oldest first. */
function rotatedParts(log: string): string[] {
  const folder = path.dirname(log);
  const prefix = `${path.basename(log)}.`;
  return namesIn(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => path.join(folder, name));
}

/** All parts of a log, oldest first, the current one last. */
export function partsOfLog(log: string): string[] {
  return [...rotatedParts(log), ...(existsSync(log) ? [log] : [])];
}

/**
 * Rotates a log: renames the current file, and removes the oldest parts.
 * @param time RFC 3339 in UTC with nine digits
 * @param filesMax number of files to keep, the next current one included
 */
export function rotateLog(log: string, time: string, filesMax: number): void {
  const earlier = rotatedParts(log);
  const part = `${log}.${time.replaceAll(/[-:]|000Z$/g, '').replace('T', '-')}`;
  const latest = earlier.at(-1) ?? '';
  // After two rotations within a microsecond, or with a clock that was set back, a `+` keeps the names sorted by age.
  const rotated = part > latest ? part : `${latest}+`;
  // The file is missing when the last rotation failed after this step.
  ifPresent(() => renameSync(log, rotated));
  const surplus = earlier.length + 2 - filesMax;
  for (const oldest of earlier.slice(0, Math.max(0, surplus))) rmSync(oldest, { force: true });
}

/** Removes the logs of all instances of a container, except the latest ones. */
export function removeOldInstances(containerLogs: string): void {
  const instanceOf = (name: string): number => Number.parseInt(name, 10);
  const names = namesIn(containerLogs).filter((name) => /^\d+\.(?:hooks\.)?log/.test(name));
  const instances = [...new Set(names.map(instanceOf))].toSorted((a, b) => a - b);
  const kept = new Set(instances.slice(-INSTANCES_KEPT));
  for (const name of names) {
    if (!kept.has(instanceOf(name))) rmSync(path.join(containerLogs, name), { force: true });
  }
}
