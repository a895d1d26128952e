import {
  errorMessage,
  hasCode,
  PodrunError,
  type ResourceType,
  type StoredKubeObject,
  type WatchEvent,
} from '../api/index.ts';
import { type Clock, sleep } from '../clock.ts';
import { type ClusterConnection, collectionPath, type StreamedAnswer } from './base/connection.ts';
import { streamLines } from './pod-logs.ts';

export interface FollowOptions {
  readonly connection: ClusterConnection;
  readonly clock: Clock;
  readonly type: ResourceType;
  readonly namespace: string;
  /** Called for every change. After a gap, objects that have gone meanwhile get the event DELETED. */
  readonly onEvent: (event: WatchEvent<StoredKubeObject>) => void;
  /** Called when the cluster does not answer. Its objects are asked for again. */
  readonly onTrouble: (error: PodrunError) => void;
}

/** The waits before the next try after the first failures in a row, milliseconds. The last one repeats. */
const RETRY_MS = [500, 1000, 2000, 5000];

interface ListAnswer {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly StoredKubeObject[];
}

/** The objects of one kind in one namespace of a cluster: a list, then a watch, and both again when they break. */
export class ClusterResource {
  /** Resolves when the objects that exist are known. Rejects when the cluster refuses to tell them. */
  readonly listed: Promise<void>;
  readonly #options: FollowOptions;
  readonly #known = new Map<string, StoredKubeObject>();
  #version: string | undefined;
  #failures = 0;
  #stream: StreamedAnswer | undefined;
  #isClosed = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.listed = this.#list();
    void this.listed.then(
      () => this.#follow(),
      () => undefined,
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#stream?.close();
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        if (this.#version === undefined) await this.#list();
        await this.#watch();
        this.#failures = 0;
      } catch (error) {
        if (this.#isClosed) return;
        if (hasCode(error, 'Expired')) this.#version = undefined;
        else await this.#waitAfter(error);
      }
    }
  }

  async #waitAfter(error: unknown): Promise<void> {
    const { clock, onTrouble } = this.#options;
    // A connection that was cut while it was idle is no trouble: the next one may be good.
    if (this.#failures === 1) onTrouble(troubleOf(error));
    const waitMs = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)] ?? 0;
    this.#failures += 1;
    await sleep(clock, waitMs);
  }

  async #list(): Promise<void> {
    const { connection, type, namespace } = this.#options;
    const answer = await connection.request<ListAnswer>({ method: 'GET', path: collectionPath(type, namespace) });
    this.#version = answer.metadata.resourceVersion;
    const { apiVersion, kind } = type;
    const items = answer.items.map((item) => ({ ...item, apiVersion, kind }));
    const present = new Set(items.map(({ metadata }) => metadata.uid));
    for (const gone of [...this.#known.values()].filter(({ metadata }) => !present.has(metadata.uid))) {
      this.#take({ type: 'DELETED', object: gone });
    }
    for (const object of items)
      this.#take({ type: this.#known.has(object.metadata.uid) ? 'MODIFIED' : 'ADDED', object });
  }

  async #watch(): Promise<void> {
    const { connection, type, namespace } = this.#options;
    const query = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: this.#version ?? '' };
    this.#stream = await connection.stream(collectionPath(type, namespace), query);
    if (this.#isClosed) return this.#stream.close();
    for await (const line of streamLines(this.#stream.chunks)) {
      if (this.#isClosed) return;
      this.#takeLine(JSON.parse(line.toString()) as WatchLine);
    }
  }

  #takeLine({ type, object }: WatchLine): void {
    if (type === 'ERROR') {
      const { code, message = '' } = object as { code?: number; message?: string };
      throw new PodrunError(code === 410 ? 'Expired' : 'InternalError', message);
    }
    const changed = object as StoredKubeObject;
    this.#failures = 0;
    this.#version = changed.metadata.resourceVersion;
    if (type !== 'BOOKMARK') this.#take({ type, object: changed });
  }

  #take(event: WatchEvent<StoredKubeObject>): void {
    const { uid, resourceVersion } = event.object.metadata;
    if (event.type === 'DELETED') this.#known.delete(uid);
    else {
      if (this.#known.get(uid)?.metadata.resourceVersion === resourceVersion) return;
      this.#known.set(uid, event.object);
    }
    this.#options.onEvent(event);
  }
}

interface WatchLine {
  readonly type: WatchEvent['type'] | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

function troubleOf(error: unknown): PodrunError {
  if (error instanceof PodrunError) return error;
  const why = errorMessage(error);
  return new PodrunError('Unreachable', `the connection with the cluster has ended (${why}): podrun asks it again`);
}
