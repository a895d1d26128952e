import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defectText, mustKeepRunning, onDefect, traceOf } from './defects.ts';
import { succeeds } from './quietly.ts';
import { version } from './version.ts';

/** The number of different defects that a process tells. */
const REPORTED_MAX = 20;

const reported = new Set<string>();
let files = 0;

/** True when a defect was reported and this process kept running. */
export function hasDefects(): boolean {
  return reported.size > 0;
}

/** The lines about a defect. The stack trace goes into a file. */
export function defectReport(defect: unknown, fate: { readonly isSurvived?: boolean } = {}): string {
  const file = keepTrace(defect);
  const request = file === undefined ? '' : `Please report it, with what is in ${file}.\n`;
  return `error: ${defectText(defect, fate)}\n${request}`;
}

/** Writes the stack trace to a file. Returns its path; undefined when the file cannot be written. */
function keepTrace(defect: unknown): string | undefined {
  files += 1;
  const file = path.join(tmpdir(), `podrun-defect-${process.pid}${files > 1 ? `-${files}` : ''}.txt`);
  const text = `podrun ${version}, Node ${process.version}, ${process.platform} ${process.arch}\n${traceOf(defect)}\n`;
  return succeeds(() => writeFileSync(file, text, { mode: 0o600, flag: 'wx' })) ? file : undefined;
}

/** A program, for its defects. */
interface DefectReceiver {
  /** Prints lines. */
  readonly write: (text: string) => void;
  /** Ends the program because of a defect. */
  readonly fail: (defect: unknown) => void;
  /** The lines about an error that has another cause, such as a full disk. Undefined for a defect. */
  readonly textForUser?: (error: unknown) => string | undefined;
}

/**
 * Decides about all defects of this program. While Pods would be lost with it, each is reported once, and it keeps
 * running.
 */
export function tellDefects({ write, fail, textForUser }: DefectReceiver): void {
  const tell = (defect: unknown): void => {
    if (!mustKeepRunning()) return fail(defect);
    const trace = traceOf(defect);
    if (reported.has(trace) || reported.size >= REPORTED_MAX) return;
    reported.add(trace);
    write(textForUser?.(defect) ?? defectReport(defect, { isSurvived: true }));
  };
  onDefect(tell);
  // The rejections of promises without a handler come here, too.
  process.on('uncaughtException', tell);
}
