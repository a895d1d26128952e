// Messages of the measured programs: they write a line into a FIFO when they run, and when they get SIGTERM. A line
// costs next to nothing, and is independent of the peer that started the program.

import { execFileSync } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';

const TOO_LATE_MS = 60_000;

export class Beats {
  #fd;
  #socket;
  #counts = { up: 0, bye: 0 };
  #waiting = [];

  /** @param {string} folder gets the FIFOs; all contestants must see it */
  constructor(folder) {
    this.folder = folder;
    execFileSync('mkfifo', ['-m', '666', path.join(folder, 'said'), path.join(folder, 'hold')]);
    this.#fd = openSync(path.join(folder, 'said'), constants.O_RDWR | constants.O_NONBLOCK);
    this.#socket = new Socket({ fd: this.#fd, readable: true, writable: false });
    this.#socket.setEncoding('utf8').on('data', (text) => {
      for (const line of text.split('\n')) if (line in this.#counts) this.#counts[line]++;
      this.#waiting = this.#waiting.filter(({ isMet, resolve }) => !isMet() || resolve());
    });
  }

  /** A command that writes `up` and ends. */
  get sayUp() {
    return ['sh', '-c', 'echo up >"$0/said"', this.folder];
  }

  /** A command that writes `up`, runs until SIGTERM, and then writes `bye`. It starts no other process. */
  get untilSignal() {
    const script = `trap 'echo bye >"$0/said"; exit 0' TERM; echo up >"$0/said"; read never <>"$0/hold"`;
    return ['sh', '-c', script, this.folder];
  }

  /** Forgets all messages. */
  reset() {
    this.#counts = { up: 0, bye: 0 };
  }

  /** The number of programs that wrote `bye`. */
  get byes() {
    return this.#counts.bye;
  }

  /** Resolves when `count` programs have written `up`. */
  async up(count) {
    const { promise, resolve, reject } = Promise.withResolvers?.() ?? withResolvers();
    const late = setTimeout(() => reject(new Error(`only ${this.#counts.up} of ${count} run`)), TOO_LATE_MS);
    const isMet = () => this.#counts.up >= count;
    if (isMet()) resolve();
    else this.#waiting.push({ isMet, resolve });
    try {
      await promise;
    } finally {
      clearTimeout(late);
    }
  }

  close() {
    this.#socket.destroy();
  }
}

/** Promise.withResolvers for Node 20. */
function withResolvers() {
  let [resolve, reject] = [];
  const promise = new Promise((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}
