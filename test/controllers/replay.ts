import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '../../src/api/base/json.ts';
import { isSameJson } from '../../src/api/base/json.ts';
import { parseTime } from '../../src/api/base/time.ts';
import { LoopWorld } from './loop-world.ts';
import type { WorldObject } from './world.ts';

/** A line of a recorded stream. */
export interface Line {
  readonly t: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'STEP';
  readonly object?: WorldObject;
  readonly run?: readonly string[];
  readonly delete?: readonly string[];
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
}

const FOLDER = new URL('../golden/traces-workloads/', import.meta.url);
/** Annotations that a controller writes. */
const OWN_ANNOTATION = /^deployment\.kubernetes\.io\//;

/** The names of all traces. */
export function traceNames(): string[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ndjson'));
  return files.map((name) => name.slice(0, -'.ndjson'.length)).toSorted();
}

/** The lines of a trace in the true order of the writes. */
export function readTrace(name: string): Line[] {
  const lines = readFileSync(new URL(`${name}.ndjson`, FOLDER), 'utf8')
    .trim()
    .split('\n');
  let latest = 0;
  return lines
    .map((text) => JSON.parse(text) as Line)
    .map((line) => {
      const version = Number(line.object?.metadata.resourceVersion ?? latest + 0.5);
      latest = Math.max(latest, Math.floor(version));
      return { line, version };
    })
    .toSorted((a, b) => a.version - b.version)
    .map(({ line }) => line);
}

/**
 * Runs the agent's loop in the world of a recorded stream. Users and kubelet do there what they did: objects without an
 * owner are created, changed and deleted, and the n-th Pod of an owner gets the statuses of the n-th recorded one. All
 * else is done by our controllers.
 */
export async function replay(lines: readonly Line[]): Promise<Replay> {
  const replayed = new Replay(startOf(lines));
  for (const line of lines) await replayed.step(line);
  return replayed;
}

/** The time of the first line. Timestamps are whole seconds, but for those of events of the scheduler. */
function startOf(lines: readonly Line[]): number {
  const exact = lines.flatMap(({ t, object }) =>
    typeof object?.['eventTime'] === 'string' ? [parseTime(object['eventTime']) - t * 1000] : [],
  );
  const first = lines.find(({ object }) => object !== undefined);
  return exact.length > 0 ? Math.max(...exact) : parseTime(first?.object?.metadata.creationTimestamp ?? '');
}

export class Replay {
  readonly world: LoopWorld;
  readonly #startMs: number;
  /** Recorded objects, by uid, with the number of the object among those of its owner. */
  readonly #recorded = new Map<string, { readonly object: WorldObject; readonly place: string }>();
  readonly #places = new Map<string, number>();
  /** Our objects, by uid, by their place, and by the uid of the recorded one. */
  readonly #added = new Map<string, WorldObject>();
  readonly #ourPlaces = new Map<string, string>();
  readonly #ourCounts = new Map<string, number>();
  readonly #pairs = new Map<string, string>();
  #seen = 0;
  /** Deletions that users asked for, until the stream says that it is. */
  readonly #deletions: { readonly text: string; readonly policy: 'Foreground' | 'Background' | 'Orphan' }[] = [];
  /** Statuses for Pods that our controllers have not made yet. */
  readonly #early: Line[] = [];

  constructor(startMs: number) {
    this.#startMs = startMs;
    this.world = new LoopWorld(startMs);
  }

  async step(line: Line): Promise<void> {
    const atMs = this.#startMs + line.t * 1000;
    await this.world.advance(atMs);
    if (line.type === 'STEP') this.#user(line);
    else if (line.object !== undefined && line.object.kind !== 'Event') {
      this.#deleteIfAsked(line);
      this.#change(line, line.object);
    }
    await this.world.advance(atMs);
    await this.#catchUp(atMs);
  }

  /** Our object in the place of a recorded one: of the same kind, and as many-th of the same owner. */
  ours(uid: string): WorldObject | undefined {
    const known = this.#pairs.get(uid) ?? this.#pair(uid);
    return known === undefined ? undefined : this.#added.get(known);
  }

  #pair(uid: string): string | undefined {
    const entry = this.#recorded.get(uid);
    for (const { type, object } of this.world.writes.slice(this.#seen)) {
      if (type !== 'ADDED') continue;
      this.#added.set(object.metadata.uid, object);
      this.#ourPlaces.set(this.#placeOf(object, this.#ourCounts), object.metadata.uid);
    }
    this.#seen = this.world.writes.length;
    const found = entry === undefined ? undefined : this.#ourPlaces.get(this.#withOurOwner(entry));
    if (found !== undefined) this.#pairs.set(uid, found);
    return found;
  }

  #withOurOwner({ object, place }: { readonly object: WorldObject; readonly place: string }): string {
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    return owner === undefined ? place : place.replace(owner, this.ours(owner)?.metadata.uid ?? owner);
  }

  /** Which of several equal Pods is deleted is not decided: pairs a deleted recorded Pod with one that we deleted. */
  #pairDeleted(object: WorldObject): void {
    const { uid, ownerReferences: [owner] = [] } = object.metadata;
    const ours = this.#pairs.get(uid);
    if (owner === undefined || ours === undefined || this.#isDeleted(ours)) return;
    const other = this.recorded().find(
      ({ metadata }) =>
        metadata.ownerReferences?.[0]?.uid === owner.uid &&
        metadata.deletionTimestamp === undefined &&
        this.#isDeleted(this.#pairs.get(metadata.uid) ?? ''),
    );
    if (other === undefined) return;
    this.#pairs.set(uid, this.#pairs.get(other.metadata.uid) ?? '');
    this.#pairs.set(other.metadata.uid, ours);
  }

  #isDeleted(uid: string): boolean {
    return this.world.get(uid)?.metadata.deletionTimestamp !== undefined;
  }

  recorded(): WorldObject[] {
    return [...this.#recorded.values()].map(({ object }) => object);
  }

  #user({ run = [], delete: deleted = [], propagationPolicy = 'Background' }: Line): void {
    for (const text of deleted) this.#deletions.push({ text, policy: propagationPolicy });
    const [verb, ...words] = run;
    const cascade = run.find((word) => word.startsWith('--cascade='))?.split('=')[1];
    const policy = cascade === 'orphan' ? 'Orphan' : cascade === 'foreground' ? 'Foreground' : 'Background';
    if (verb !== 'delete') return;
    for (const text of words) if (!text.startsWith('-')) this.#deletions.push({ text, policy });
  }

  /** A command takes a while: the object is deleted when the stream says so. */
  #deleteIfAsked({ type, object }: Line): void {
    const isDeleted = type === 'DELETED' || object?.metadata.deletionTimestamp !== undefined;
    if (object === undefined || !isDeleted) return;
    const { name, uid } = object.metadata;
    const index = this.#deletions.findIndex(({ text }) => text.split('/').at(-1) === name && isKind(object.kind, text));
    const [deletion] = index === -1 ? [] : this.#deletions.splice(index, 1);
    const ours = deletion === undefined ? undefined : this.ours(uid);
    if (deletion !== undefined && ours !== undefined) this.world.delete(ours.metadata.uid, deletion.policy);
  }

  #change(line: Line, object: WorldObject): void {
    const { uid, ownerReferences = [] } = object.metadata;
    const known = this.#recorded.get(uid)?.object;
    if (known === undefined) {
      const place = this.#placeOf(object, this.#places);
      this.#recorded.set(uid, { object, place });
      if (ownerReferences.length === 0 && object.kind !== 'EndpointSlice') this.#create(object);
      return;
    }
    this.#recorded.set(uid, { object, place: this.#recorded.get(uid)?.place ?? '' });
    if (object.kind === 'Pod') this.#changePod(line, object, known);
    else if (ownerReferences.length === 0) this.#changeRoot(object, known);
  }

  #create(object: WorldObject): void {
    const { uid, name, namespace, labels, annotations } = object.metadata;
    const metadata = { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) };
    const { status, ...rest } = object;
    const withStatus = object.kind === 'Pod' ? { status } : {};
    this.world.create({ ...rest, ...withStatus, metadata }, uid);
  }

  /** The changes of the user: the spec, labels and annotations. */
  #changeRoot(object: WorldObject, known: WorldObject): void {
    const ours = this.world.get(object.metadata.uid);
    if (ours === undefined) return;
    const annotations = changes(known.metadata.annotations, object.metadata.annotations);
    const patch = {
      metadata: { annotations, labels: changes(known.metadata.labels, object.metadata.labels) },
      ...(isSameJson(known['spec'], object['spec']) ? {} : { spec: replaced(ours['spec'], object['spec']) }),
    };
    if (!isSameJson(patch, { metadata: { annotations: {}, labels: {} } })) this.world.update(ours.metadata.uid, patch);
  }

  #changePod(line: Line, object: WorldObject, known: WorldObject): void {
    if (object.metadata.deletionTimestamp !== undefined) this.#pairDeleted(object);
    const ours = this.ours(object.metadata.uid);
    if (ours === undefined) {
      this.#early.push(line);
      return;
    }
    const { uid } = ours.metadata;
    const { nodeName } = object['spec'] as { nodeName?: string };
    const labels = changes(known.metadata.labels, object.metadata.labels);
    const hasNode = (this.world.get(uid)?.['spec'] as { nodeName?: string } | undefined)?.nodeName !== undefined;
    const patch = { metadata: { labels }, spec: nodeName && !hasNode ? { nodeName } : {} };
    const current = this.world.get(uid);
    if (current === undefined) return;
    const hasNewStatus = !isSameJson(known['status'], object['status']);
    const isIdle = isSameJson(patch, { metadata: { labels: {} }, spec: {} }) && !hasNewStatus;
    if (!isIdle) this.world.update(uid, patch, hasNewStatus ? (object['status'] as JsonObject) : undefined);
    if (line.type === 'DELETED') this.world.endDeletion(uid);
  }

  /** Gives Pods that our controllers have made meanwhile the statuses that came too early. */
  async #catchUp(atMs: number): Promise<void> {
    for (;;) {
      const index = this.#early.findIndex(({ object }) => object && this.ours(object.metadata.uid) !== undefined);
      if (index === -1) return;
      const [line] = this.#early.splice(index, 1);
      if (line?.object !== undefined) this.#changePod(line, line.object, { ...line.object, status: {} });
      await this.world.advance(atMs);
    }
  }

  /** Kind, owner and number; for Pods of an Indexed Job and of a StatefulSet also their index. */
  #placeOf(object: WorldObject, places: Map<string, number>): string {
    const { metadata, kind } = object;
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner === undefined) return `${kind} ${metadata.name}`;
    const index =
      metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ??
      metadata.labels?.['apps.kubernetes.io/pod-index'] ??
      '';
    const place = `${kind} of ${owner.uid} ${index}`;
    const number = (places.get(place) ?? 0) + 1;
    places.set(place, number);
    return `${place} #${number}`;
  }
}

function isKind(kind: string, text: string): boolean {
  const short: Readonly<Record<string, string>> = { rs: 'replicaset', rc: 'replicationcontroller' };
  const word = text.split('/')[0]?.toLowerCase().split('.')[0]?.replace(/s$/, '') ?? '';
  const names = new Set([kind.toLowerCase(), kind.toLowerCase().replace(/s$/, '')]);
  return names.has(word) || names.has(short[`${word}s`] ?? short[word] ?? '');
}

/** A merge patch that makes `before` into `after`, but for what controllers write. */
function changes(
  before: Readonly<Record<string, string>> = {},
  after: Readonly<Record<string, string>> = {},
): JsonObject {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter((key) => before[key] !== after[key] && !OWN_ANNOTATION.test(key));
  return Object.fromEntries(changed.map((key) => [key, after[key] ?? null]));
}

/** A merge patch that replaces the whole spec. */
function replaced(before: unknown, after: unknown): JsonObject {
  const gone = Object.keys(before as JsonObject).filter((key) => !Object.hasOwn(after as JsonObject, key));
  return { ...(after as JsonObject), ...Object.fromEntries(gone.map((key) => [key, null])) };
}
