import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { succeeds } from '../../quietly.ts';

/** True when a folder of PATH has an executable program of this name. */
export function isOnPath(program: string, searchPath: string | undefined): boolean {
  return (searchPath ?? '')
    .split(path.delimiter)
    .some((folder) => folder !== '' && isRunnable(path.join(folder, program)));
}

function isRunnable(file: string): boolean {
  return succeeds(() => accessSync(file, constants.X_OK)) && statSync(file).isFile();
}
