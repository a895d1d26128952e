import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** True when a program of that name is in one of the folders of PATH, and may be run. */
export function isOnPath(program: string, searchPath: string | undefined): boolean {
  return (searchPath ?? '')
    .split(path.delimiter)
    .some((folder) => folder !== '' && isRunnable(path.join(folder, program)));
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
