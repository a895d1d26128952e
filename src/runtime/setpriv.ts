import { accessSync, constants, realpathSync } from 'node:fs';
import { basename } from 'node:path';

/** Where distributions put it. PATH is not asked: what runs with podrun's rights must not be chosen by it. */
const PLACES = ['/usr/bin/setpriv', '/bin/setpriv', '/run/current-system/sw/bin/setpriv'];

/** Where the setpriv of util-linux is; undefined where there is none. That of busybox cannot change users. */
export function findSetpriv(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return PLACES.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return basename(realpathSync(place)) !== 'busybox';
    } catch {
      return false;
    }
  });
}
