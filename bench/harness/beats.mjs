// How programs tell this process that they run, or have been told to end, whoever started them: they write a line into
// a FIFO. That costs them and us next to nothing, and no peer has an advantage.

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

  /** @param {string} folder gets the FIFOs; it has to be where all contestants can see it */
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

  /** A command that says `up` and ends. */
  get sayUp() {
    return ['sh', '-c', 'echo up >"$0/said"', this.folder];
  }

  /** A command that says `up`, goes on until SIGTERM, says `bye` then, and starts no process of its own. */
  get untilTold() {
    const script = `trap 'echo bye >"$0/said"; exit 0' TERM; echo up >"$0/said"; read never <>"$0/hold"`;
    return ['sh', '-c', script, this.folder];
  }

  /** Forgets what was said so far. */
  reset() {
    this.#counts = { up: 0, bye: 0 };
  }

  /** How many have said `bye`. */
  get byes() {
    return this.#counts.bye;
  }

  /** Resolves when so many have said `up`. */
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

/** Of Promise, on Node 20. */
function withResolvers() {
  let [resolve, reject] = [];
  const promise = new Promise((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}
