import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { usage } from '../../api/index.ts';
import { storeDefaultAccess } from '../../apiserver/index.ts';
import type { Clock } from '../../clock.ts';
import { guarded, inBackground } from '../../defects.ts';
import { quietly } from '../../quietly.ts';
import { removeTree } from '../../remove-tree.ts';
import { openConnections } from '../../network/index.ts';
import { localProcesses } from '../../runtime/index.ts';
import { FileStore } from '../../store/index.ts';
import { serveFlags, type ServingOptions } from '../api/serve-flags.ts';
import type { ApiCaller } from '../base/api-caller.ts';
import { parentGone } from '../base/parent-gone.ts';
import { openMeetingPlace } from './meeting-place.ts';

/** The settings of an etcd: this process, which also serves the API of the kube-apiserver beside it. */
export interface EtcdOptions extends Omit<ServingOptions, 'root'> {
  readonly argv: readonly string[];
  /** Resolves when a signal has come. */
  readonly signal: Promise<void>;
}

/**
 * Stands for etcd: responds to health checks, and serves the API for each kube-apiserver that names this port, one at a
 * time. Ends with a signal, or when the process that has started it is gone. The objects go with it.
 * @throws {PodrunError} for a wrong flag, and when it cannot listen
 */
export async function runEtcd(options: EtcdOptions): Promise<number> {
  const { url, dataDir } = readEtcdFlags(options.argv);
  const server = guarded(createServer(respond));
  const connections = openConnections(server);
  const port = await listening(server, url);
  const isNew = !existsSync(dataDir);
  const root = path.join(dataDir, 'podrun');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const sessions = new Sessions({ ...options, root });
  const meeting = openMeetingPlace(port, (caller) => sessions.take(caller));
  let isEnding = false;
  prepareStore(root, options.clock, () => isEnding || sessions.haveBegun);
  await Promise.race([options.signal, parentGone(options.clock)]);
  isEnding = true;
  meeting.close();
  server.close();
  connections.end();
  await sessions.close();
  removeTree(root);
  if (isNew) quietly(() => rmdirSync(dataDir));
  return 0;
}

/**
 * Stores what every server has while nothing is asked: envtest looks every 100 ms whether etcd is healthy, and only
 * then starts kube-apiserver. A server that meets the same trouble tells it.
 */
function prepareStore(root: string, clock: Clock, isOver: () => boolean): void {
  const store = new FileStore({ root, clock, processes: localProcesses });
  inBackground(storeDefaultAccess({ store, clock }, isOver).catch(() => undefined));
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

/** Reads the flags of etcd that matter here: its storage needs no tuning. */
function readEtcdFlags(argv: readonly string[]): { readonly url: URL; readonly dataDir: string } {
  const valueOf = (name: string): string | undefined => {
    const at = argv.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
    const word = argv[at];
    return word?.includes('=') === true ? word.slice(word.indexOf('=') + 1) : word && argv[at + 1];
  };
  const [text = ''] = (valueOf('listen-client-urls') ?? 'http://127.0.0.1:2379').split(',');
  if (!URL.canParse(text) || !text.startsWith('http://'))
    throw usage(`--listen-client-urls=${text} is no URL of http`, 'podrun stands for an etcd without TLS.');
  return { url: new URL(text), dataDir: valueOf('data-dir') ?? 'default.etcd' };
}

const PAGES: Readonly<Record<string, object>> = {
  '/health': { health: 'true', reason: '' },
  '/version': { etcdserver: '3.6.0', etcdcluster: '3.6.0' },
};

const respond: Parameters<typeof createServer>[1] = (request, response) => {
  const page = PAGES[(request as { readonly url?: string }).url?.replace(/\?.*/, '') ?? ''];
  const code = page === undefined ? 404 : 200;
  response.writeHead(code, { 'Content-Type': 'application/json' });
  response.end(page === undefined ? '' : JSON.stringify(page));
};

/** Returns the port. */
function listening(server: Server, { hostname, port }: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error) => reject(usage(`cannot listen at ${hostname}:${port}: ${error.message}`)));
    server.listen(Number(port || '80'), hostname, () => resolve((server.address() as AddressInfo).port));
  });
}
