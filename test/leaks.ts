import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { COPIES } from './ordinary-user.ts';
import { GONE_WITHIN_MS } from './patience.ts';
import { removeTree } from '../src/remove-tree.ts';

const FOLDER = 'podrun-tests-';

/** These have their files on a disk, as users have: the tests that take long, and those on other machines. */
const ON_DISK: ReadonlySet<string> = new Set(['chaos', 'portable', 'slow']);

/** So much memory must be free for a run whose files are in memory. */
const MEMORY_BYTES = 8 * 1024 ** 3;

/**
 * Gives a run of tests a temporary folder of its own. All that tests start inherits it, so that the end of the run can
 * tell what they have left: files, processes and mounts fail the run. Each project of the run calls this: the first
 * makes the folder.
 */
export default function setup({ vitest }: TestProject): (() => Promise<void>) | undefined {
  if (path.basename(tmpdir()).startsWith(FOLDER)) return undefined;
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), FOLDER)));
  const mayBeInMemory = freemem() >= MEMORY_BYTES && !vitest.projects.some(({ name }) => ON_DISK.has(name));
  const isInMemory = mayBeInMemory && putInMemory(folder);
  // Some tests run podrun as an ordinary user.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  // npm and tsc keep their compiled code there, from Node 22 on.
  process.env['NODE_DISABLE_COMPILE_CACHE'] = '1';
  return async () => {
    const deadlineMs = Date.now() + GONE_WITHIN_MS;
    while (processesIn(folder).length > 0 && Date.now() < deadlineMs) await new Promise((go) => setTimeout(go, 50));
    removeTree(path.join(folder, COPIES));
    const left = [
      ...processesIn(folder).map((name) => `process ${name}`),
      ...mountsIn(folder).map((mount) => `mount ${mount}`),
      ...readdirSync(folder).map((name) => `file ${path.join(folder, name)}`),
    ];
    if (left.length === 0) return isInMemory ? undefined : removeTree(folder);
    // Vitest prints an error of its teardown, but ends with 0.
    process.exitCode = 1;
    throw new Error(`Tests have left behind:\n${left.join('\n')}`);
  };
}

/**
 * Puts the files of a run in memory, if its user is root: tests write and remove many thousands of small ones. That
 * takes less processor time, and no test waits for a disk. The memory is free when this process is gone, also when it
 * was killed.
 */
function putInMemory(folder: string): boolean {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'podrun-tests', folder], { stdio: 'ignore' });
  if (mounted.status !== 0) return false;
  const whenGone = 'cat; umount -l "$0"; rmdir "$0"';
  spawn('sh', ['-c', whenGone, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] }).unref();
  return true;
}

/** The processes with this folder as $TMPDIR, but for the workers of the test runner, by pid and command line. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    if (!read(`/proc/${pid}/environ`).split('\0').includes(`TMPDIR=${folder}`)) return [];
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    return command === '' || command.includes('vitest') ? [] : [`${pid}: ${command}`];
  });
}

function mountsIn(folder: string): string[] {
  return read('/proc/self/mountinfo')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .filter((point) => point.startsWith(`${folder}/`));
}

/** Empty for a file that cannot be read: the process has ended, or there is no /proc. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
