import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { filesIn } from '../../quietly.ts';
import { errorMessage, PodrunError } from '../../api/index.ts';
import { visibleControls } from '../../print/index.ts';
import { makeFolder } from '../../store/index.ts';

/**
 * Makes the folder of a report, and writes a trial file: the user learns of a mistake before the Pods run.
 * @param folder as the user names it
 * @param place the same, from anywhere
 * @throws {PodrunError} (usage) when podrun cannot write to the folder
 */
export function prepareReportFolder(folder: string, place: string): void {
  const trial = path.join(place, `.podrun-${process.pid}`);
  try {
    // The umask decides who may read a report.
    makeFolder(place, (at) => mkdirSync(at));
    writeFileSync(trial, '');
    rmSync(trial);
  } catch (error) {
    const isFile = existsSync(place) && !statSync(place).isDirectory();
    const why = isFile ? 'it exists and is no folder' : errorMessage(error);
    throw new PodrunError('Usage', `the report cannot be written to ${folder}: ${why}`, {
      path: folder,
      hint: 'Nothing was started. Name a folder for --report: podrun creates it if necessary.',
      cause: error,
    });
  }
}

/** Writes a temporary file and renames it, so that a reader never sees half a file. Makes missing folders. */
export function writeReplacing(file: string, contents: string | Uint8Array): void {
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

/**
 * Writes a text. Control characters are made visible, as in all output, because names and messages come from other
 * programs.
 */
export function writeText(file: string, text: string): void {
  writeReplacing(file, visibleControls(text, { keepsColors: false }));
}

/** Appends a text whose control characters are visible already to a file of the user. */
export function appendText(file: string, text: string): void {
  appendFileSync(file, text);
}

/** Removes the logs of a container that an earlier report left, and no other files. */
export function removeOldLogs(folder: string): void {
  const names = filesIn(folder);
  for (const name of names) if (/^\d+\.log$/.test(name)) rmSync(path.join(folder, name), { force: true });
}
