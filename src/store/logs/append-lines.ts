import { writeSync } from 'node:fs';
import { endsWithNewline } from '../line-cursor.ts';

/**
 * Appends lines to a file that was opened to be read and appended to, in one write. After one that was torn by a crash
 * they begin on a line of their own.
 * @param lines each with its newline
 */
export function appendLines(file: number, lines: string): void {
  const bytes = Buffer.from(endsWithNewline(file) ? lines : `\n${lines}`);
  // Cut short by a disk that just became full: all of it once more, which either fails with the reason or works.
  if (writeSync(file, bytes) < bytes.length) writeSync(file, `\n${lines}`);
}
