import { writeSync } from 'node:fs';
import { endsWithNewline } from './line-cursor.ts';

/**
 * Appends lines to a file in one write. The file must be open for reading and appending. After a line that a crash cut
 * short, begins a new line.
 * @param lines each with its newline
 */
export function appendLines(file: number, lines: string): void {
  const bytes = Buffer.from(endsWithNewline(file) ? lines : `\n${lines}`);
  // A disk that is just full writes only a part. Writing all of it again either works or fails with the reason.
  if (writeSync(file, bytes) < bytes.length) writeSync(file, `\n${lines}`);
}
