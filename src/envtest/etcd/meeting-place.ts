import {
  closeSync,
  constants,
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
import path from 'node:path';
import { guarded, inBackground } from '../../defects.ts';
import { quietly } from '../../quietly.ts';
import type { Subscription } from '../../store/index.ts';
import type { ApiCaller } from '../base/api-caller.ts';
import { makeOwnFolder } from '../base/own-folders.ts';

/** The end of the name of the file with the flags of a kube-apiserver; `.in` and `.out` are its pipes. */
const FLAGS = '.flags';

/** The place where kube-apiservers come to the etcd of a port: a folder of that name. */
export class MeetingPlace {
  readonly #folder: string;
  readonly #remove: () => void;
  #watching: Subscription | undefined;

  /** @throws {PodrunError} when the folder cannot be made, or is not the user's own */
  constructor(port: number) {
    const { path: folder, remove } = makeOwnFolder(String(port));
    // The script must never see an empty file.
    writeFileSync(path.join(folder, 'new'), `${process.pid}\n`, { mode: 0o600 });
    renameSync(path.join(folder, 'new'), path.join(folder, 'pid'));
    this.#folder = folder;
    this.#remove = remove;
  }

  /** Calls back for each one that has come, and that comes. */
  open(onCaller: (caller: ApiCaller) => void): void {
    const folder = this.#folder;
    const look = (): void => {
      for (const name of quietly(() => readdirSync(folder)) ?? [])
        if (name.endsWith(FLAGS)) onCaller(take(path.join(folder, name.slice(0, -FLAGS.length))));
    };
    this.#watching = guarded(watch(folder, look));
    look();
  }

  /** Removes the place. May be called again. */
  close(): void {
    this.#watching?.close();
    this.#remove();
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
