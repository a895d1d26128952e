import type { ServerResponse } from 'node:http';
import type { KubeObject, StoredKubeObject } from '../../api/index.ts';
import { type Alarm, nextEventLoopTurn } from '../../clock.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  apiVersionOf,
  asStatusError,
  expired,
  inVersionOf,
  isOn,
  matcherOf,
  type ObjectMatcher,
  plainError,
  type ServerContext,
  shownObjects,
  StatusError,
  type StoredChange,
  versionAsked,
  zeroFields,
} from '../../apiserver/index.ts';
import { negotiate, type Negotiated } from '../http/media-types.ts';
import { PROTOBUF, protobufCodec } from '../http/protobuf.ts';
import { checkListOptions } from './list-options.ts';
import { includeOf } from './send-object.ts';
import { metadataOnly, tableOf } from './table.ts';
import { type Reader, UnreadBytes } from './unread-bytes.ts';

/** The bytes that one client may leave unread. A slower one is cut off: it lists again. */
const UNREAD_MAX = 8 * 1024 * 1024;
const unread = new UnreadBytes();
/** The time between two bookmarks of a watch without changes. */
const BOOKMARK_MS = 60_000;
/** A watch without a time limit ends after a time between this and twice this. Source: MinRequestTimeout. */
const LONGEST_MS = 30 * 60_000;
const WATCHES_MAX = 1000;

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * Writes are most of what a change costs when many watch: a busy watch gets its events in fewer of them. 200 watches
 * get theirs every 20 ms, one at once.
 */
const PAUSE_MS_PER_WATCH = 0.1;
const PAUSE_MAX_MS = 20;

let openWatches = 0;
/** The watches that have events to write. */
const waiting = new Set<ObjectWatch>();
/** The number of watches from which the events of a write may come after its response. */
const MANY_WATCHES = 100;

/**
 * Writes the events of all changes so far, before the response to the write that has made them: a client that reads its
 * own cache after a write finds it there.
 */
export function flushWatches(): void {
  if (openWatches < MANY_WATCHES) for (const watch of waiting) watch.flush();
}

/** Sends the changes of a collection, or of an object, as they happen. */
export function watchAnswer(request: ApiRequest, context: ServerContext): ApiAnswer {
  checkListOptions(request);
  const from = versionToWatch(request);
  if (openWatches >= WATCHES_MAX) {
    const message = `too many watches: ${WATCHES_MAX} are open`;
    throw new StatusError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds: 5 } });
  }
  const watch = new ObjectWatch(request, context);
  return { stream: (response) => watch.begin(response, from) };
}

/** Source: etcd3/watcher.go; its errors differ from the errors of a list. */
function versionToWatch(request: ApiRequest): number | undefined {
  const text = request.query.get('resourceVersion') ?? '';
  if (/^\d*$/.test(text)) return versionAsked(request);
  const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw plainError(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`);
}

/** One watch of a client. */
class ObjectWatch implements Reader {
  readonly #request: ApiRequest;
  readonly #context: ServerContext;
  readonly #matches: ObjectMatcher;
  readonly #lineOf: (type: string, object: StoredKubeObject) => Buffer;
  /** The content type of the answer. */
  readonly #type: string;
  readonly #hasBookmarks: boolean;
  readonly #isConverted: boolean;
  #response: ServerResponse | undefined;
  #alarms: Alarm[] = [];
  #pending: Buffer[] = [];
  /** The time of the last write, of the monotonic clock. */
  #wroteMs = 0;
  /** The conversion of the last change. They end in the order of the changes. */
  #converted: Promise<void> = Promise.resolve();
  #isOver = false;
  #end: () => void = () => undefined;

  constructor(request: ApiRequest, context: ServerContext) {
    const { query } = request;
    this.#request = request;
    this.#context = context;
    this.#matches = matcherOf(request);
    const chosen = chosenForm(request);
    const lineOf = lineEncoder(request, context, chosen);
    this.#type = chosen.syntax === 'protobuf' ? `${PROTOBUF};stream=watch` : 'application/json';
    this.#lineOf = (type, object) => lineOf(type, inVersionOf(request.resource, object));
    this.#hasBookmarks = isOn(query, 'allowWatchBookmarks');
    this.#isConverted = request.resource.custom?.conversion !== undefined;
  }

  /** Resolves when the watch is over. */
  begin(response: ServerResponse, from: number | undefined): Promise<void> {
    const { objects, signal } = this.#context;
    const { resource, query } = this.#request;
    this.#response = response;
    response.writeHead(200, { 'Content-Type': this.#type, 'Cache-Control': 'no-cache, private' });
    response.flushHeaders();
    const sendsInitial = isOn(query, 'sendInitialEvents');
    const isFresh = from === undefined;
    const missed = isFresh || sendsInitial ? [] : objects.changesAfter(resource.storage, from);
    if (missed === undefined) return this.#refuse(expired(tooOld(from, objects.version)));
    openWatches++;
    if (sendsInitial || (isFresh && query.get('sendInitialEvents') === null)) this.#sendPresent(isFresh, sendsInitial);
    for (const change of missed) this.#take(change, from ?? 0);
    const subscription = objects.subscribe(resource.storage, (change) => this.#take(change, from ?? 0));
    return new Promise((resolve) => {
      this.#end = () => {
        if (this.#isOver) return;
        this.#isOver = true;
        openWatches--;
        unread.remove(this);
        waiting.delete(this);
        subscription.close();
        for (const alarm of this.#alarms) alarm.cancel();
        signal.removeEventListener('abort', this.#end);
        if (!response.destroyed) response.end(Buffer.concat(this.#pending));
        resolve();
      };
      response.once('close', this.#end);
      response.once('error', this.#end);
      signal.addEventListener('abort', this.#end);
      this.#alarms = [this.#endLater(), this.#bookmarkLater()].filter((alarm) => alarm !== undefined);
      // Both may have ended before anybody listened for it.
      if (signal.aborted || response.destroyed) this.#end();
    });
  }

  #refuse(error: StatusError): Promise<void> {
    this.#response?.end(this.#errorEvent(error));
    return Promise.resolve();
  }

  #errorEvent({ body }: StatusError): Buffer {
    return this.#type === 'application/json'
      ? Buffer.from(`${JSON.stringify({ type: 'ERROR', object: body })}\n`)
      : (protobufCodec()?.encodeEvent('ERROR', body) ?? Buffer.alloc(0));
  }

  /** Sends all objects that exist, and with bookmarks the mark of their end. */
  #sendPresent(isFresh: boolean, isRequested: boolean): void {
    const { objects } = this.#context;
    const { resource, namespace } = this.#request;
    const version = objects.version;
    this.#inVersion(objects.list(resource.storage, namespace), (present) => {
      for (const object of present) if (this.#matches(object)) this.#send('ADDED', object);
      if (this.#hasBookmarks && (isRequested || isFresh)) this.#bookmark(version, { [INITIAL_EVENTS_END]: 'true' });
    });
  }

  #take(change: StoredChange, from: number): void {
    const { version, object, before } = change;
    if (version <= from && from <= this.#context.objects.version) return;
    const { namespace } = this.#request;
    if (this.#isOver || (namespace !== undefined && object.metadata.namespace !== namespace)) return;
    if (!this.#isConverted) return this.#changed(change);
    this.#inVersion(before === undefined ? [object] : [object, before], ([converted = object, convertedBefore]) =>
      this.#changed({ ...change, object: converted, before: convertedBefore }),
    );
  }

  /** Calls back with objects in the version of the watch: at once, unless a webhook converts them. */
  #inVersion(objects: readonly StoredKubeObject[], then: (converted: readonly StoredKubeObject[]) => void): void {
    if (!this.#isConverted) return then(objects);
    const { resource } = this.#request;
    this.#converted = this.#converted
      .then(async () => {
        if (!this.#isOver) then(await shownObjects(resource, objects, this.#context));
      })
      .catch((error: unknown) => {
        this.#pending.push(this.#errorEvent(asStatusError(error)));
        this.#end();
      });
  }

  /** Source: cacher/cache_watcher.go, convertToWatchEvent. */
  #changed({ type, object, before }: StoredChange): void {
    const didMatch = before !== undefined && this.#matches(before);
    const doesMatch = type !== 'DELETED' && this.#matches(object);
    if (doesMatch) this.#send(didMatch ? 'MODIFIED' : 'ADDED', object);
    else if (didMatch) this.#send('DELETED', asItWas(before, object));
  }

  #bookmark(version: number, annotations?: Readonly<Record<string, string>>): void {
    const { resource } = this.#request;
    const metadata = { resourceVersion: String(version), ...(annotations && { annotations }) };
    const apiVersion = apiVersionOf(resource);
    const object = { kind: resource.kind, apiVersion, metadata, ...zeroFields(apiVersion, resource.plural) };
    this.#send('BOOKMARK', object as unknown as StoredKubeObject);
  }

  /** Sends the events of one turn of the event loop together, and the events of a moment when many watch. */
  #send(type: string, object: StoredKubeObject): void {
    this.#pending.push(this.#lineOf(type, object));
    waiting.add(this);
    if (this.#pending.length > 1) return;
    const { clock } = this.#context;
    const dueMs = this.#wroteMs + Math.min(PAUSE_MAX_MS, Math.floor(openWatches * PAUSE_MS_PER_WATCH));
    if (dueMs <= clock.now().monotonicMs) nextEventLoopTurn(() => this.flush());
    else clock.wakeAt(dueMs, () => this.flush());
  }

  flush(): void {
    const response = this.#response;
    waiting.delete(this);
    if (this.#isOver || response === undefined || this.#pending.length === 0) return;
    const lines = joined(this.#pending);
    this.#pending = [];
    this.#wroteMs = this.#context.clock.now().monotonicMs;
    if (response.writableLength > UNREAD_MAX) return this.cutOff();
    // At once: Node.js would gather what is written until the end of this turn of the event loop.
    response.socket?.cork();
    response.write(lines);
    response.socket?.uncork();
    unread.wrote(this);
  }

  get unreadBytes(): number {
    return this.#response?.writableLength ?? 0;
  }

  cutOff(): void {
    this.#response?.destroy();
  }

  #endLater(): Alarm {
    const { clock } = this.#context;
    const seconds = Number(this.#request.query.get('timeoutSeconds') ?? 0);
    const waitMs = seconds > 0 ? seconds * 1000 : LONGEST_MS * (1 + Math.random());
    return clock.wakeAt(clock.now().monotonicMs + waitMs, () => this.#end());
  }

  #bookmarkLater(): Alarm | undefined {
    if (!this.#hasBookmarks) return undefined;
    const { clock, objects } = this.#context;
    return clock.wakeAt(clock.now().monotonicMs + BOOKMARK_MS, () => {
      if (this.#isOver) return;
      const { version } = objects;
      this.#inVersion([], () => this.#bookmark(version));
      this.#alarms = [...this.#alarms.slice(0, 1), this.#bookmarkLater()].filter((alarm) => alarm !== undefined);
    });
  }
}

/** @throws {StatusError} 406 */
function chosenForm({ raw, resource }: ApiRequest): Negotiated {
  const about = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const hasProtobuf = protobufCodec()?.hasMessage(about) === true;
  return negotiate(raw.headers.accept, { hasProtobuf, isCustom: resource.custom?.isTyped === false, from: 'list' });
}

/** The object that no longer matches, in its last matching state, with the version of the change. */
function asItWas(before: StoredKubeObject, { metadata: { resourceVersion } }: StoredKubeObject): StoredKubeObject {
  return { ...before, metadata: { ...before.metadata, resourceVersion } };
}

/** The last event: all watches of a change send it before the next one. Objects are never changed. */
let last: SentEvent | undefined;
/** The same as protobuf. */
let lastMessage: SentEvent | undefined;

interface SentEvent {
  readonly type: string;
  readonly object: object;
  readonly line: Buffer;
}

/** The last events that were written together. */
let lastJoined: { readonly lines: readonly Buffer[]; readonly bytes: Buffer } | undefined;

/** The bytes of some events. Watches that write the same events share them: they hold them until their client reads. */
function joined(lines: readonly Buffer[]): Buffer {
  const [first] = lines;
  if (first !== undefined && lines.length === 1) return first;
  const known = lastJoined?.lines;
  if (lastJoined !== undefined && known?.length === lines.length && lines.every((line, at) => line === known[at]))
    return lastJoined.bytes;
  lastJoined = { lines, bytes: Buffer.concat(lines) };
  return lastJoined.bytes;
}

/** An event with an object in the form that the client accepts. The columns of a Table come with the first one only. */
function lineEncoder(
  request: ApiRequest,
  { clock, config: { descriptionsFile } }: ServerContext,
  { form, tableVersion, syntax }: Negotiated,
): (type: string, object: StoredKubeObject) => Buffer {
  const lineOf = (type: string, text: string): Buffer => Buffer.from(`{"type":"${type}","object":${text}}\n`);
  const codec = protobufCodec();
  if (codec !== undefined && syntax === 'protobuf') {
    return (type, object) => {
      if (form === 'metadata') return codec.encodeEvent(type, metadataOnly(object) as KubeObject);
      if (lastMessage?.object === object && lastMessage.type === type) return lastMessage.line;
      lastMessage = { type, object, line: codec.encodeEvent(type, object) };
      return lastMessage.line;
    };
  }
  if (form === 'object') {
    return (type, object) => {
      if (last?.object === object && last.type === type) return last.line;
      last = { type, object, line: lineOf(type, JSON.stringify(object)) };
      return last.line;
    };
  }
  if (form === 'metadata') return (type, object) => lineOf(type, JSON.stringify(metadataOnly(object)));
  const include = includeOf(request);
  let hasColumns = true;
  return (type, object) => {
    const metadata = { resourceVersion: object.metadata.resourceVersion };
    const isBookmark = object.metadata.name === undefined;
    const nowMs = clock.now().wallMs;
    const given = { apiVersion: tableVersion, metadata, include, nowMs, descriptionsFile };
    const options = { ...given, hasColumns: hasColumns || isBookmark };
    const rows = isBookmark ? [] : [object];
    if (!isBookmark) hasColumns = false;
    return lineOf(type, JSON.stringify(tableOf(request.resource, rows, options)));
  };
}

function tooOld(version: number | undefined, current: number): string {
  return `too old resource version: ${version ?? 0} (${current})`;
}
