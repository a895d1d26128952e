import { execFileSync } from 'node:child_process';

/** A file system in memory with a size of its own at a folder, for volumes. Only root can mount one for all to see. */
export const memoryMounts = {
  /**
   * Mounts one. Writes beyond its size fail with ENOSPC. The options are the kubelet's.
   * Source: pkg/volume/emptydir/empty_dir.go generateTmpfsMountOptions.
   * @throws {Error} with the last line of mount(8)
   */
  mount(folder: string, bytes: number): void {
    call('mount', ['-n', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  },

  /**
   * Takes it away; programs that still use it keep it.
   * @throws {Error} with the last line of umount(8)
   */
  unmount(folder: string): void {
    call('umount', ['-n', '-l', folder]);
  },
};

function call(program: string, args: readonly string[]): void {
  try {
    execFileSync(program, args, {
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, LC_ALL: 'C' },
    });
  } catch (error) {
    const words = (error as { readonly stderr?: Buffer }).stderr?.toString().trimEnd() ?? '';
    throw new Error(words.split('\n').at(-1) || `${program} did not start`, { cause: error });
  }
}
