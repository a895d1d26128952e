import { accessSync, constants, realpathSync } from 'node:fs';
import { basename } from 'node:path';

/** The places of distributions. PATH must not choose a program that runs with podrun's rights. */
const SETPRIV_PATHS = ['/usr/bin/setpriv', '/bin/setpriv', '/run/current-system/sw/bin/setpriv'];

/** The path of util-linux's setpriv. Undefined: there is none. The one of busybox cannot change users. */
export function findSetpriv(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return SETPRIV_PATHS.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return basename(realpathSync(file)) !== 'busybox';
    } catch {
      return false;
    }
  });
}
