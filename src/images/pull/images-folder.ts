import path from 'node:path';

/**
 * The folder of a user's images: one for all state folders.
 * @param home the user's home folder
 */
export function imagesFolder(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const own = env['PODRUN_IMAGE_DIR'];
  if (own) return path.resolve(own);
  const data = env['XDG_DATA_HOME'];
  return path.join(data && path.isAbsolute(data) ? data : path.join(home, '.local/share'), 'podrun/images');
}
