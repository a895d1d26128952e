import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** True when a folder of PATH has an executable program of this name. */
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
