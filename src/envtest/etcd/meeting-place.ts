import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PodrunError } from '../../api/index.ts';
import { guarded, inBackground } from '../../defects.ts';
import { quietly } from '../../quietly.ts';
import { removeTree } from '../../remove-tree.ts';
import { localProcesses } from '../../runtime/index.ts';
import type { Subscription } from '../../store/index.ts';
import type { ApiCaller } from '../base/api-caller.ts';

/** The end of the name of the file with the flags of a kube-apiserver; `.in` and `.out` are its pipes. */
const FLAGS = '.flags';

/** The folder in which kube-apiserver finds etcd, by its port. The shell script has the same name. */
function folderOf(port: number): string {
  return path.join(commonFolder(), String(port));
}

function commonFolder(): string {
  return path.join(tmpdir(), `podrun-envtest-${process.getuid?.() ?? 0}`);
}

/**
 * Waits for kube-apiservers at a port of etcd.
 * @throws {PodrunError} when the folder cannot be made, or is not the user's own
 */
export function openMeetingPlace(port: number, onCaller: (caller: ApiCaller) => void): Subscription {
  const common = commonFolder();
  mkdirSync(common, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(common);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0)
    throw new PodrunError('Disk', `${common} belongs to another user, or another user may write into it`);
  removeDead(common);
  const folder = folderOf(port);
  removeTree(folder);
  mkdirSync(folder, { mode: 0o700 });
  // The script must never see an empty file.
  writeFileSync(path.join(folder, 'new'), `${process.pid}\n`, { mode: 0o600 });
  renameSync(path.join(folder, 'new'), path.join(folder, 'pid'));
  const look = (): void => {
    for (const name of quietly(() => readdirSync(folder)) ?? [])
      if (name.endsWith(FLAGS)) onCaller(take(path.join(folder, name.slice(0, -FLAGS.length))));
  };
  const watching = guarded(watch(folder, look));
  look();
  return {
    close: () => {
      watching.close();
      removeTree(folder);
    },
  };
}

/** Removes what an etcd has left that was killed. */
function removeDead(common: string): void {
  for (const name of readdirSync(common)) {
    const pid = Number(quietly(() => readFileSync(path.join(common, name, 'pid'), 'utf8')));
    if (Number.isInteger(pid) && pid > 0 && localProcesses.startTimeOf(pid) === undefined)
      removeTree(path.join(common, name));
  }
}

/** Takes the flags of a script, and its pipes. Their files are removed: nothing else opens them. */
function take(place: string): ApiCaller {
  const flags = readFileSync(place + FLAGS, 'utf8')
    .split('\0')
    .slice(0, -1);
  rmSync(place + FLAGS);
  // The script has opened both ends of the first one, and waits for the writer of the second one.
  const input = guarded(new Socket({ fd: openSync(`${place}.in`, constants.O_RDONLY | constants.O_NONBLOCK) }));
  const output = openSync(`${place}.out`, constants.O_RDWR | constants.O_NONBLOCK);
  const gone = new Promise<void>((resolve) => {
    input.once('close', () => resolve());
    input.resume();
  });
  let isOver = false;
  const write = (line: string): void => void quietly(() => writeSync(output, `${line}\n`));
  return {
    flags,
    tell: (line) => {
      for (const part of line.split('\n')) write(`say ${part}`);
    },
    end: (exitCode) => {
      if (isOver) return;
      isOver = true;
      write(`exit ${exitCode}`);
      // The script may not have opened its end of the pipe yet: what is written stays until the script has ended.
      input.unref();
      inBackground(
        gone.then(() => {
          closeSync(output);
          for (const end of ['.in', '.out']) rmSync(place + end, { force: true });
        }),
      );
    },
    gone,
  };
}
