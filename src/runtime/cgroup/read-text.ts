import { readFileSync } from 'node:fs';

/** The text of a file of the kernel; empty where there is none, or what it is about has ended meanwhile. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
