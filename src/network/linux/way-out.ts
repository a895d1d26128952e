import { readlinkSync } from 'node:fs';
import { execa } from 'execa';
import { guardedProcess, inBackground } from '../../defects.ts';
import {
  errnoText,
  isProcessAlive,
  joinPrefix,
  killGroup,
  killProcess,
  type NetworkJoin,
  type ProcessIdentity,
  runHelper,
  startable,
  STARTED_APART,
  startTimeOf,
} from '../../runtime/index.ts';
import { type Alarm, type Clock, sleep } from '../../clock.ts';
import { quietly, readQuietly } from '../../quietly.ts';
import { networkMark } from './mark.ts';
import type { NetworkTools } from './tools.ts';
import { masqueradeCommand, wayOutCommand, type WayOutTools } from './way-out-commands.ts';

export interface WayOutOptions {
  readonly tools: NetworkTools;
  readonly wayOut: WayOutTools;
  /** The way into the cluster. */
  readonly cluster: NetworkJoin;
  readonly hasHostAccess: boolean;
  readonly clock: Clock;
  /** The state folder of the record. */
  readonly heldFor: string | undefined;
  /**
   * Records the process, which then outlives podrun. Returns the process on record: another podrun may have been
   * faster. Undefined: the process ends with podrun.
   */
  readonly claim?: ((pid: number) => number) | undefined;
}

/** The time that a way out has to come up: it takes 20 to 60 ms. */
const UP_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 3;

/** The period of looks at a process that another podrun has started. */
const WATCH_EVERY_MS = 1000;

/** The process that connects a cluster with the world. */
export class WayOut {
  readonly #process: ProcessIdentity;
  #isClosed = false;
  #alarm: Alarm | undefined;
  /** Resolves with the last words of a process that has ended by itself. */
  readonly lost: Promise<string>;

  private constructor(process: ProcessIdentity, ended: Promise<string>) {
    this.#process = process;
    this.lost = new Promise((resolve) => {
      inBackground(
        ended.then((words) => {
          if (!this.#isClosed) resolve(words);
        }),
      );
    });
  }

  /**
   * Starts the process, and waits until connections can be made through it (20 to 60 ms).
   * @throws {Error} with the messages of the programs
   */
  static async open(options: WayOutOptions): Promise<WayOut> {
    const { tools, wayOut, cluster, clock } = options;
    // The device of a former way out stays when its process ends, and would count as the new one.
    if (wayOut.kind === 'nat') await run([...joinPrefix(cluster), tools.ip, 'link', 'delete', 'tap0']);
    const masquerade = await run(masqueradeCommand(wayOut, cluster));
    if (!masquerade.ok) throw new Error(masquerade.why);
    const anchorJoin = joinPrefix({ ...cluster, isUsers: true });
    const anchor = start([tools.setpriv, '--pdeathsig', 'KILL', ...anchorJoin, tools.sleep, 'infinity']);
    const anchorPid = anchor.pid ?? 0;
    try {
      await entered(anchorPid, clock);
      return await WayOut.#start(options, anchorPid);
    } finally {
      killGroup(anchorPid);
    }
  }

  static async #start(options: WayOutOptions, anchorPid: number): Promise<WayOut> {
    const { tools, wayOut, hasHostAccess, clock, claim, heldFor } = options;
    const isRoot = process.getuid?.() === 0;
    const outlivesPodrun = claim !== undefined;
    const child = start(
      wayOutCommand({ tools: wayOut, programs: tools, anchorPid, hasHostAccess, isRoot, outlivesPodrun }),
      networkMark(heldFor),
    );
    const { pid } = child;
    const pidOnRecord = pid === undefined ? undefined : (claim?.(pid) ?? pid);
    if (pid === undefined || pidOnRecord === undefined) throw new Error(await child.ended);
    const isOwn = pidOnRecord === pid;
    child.go(isOwn);
    const outcome = await Promise.race([...(isOwn ? [child.ended] : []), isUp(anchorPid, clock)]);
    if (outcome === true) return isOwn ? new WayOut(identityOf(pid), child.ended) : WayOut.adopt(pidOnRecord, clock);
    killGroup(pid);
    throw new Error(outcome === false ? `${wayOut.kind} did not come up` : outcome);
  }

  /**
   * Takes over the process that another podrun has started.
   * @param pid the caller knows that it is the right one
   */
  static adopt(pid: number, clock: Clock): WayOut {
    const process = identityOf(pid);
    let onEnd = (_words: string): void => undefined;
    const wayOut = new WayOut(process, new Promise((resolve) => (onEnd = resolve)));
    const look = (): void => {
      if (!isProcessAlive(process)) return onEnd('it has ended');
      wayOut.#alarm = clock.wakeAt(clock.now().monotonicMs + WATCH_EVERY_MS, look);
    };
    look();
    return wayOut;
  }

  /** @param ends true to end the process, too */
  close({ ends }: { readonly ends: boolean }): void {
    this.#isClosed = true;
    this.#alarm?.cancel();
    if (ends) killProcess(this.#process);
  }
}

const identityOf = (pid: number): ProcessIdentity => ({ pid, startTime: startTimeOf(pid) ?? '' });

const run = ([program = '', ...args]: readonly string[]) => runHelper({ program, args, env: {} });

const execute = ([file = '', ...args]: readonly string[], env: Readonly<Record<string, string>>) =>
  guardedProcess(execa(startable(file), args, { ...STARTED_APART, env, stdin: 'pipe', all: true }));

interface Started {
  readonly pid: number | undefined;
  /** Lets it begin, or tells it to end. */
  readonly go: (begins: boolean) => void;
  /** Resolves with its last words. */
  readonly ended: Promise<string>;
}

/** Starts a process that does not keep podrun running. */
function start(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const child = execute(argv, env);
  let words = '';
  child.all.setEncoding('utf8').on('data', (piece: string) => (words = `${words}${piece}`.slice(-WORDS_KEPT)));
  child.stdin.on('error', () => undefined);
  child.unref();
  const go = (begins: boolean): void => void child.stdin.end(begins ? 'go\n' : undefined);
  const ended = child.then(({ code }) => (code === undefined ? words.trim().split('\n').join('; ') : errnoText(code)));
  return { pid: child.pid, go, ended };
}

/** The number of characters of its output that an error message has at most. */
const WORDS_KEPT = 400;

/** Waits until a process is in other namespaces than podrun. */
async function entered(pid: number, clock: Clock): Promise<void> {
  await until(() => ['user', 'net'].every((kind) => isInOtherNamespace(pid, kind)), clock);
}

function isInOtherNamespace(pid: number, kind: string): boolean {
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
