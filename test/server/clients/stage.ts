import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { DEFAULT_NAMESPACE, type StoredKubeObject } from '../../../src/api/base/objects.ts';
import { everyResourceType } from '../../../src/api/resource-types.ts';
import { Podrun } from '../../cli/workshop.ts';
import { startServer, type TestServer } from '../start-server.ts';
import { removeTree } from '../../../src/remove-tree.ts';

/** The namespaces of every cluster, and what each of them has. */
const STANDING: ReadonlySet<string> = new Set([
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'kube-root-ca.crt',
  'kubernetes',
  hostname(),
]);

/** Told of each request that a server of this process gets. */
const REQUESTS = 'http.server.request.start';

/** A server and a working folder for its clients. Nobody runs Pods: they stay as they are stored. */
export class Stage {
  readonly server: TestServer;
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'podrun-clients-'));
  /** The requests so far: `GET /api?timeout=32s`. */
  readonly requests: string[] = [];
  #onRequest: () => void = () => undefined;
  readonly #listener = (message: unknown): void => {
    const { request } = message as { readonly request: IncomingMessage };
    if (request.socket.localPort !== Number(new URL(this.server.url).port)) return;
    this.requests.push(`${request.method} ${request.url}`);
    this.#onRequest();
  };

  private constructor(server: TestServer) {
    this.server = server;
    subscribe(REQUESTS, this.#listener);
  }

  /** @param stateDir the state folder. Default: a new one */
  static async open(options: Parameters<typeof startServer>[0] = {}): Promise<Stage> {
    return new Stage(await startServer(options));
  }

  /** Removes all objects but those that every cluster has. */
  clear(): void {
    const { store } = this.server;
    // Events first: those of a Pod go with its record, and nobody is told.
    const plurals = everyResourceType().map(({ plural }) => plural);
    for (const plural of ['events', ...plurals]) {
      for (const { metadata } of store.list<StoredKubeObject>(plural)) {
        if (!STANDING.has(metadata.name)) store.delete(plural, metadata.namespace || DEFAULT_NAMESPACE, metadata.name);
      }
    }
    removeTree(this.folder);
    mkdirSync(this.folder);
    this.requests.length = 0;
  }

  /** Writes a file into the working folder. */
  file(name: string, text: string): string {
    const file = path.join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }

  /** Starts a client in the working folder. It finds the server by its environment. */
  start(program: string, args: readonly string[], input?: string): Podrun {
    const { PATH, TMPDIR } = process.env;
    const { folder, server } = this;
    const env = { PATH, TMPDIR, TZ: 'UTC', HOME: `${folder}.home`, KUBECONFIG: server.kubeconfig };
    const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const;
    const child = spawn(program, args, { cwd: this.folder, env, stdio: [...stdio] });
    child.stdin?.end(input);
    return new Podrun(child);
  }

  /** Resolves when a client watches. */
  async untilWatched(): Promise<void> {
    const isWatched = (): boolean => this.requests.some((request) => /[?&]watch=(true|1)\b/.test(request));
    await new Promise<void>((resolve) => {
      this.#onRequest = () => isWatched() && resolve();
      this.#onRequest();
    });
    // The request was told before its handler has seen it.
    await new Promise(setImmediate);
  }

  async close(): Promise<void> {
    unsubscribe(REQUESTS, this.#listener);
    await this.server.close();
    for (const folder of [this.folder, `${this.folder}.home`]) removeTree(folder);
  }
}
