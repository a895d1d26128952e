import { closeSync, constants, openSync } from 'node:fs';
import path from 'node:path';
import { PodrunError } from '../../api/index.ts';

/** The address of a Unix socket, valid until `release`. */
export interface SocketAddress {
  readonly address: string;
  readonly release: () => void;
}

// sun_path has 104 bytes on macOS with the NUL at its end, and 108 on Linux.
const ADDRESS_BYTES_MAX = 103;

/**
 * The address of a socket file. Paths of state folders may be too long for it: on Linux a descriptor stands for the
 * folder, also after the folder was replaced.
 * @throws {PodrunError} where the path is too long, or its folder is gone, with its agent or with the state folder
 */
export function socketAddress(file: string): SocketAddress {
  if (process.platform === 'linux') {
    const folder = openFolder(path.dirname(file));
    return { address: `/proc/self/fd/${folder}/${path.basename(file)}`, release: () => closeSync(folder) };
  }
  if (Buffer.byteLength(file) > ADDRESS_BYTES_MAX) {
    throw new PodrunError('Unreachable', `${file} is too long for the address of a socket`, {
      path: file,
      hint: 'Choose a state folder with a shorter path: --state-dir, or PODRUN_STATE_DIR.',
    });
  }
  return { address: file, release: () => undefined };
}

function openFolder(folder: string): number {
  try {
    return openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new PodrunError('Unreachable', `the folder ${folder} is gone`, { path: folder });
  }
}
