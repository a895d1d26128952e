import { accessSync, constants, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { succeeds } from '../../quietly.ts';

/** The places of distributions. PATH must not choose a program that runs with podrun's rights. */
const SETPRIV_PATHS = ['/usr/bin/setpriv', '/bin/setpriv', '/run/current-system/sw/bin/setpriv'];

/** The path of util-linux's setpriv. Undefined: there is none. The one of busybox cannot change users. */
export function findSetpriv(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const isRunnable = (file: string): boolean => succeeds(() => accessSync(file, constants.X_OK));
  return SETPRIV_PATHS.find((file) => isRunnable(file) && basename(realpathSync(file)) !== 'busybox');
}
