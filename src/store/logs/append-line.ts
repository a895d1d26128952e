import { writeSync } from 'node:fs';
import { endsWithNewline } from '../line-cursor.ts';

/**
 * Appends a line to a file that was opened to be read and appended to, in one write. After one that was torn by a crash
 * it begins on a line of its own.
 * @param line with its newline
 */
export function appendLine(file: number, line: string): void {
  const bytes = Buffer.from(endsWithNewline(file) ? line : `\n${line}`);
  // Cut short by a disk that just became full: the whole line once more, which either fails with the reason or works.
  if (writeSync(file, bytes) < bytes.length) writeSync(file, `\n${line}`);
}
