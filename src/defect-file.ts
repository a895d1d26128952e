import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defectText, mustGoOn, onDefect, traceOf } from './defects.ts';
import { succeeds } from './quietly.ts';
import { version } from './version.ts';

/** The number of different defects that a process tells. */
const TOLD_MAX = 20;

const told = new Set<string>();
let files = 0;

/** True when a defect has been told after which this process went on. */
export function hasDefects(): boolean {
  return told.size > 0;
}

/** The lines about a defect. The stack trace goes into a file. */
export function defectReport(defect: unknown, fate: { readonly goesOn?: boolean } = {}): string {
  const file = keepTrace(defect);
  const request = file === undefined ? '' : `Please report it, with what is in ${file}.\n`;
  return `error: ${defectText(defect, fate)}\n${request}`;
}

/** Writes the stack trace to a file. Answers its path; undefined when the file cannot be written. */
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

/** Decides about all defects of this program. While Pods would be lost with it, each is told once, and it goes on. */
export function tellDefects({ write, fail, textForUser }: DefectReceiver): void {
  const tell = (defect: unknown): void => {
    if (!mustGoOn()) return fail(defect);
    const trace = traceOf(defect);
    if (told.has(trace) || told.size >= TOLD_MAX) return;
    told.add(trace);
    write(textForUser?.(defect) ?? defectReport(defect, { goesOn: true }));
  };
  onDefect(tell);
  // The rejections of promises that nobody waits for come here, too.
  process.on('uncaughtException', tell);
}
