import { readFileSync } from 'node:fs';

/** The text of a kernel file. Empty: there is none, or its process or group is gone. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
