import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { storeDefaultAccess } from '../../apiserver/index.ts';
import { inBackground } from '../../defects.ts';
import { quietly } from '../../quietly.ts';
import { removeTree } from '../../remove-tree.ts';
import { localProcesses } from '../../runtime/index.ts';
import { FileStore, MemoryRecords } from '../../store/index.ts';
import { serveFlags, type ServingOptions } from '../api/serve-flags.ts';
import type { ApiCaller } from '../base/api-caller.ts';
import { parentGone } from '../base/parent-gone.ts';
import { suiteVersion } from '../base/suite-version.ts';
import type { MeetingPlace } from './meeting-place.ts';

/** The parts of an etcd, which also serves the API of the kube-apiserver beside it. */
export interface EtcdOptions extends Pick<ServingOptions, 'clock' | 'descriptionsFile' | 'env' | 'mode'> {
  readonly dataDir: string;
  readonly meeting: MeetingPlace;
  /** Resolves when a signal has come. */
  readonly signal: Promise<void>;
}

/**
 * Serves the API for each kube-apiserver that comes, one at a time. Ends with a signal, or when the process that has
 * started this one is gone. The objects go with it.
 * @throws {PodrunError} (usage) when the environment names a version that podrun does not stand for
 */
export async function runEtcd({ dataDir, meeting, signal, ...options }: EtcdOptions): Promise<void> {
  const { clock } = options;
  const dialect = suiteVersion(options.env);
  const isNew = !existsSync(dataDir);
  const root = path.join(dataDir, 'podrun');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const records = new MemoryRecords();
  const sessions = new Sessions({ ...options, dialect, records, root });
  meeting.open((caller) => sessions.take(caller));
  let isEnding = false;
  prepareStore({ root, records, clock }, () => isEnding || sessions.haveBegun);
  await Promise.race([signal, parentGone(clock)]);
  isEnding = true;
  meeting.close();
  await sessions.close();
  removeTree(root);
  if (isNew) quietly(() => rmdirSync(dataDir));
}

/**
 * Stores what every server has while nothing is asked: envtest looks every 100 ms whether etcd is healthy, and only
 * then starts kube-apiserver. A server that meets the same trouble tells it.
 */
function prepareStore(place: Pick<ServingOptions, 'clock' | 'records' | 'root'>, isOver: () => boolean): void {
  const store = new FileStore({ ...place, processes: localProcesses });
  inBackground(storeDefaultAccess({ store, clock: place.clock }, isOver).catch(() => undefined));
}

/** The servers of kube-apiservers, of which one runs at a time. */
class Sessions {
  readonly #options: ServingOptions;
  #caller: ApiCaller | undefined;
  #over: Promise<void> = Promise.resolve();
  #haveBegun = false;

  constructor(options: ServingOptions) {
    this.#options = options;
  }

  /** True as soon as a server has been asked for. */
  get haveBegun(): boolean {
    return this.#haveBegun;
  }

  take(caller: ApiCaller): void {
    this.#haveBegun = true;
    if (this.#caller !== undefined) {
      caller.tell('another kube-apiserver uses this etcd: podrun serves one at a time');
      return caller.end(1);
    }
    this.#caller = caller;
    this.#over = this.#serve(caller).finally(() => (this.#caller = undefined));
    inBackground(this.#over);
  }

  async #serve(caller: ApiCaller): Promise<void> {
    const exitCode = await serveFlags(caller, this.#options);
    caller.end(exitCode);
  }

  /** Ends the server that runs. */
  async close(): Promise<void> {
    this.#caller?.end(0);
    await this.#over;
  }
}
