import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { namesIn } from '../atomic-file.ts';
import { errorCode, ifPresent } from '../disk-errors.ts';

/**
 * Log files of a container: `N.log` is written by the instance with restart count N, and `N.log.TIME` are its earlier
 * parts. Names and numbers are kubelet's. Source: pkg/kubelet/logs/container_log_manager.go. What its hooks and probes
 * say is in `N.hooks.log`, likewise.
 */

/** Instances whose logs are kept: the present one and the one before, for `logs --previous`. */
const INSTANCES_KEPT = 2;

const FOLDER_MODE = 0o700;

/** Where the instance of a container with that restart count writes. */
export function instanceLogPath(podLogs: string, container: string, restartCount: number): string {
  return path.join(podLogs, container, `${restartCount}.log`);
}

/** Where the hooks and probes of that instance write. */
export function hookLogPath(podLogs: string, container: string, restartCount: number): string {
  return path.join(podLogs, container, `${restartCount}.hooks.log`);
}

/**
 * Makes the folders that a log lies in, `logs` and `logs/CONTAINER`. That of the Pod is not made: one that was removed
 * does not come back.
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

/** The newest instance of a container of which hooks or probes have written anything. */
export function newestHookLog(podLogs: string, container: string): number | undefined {
  const names = namesIn(path.join(podLogs, container)).filter((name) => /^\d+\.hooks\.log$/.test(name));
  return names.length === 0 ? undefined : Math.max(...names.map((name) => Number.parseInt(name, 10)));
}

/** The instances of a container of which there is a log, oldest first. */
export function instancesLogged(podLogs: string, container: string): number[] {
  const names = namesIn(path.join(podLogs, container)).filter((name) => /^\d+\.log$/.test(name));
  return names.map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b);
}

/** The earlier parts of a log, oldest first. */
function rotatedParts(log: string): string[] {
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

/**
 * Puts a log aside, so that a new one can be begun in its place, and removes its oldest parts.
 * @param time RFC 3339 in UTC with nine digits
 * @param filesMax files that may be kept, with the one that is to be begun
 */
export function putAside(log: string, time: string, filesMax: number): void {
  const earlier = rotatedParts(log);
  const part = `${log}.${time.replaceAll(/[-:]|000Z$/g, '').replace('T', '-')}`;
  const latest = earlier.at(-1) ?? '';
  // Two within a microsecond, or after the clock was set back: the names still sort by age.
  const place = part > latest ? part : `${latest}+`;
  // Missing, if the last attempt got no further than this.
  ifPresent(() => renameSync(log, place));
  const surplus = earlier.length + 2 - filesMax;
  for (const oldest of earlier.slice(0, Math.max(0, surplus))) rmSync(oldest, { force: true });
}

/** Removes the logs of all instances of a container but the latest ones. */
export function removeOldInstances(containerLogs: string): void {
  const instanceOf = (name: string): number => Number.parseInt(name, 10);
  const names = namesIn(containerLogs).filter((name) => /^\d+\.(?:hooks\.)?log/.test(name));
  const instances = [...new Set(names.map(instanceOf))].toSorted((a, b) => a - b);
  const kept = new Set(instances.slice(-INSTANCES_KEPT));
  for (const name of names) {
    if (!kept.has(instanceOf(name))) rmSync(path.join(containerLogs, name), { force: true });
  }
}
