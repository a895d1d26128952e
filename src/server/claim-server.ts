import { existsSync } from 'node:fs';
import path from 'node:path';
import { PodrunError } from '../api/index.ts';
import { type Clock, sleep } from '../clock.ts';
import { localProcesses } from '../runtime/index.ts';
import {
  distanceOf,
  FileLocks,
  inFolder,
  isSelf,
  knownProcess,
  type KnownProcess,
  onDisk,
  presenceOf,
  readJsonFile,
  serverFolder,
  withCachedIds,
  writeFileAtomically,
} from '../store/index.ts';

/** The server of a state folder, on record. The port outlives the server: its clients find the next one there. */
interface ServerRecord {
  /** Undefined: no server runs. */
  readonly process?: KnownProcess | undefined;
  /** Undefined: it does not answer yet, or not any more. */
  readonly url?: string | undefined;
  readonly port?: number | undefined;
}

/** The right of this process to be the server of a state folder. It ends with the process, or when it is released. */
export interface ServerClaim {
  /** The port of the last server. Undefined: there was none. */
  readonly lastPort: number | undefined;
  /** Records the URL of the server for other processes. */
  readonly recordUrl: (url: string) => void;
  /** The server serves no more. The next one waits until this process has ended, or has released its claim. */
  readonly ends: () => void;
  readonly release: () => void;
}

const LOOK_AGAIN_MS = 20;
/** The time that another server has to answer or to end, milliseconds. */
const OTHER_MS = 10_000;

const lookup = withCachedIds(localProcesses);

/**
 * Makes this process the server of a state folder. Of several that try at once, one succeeds, and the rest waits until
 * it can say where it serves.
 * @throws {PodrunError} (Conflict) when another process is the server
 */
export async function claimServer(root: string, clock: Clock): Promise<ServerClaim> {
  const place = new ServerPlace(root);
  const other = await takeOrMeet(place, clock);
  if (other !== undefined) throw place.runsAlready(other);
  return place;
}

/**
 * The same where another server will do: the URL of one of this machine that serves already.
 * @throws {PodrunError} (Conflict) when another process is the server and does not serve here
 */
export async function claimOrMeet(root: string, clock: Clock): Promise<ServerClaim | { readonly url: string }> {
  const place = new ServerPlace(root);
  const other = await takeOrMeet(place, clock);
  if (other === undefined) return place;
  const isHere = other.url !== undefined && distanceOf(other.process, lookup) === undefined;
  if (!isHere) throw place.runsAlready(other);
  return { url: other.url };
}

/** Undefined: this process is the server from now on. */
async function takeOrMeet(place: ServerPlace, clock: Clock): Promise<OtherServer | undefined> {
  const untilMs = clock.now().monotonicMs + OTHER_MS;
  for (;;) {
    const other = place.take();
    if (other === undefined) return undefined;
    const isServing = other.url !== undefined && !isKilled(other.process);
    if (isServing || clock.now().monotonicMs > untilMs) return other;
    await sleep(clock, LOOK_AGAIN_MS);
  }
}

/** True for a process that still exists, but is gone in a moment. */
function isKilled(process: KnownProcess): boolean {
  return presenceOf(process, lookup) === 'exists' && lookup.isEnding?.(process.pid) === true;
}

type OtherServer = ServerRecord & { readonly process: KnownProcess };

/** The record of the server in a state folder. */
class ServerPlace implements ServerClaim {
  readonly #root: string;
  readonly #file: string;
  readonly #locks: FileLocks;
  #lastPort: number | undefined;

  constructor(root: string) {
    this.#root = root;
    this.#file = path.join(serverFolder(root), 'server.json');
    this.#locks = new FileLocks(root, lookup);
  }

  get lastPort(): number | undefined {
    return this.#lastPort;
  }

  /** Makes this process the server, unless another one is: returns that one. */
  take(): OtherServer | undefined {
    return this.#locked(() => {
      const { process: other, ...recorded } = readJsonFile<ServerRecord>(this.#file) ?? {};
      if (other !== undefined && presenceOf(other, lookup) !== 'gone') return { ...recorded, process: other };
      this.#lastPort = recorded.port;
      this.#write({ process: this.#self(), port: recorded.port });
      return undefined;
    });
  }

  recordUrl(url: string): void {
    this.#lastPort = Number(new URL(url).port);
    this.#change({ process: this.#self(), url, port: this.#lastPort });
  }

  ends(): void {
    this.#change({ process: this.#self(), port: this.#lastPort });
  }

  release(): void {
    this.#change({ port: this.#lastPort });
  }

  /** The error of a process that finds another server. */
  runsAlready({ process: { pid, ...other }, url }: OtherServer): PodrunError {
    const distance = distanceOf({ pid, ...other }, lookup);
    const who = `process ${pid}${distance === undefined ? '' : ` of ${distance}`}`;
    const what = url === undefined ? ', and neither responds nor ends' : `: ${url}`;
    const hint =
      distance === undefined
        ? `Its kubeconfig is ${path.join(serverFolder(this.#root), 'kubeconfig')}.`
        : `If it is gone, remove ${this.#file}.`;
    return new PodrunError('Conflict', `podrun serve runs already (${who})${what}`, { hint });
  }

  #self(): KnownProcess {
    return knownProcess(process.pid, lookup);
  }

  /**
   * Changes the record of this process. The record of another process stays: its state folder may have been made anew.
   */
  #change(record: ServerRecord): void {
    // A lock would make a state folder again that was removed.
    if (!existsSync(this.#file)) return;
    this.#locked(() => {
      const present = readJsonFile<ServerRecord>(this.#file)?.process;
      if (present !== undefined && isSelf(present, lookup)) this.#write(record);
    });
  }

  #write(record: ServerRecord): void {
    inFolder(path.dirname(this.#file), () => writeFileAtomically(this.#file, JSON.stringify(record)));
  }

  #locked<T>(run: () => T): T {
    return onDisk(`the state folder ${this.#root}`, () =>
      this.#locks.hold('servers', { namespace: 'all', name: 'api' }, run),
    );
  }
}
