import { readlinkSync } from 'node:fs';
import { execa } from 'execa';
import { type Clock, sleep } from '../../../clock.ts';
import { quietly, readQuietly } from '../../../quietly.ts';
import { errnoText } from '../../errno.ts';
import { runHelper, STARTED_APART } from '../../helpers/helper.ts';
import { killGroup } from '../../kill.ts';
import { joinPrefix, type NetworkJoin } from './join.ts';
import type { NetworkTools } from './tools.ts';
import { masqueradeCommand, wayOutCommand, type WayOutTools } from './way-out-commands.ts';

export interface WayOutOptions {
  readonly tools: NetworkTools;
  readonly wayOut: WayOutTools;
  /** The way into the cluster. */
  readonly cluster: NetworkJoin;
  readonly hasHostAccess: boolean;
  readonly clock: Clock;
}

/** The time that a way out has to come up: it takes 20 to 60 ms. */
const UP_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 3;

/** The process that connects a cluster with the world. */
export class WayOut {
  readonly #child: Started;
  #isClosed = false;
  /** Resolves with the last words of a process that has ended by itself. */
  readonly lost: Promise<string>;

  private constructor(child: Started) {
    this.#child = child;
    this.lost = new Promise((resolve) => {
      void child.ended.then((words) => {
        if (!this.#isClosed) resolve(words);
      });
    });
  }

  /**
   * Starts the process, and waits until connections can be made through it (20 to 60 ms).
   * @throws {Error} with the messages of the programs
   */
  static async open({ tools, wayOut, cluster, hasHostAccess, clock }: WayOutOptions): Promise<WayOut> {
    const [program = '', ...args] = masqueradeCommand(wayOut, cluster);
    const masquerade = await runHelper({ program, args, env: {} });
    if (!masquerade.ok) throw new Error(masquerade.why);
    const anchor = start([
      tools.setpriv,
      '--pdeathsig',
      'KILL',
      ...joinPrefix({ ...cluster, isUsers: true }),
      tools.sleep,
      'infinity',
    ]);
    const anchorPid = anchor.pid ?? 0;
    try {
      await entered(anchorPid, clock);
      const isRoot = process.getuid?.() === 0;
      const { setpriv } = tools;
      const child = start(wayOutCommand({ tools: wayOut, setpriv, anchorPid, hasHostAccess, isRoot }));
      const outcome = await Promise.race([child.ended, isUp(anchorPid, clock)]);
      if (outcome === true) return new WayOut(child);
      if (child.pid !== undefined) killGroup(child.pid);
      throw new Error(outcome === false ? `${wayOut.kind} did not come up` : outcome);
    } finally {
      killGroup(anchorPid);
    }
  }

  close(): void {
    this.#isClosed = true;
    if (this.#child.pid !== undefined) killGroup(this.#child.pid);
  }
}

const execute = ([file = '', ...args]: readonly string[]) =>
  execa(file, args, { ...STARTED_APART, env: {}, stdin: 'ignore', all: true });

interface Started {
  readonly pid: number | undefined;
  /** Resolves with its last words. */
  readonly ended: Promise<string>;
}

/** Starts a process that does not keep podrun running. */
function start(argv: readonly string[]): Started {
  const child = execute(argv);
  let words = '';
  child.all.setEncoding('utf8').on('data', (piece: string) => (words = `${words}${piece}`.slice(-WORDS_KEPT)));
  child.unref();
  const ended = child.then(({ code }) => (code === undefined ? words.trim().split('\n').join('; ') : errnoText(code)));
  return { pid: child.pid, ended };
}

/** The number of characters of its output that an error message has at most. */
const WORDS_KEPT = 400;

/** Waits until a process is in other namespaces than podrun. */
async function entered(pid: number, clock: Clock): Promise<void> {
  await until(() => ['user', 'net'].every((kind) => isElsewhere(pid, kind)), clock);
}

function isElsewhere(pid: number, kind: string): boolean {
  const [there, here] = [pid, 'self'].map((of) => quietly(() => readlinkSync(`/proc/${of}/ns/${kind}`)));
  return there !== undefined && there !== here;
}

/** True as soon as the network of the process has a default route. */
function isUp(pid: number, clock: Clock): Promise<boolean> {
  return until(() => /^tap0\s+00000000\s/m.test(readQuietly(`/proc/${pid}/net/route`)), clock);
}

async function until(condition: () => boolean, clock: Clock): Promise<boolean> {
  const deadlineMs = clock.now().monotonicMs + UP_WITHIN_MS;
  while (!condition()) {
    if (clock.now().monotonicMs > deadlineMs) return false;
    await sleep(clock, LOOK_EVERY_MS);
  }
  return true;
}
