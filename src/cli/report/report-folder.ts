import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EXIT, PodrunError } from '../../api/errors.ts';
import { visibleControls } from '../../print/terminal-text.ts';
import { makeFolder } from '../../store/atomic-file.ts';

/** A report is not podrun's own: who may see it is a matter of the umask. */
const SHARED = 0o777;

/**
 * Makes the folder of a report, and tries whether it can be written to: who wants a report wants to know before the
 * Pods have run.
 * @throws {PodrunError} (usage) when it cannot
 */
export function prepareReportFolder(folder: string): void {
  const trial = path.join(folder, `.podrun-${process.pid}`);
  try {
    makeFolder(folder, SHARED);
    writeFileSync(trial, '');
    rmSync(trial);
  } catch (error) {
    const isFile = existsSync(folder) && !statSync(folder).isDirectory();
    const why = isFile ? 'it is there already, and is no folder' : reasonOf(error);
    throw new PodrunError(`error: the report cannot be written to ${folder}: ${why}`, {
      exitCode: EXIT.usage,
      hint: 'Nothing was started. --report takes a folder, which is made where it is missing: name another one.',
    });
  }
}

/** Writes a file beside its place and moves it there: nobody ever sees half of it. Its folders are made. */
export function writeWhole(file: string, contents: string | Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(unfinished, contents);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Writes a text with names and messages of others: what a terminal would obey is visible, as in all output. */
export function writeText(file: string, text: string): void {
  writeWhole(file, visibleControls(text, { keepsColors: false }));
}

/** Removes what an earlier report has left of the logs of a container, and nothing else. */
export function removeOldLogs(folder: string): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  for (const name of names) if (/^\d+\.log$/.test(name)) rmSync(path.join(folder, name), { force: true });
}

/** What the system said, in its own words. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
