import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../src/api/json.ts';
import { isSameJson } from '../../src/api/json.ts';
import { parseTime } from '../../src/api/time.ts';
import type { NewObject } from '../../src/controllers/reconcile.ts';
import { World, type WorldObject } from './world.ts';

/** A line of a recorded stream. */
interface Line {
  readonly t: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'STEP';
  readonly object?: WorldObject;
  readonly run?: readonly string[];
  readonly delete?: readonly string[];
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
}

const FOLDER = new URL('../golden/traces-workloads/', import.meta.url);
/** Annotations that a controller writes. */
const OWN_ANNOTATION = /^deployment\.kubernetes\.io\/|^deprecated\.daemonset/;

/** The lines of a trace in the true order of the writes. */
export function readTrace(name: string): Line[] {
  const lines = readFileSync(new URL(`${name}.ndjson`, FOLDER), 'utf8').trim().split('\n');
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
 * Runs our controllers in the world of a recorded stream. Users and kubelet do there what they did: objects without an
 * owner are created, changed and deleted, and the n-th Pod of an owner gets the statuses of the n-th recorded one. All
 * else is done by our controllers.
 */
export function replay(lines: readonly Line[]): Replay {
  const first = lines.find(({ object }) => object !== undefined);
  const replayed = new Replay(parseTime(first?.object?.metadata.creationTimestamp ?? ''));
  for (const line of lines) replayed.step(line);
  return replayed;
}

export class Replay {
  readonly world: World;
  readonly #startMs: number;
  /** Recorded objects, by uid, with the number of the object among those of its owner. */
  readonly #recorded = new Map<string, { readonly object: WorldObject; readonly place: string }>();
  readonly #places = new Map<string, number>();
  /** Statuses for Pods that our controllers have not made yet. */
  readonly #early: Line[] = [];

  constructor(startMs: number) {
    this.#startMs = startMs;
    this.world = new World(startMs);
  }

  step(line: Line): void {
    this.world.advance(this.#startMs + line.t * 1000);
    if (line.type === 'STEP') this.#user(line);
    else if (line.object !== undefined && line.object.kind !== 'Event') this.#change(line, line.object);
    this.world.settle();
    this.#catchUp();
  }

  /** Our object in the place of a recorded one: of the same kind, and as many-th of the same owner. */
  ours(uid: string): WorldObject | undefined {
    const entry = this.#recorded.get(uid);
    if (entry === undefined) return undefined;
    const added = this.world.writes.filter(({ type }) => type === 'ADDED').map(({ object }) => object);
    const places = new Map<string, number>();
    return added.find((object) => this.#placeOf(object, places, (owner) => owner) === entry.place);
  }

  recorded(): WorldObject[] {
    return [...this.#recorded.values()].map(({ object }) => object);
  }

  #user({ run = [], delete: deleted = [], propagationPolicy = 'Background' }: Line): void {
    for (const name of deleted) this.#delete(name, propagationPolicy);
    const [verb, name = ''] = run;
    const cascade = run.find((word) => word.startsWith('--cascade='))?.split('=')[1];
    const policy = cascade === 'orphan' ? 'Orphan' : cascade === 'foreground' ? 'Foreground' : 'Background';
    if (verb === 'delete') this.#delete(name, policy);
  }

  #delete(text: string, policy: 'Foreground' | 'Background' | 'Orphan'): void {
    const name = text.split('/').at(-1) ?? '';
    const recorded = this.recorded().find(({ kind, metadata }) => metadata.name === name && isKind(kind, text));
    const ours = recorded === undefined ? undefined : this.ours(recorded.metadata.uid);
    if (ours !== undefined) this.world.delete(ours.metadata.uid, policy);
  }

  #change(line: Line, object: WorldObject): void {
    const { uid, ownerReferences = [] } = object.metadata;
    const known = this.#recorded.get(uid)?.object;
    if (known === undefined) {
      const place = this.#placeOf(object, this.#places, (owner) => this.ours(owner)?.metadata.uid ?? owner);
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
    this.world.create({ ...rest, ...withStatus, metadata } as NewObject, uid);
  }

  /** What the user changed: the spec, labels and annotations. */
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
  #catchUp(): void {
    for (;;) {
      const index = this.#early.findIndex(({ object }) => object && this.ours(object.metadata.uid) !== undefined);
      if (index === -1) return;
      const [line] = this.#early.splice(index, 1);
      if (line?.object !== undefined) this.#changePod(line, line.object, { ...line.object, status: {} });
      this.world.settle();
    }
  }

  /** Kind, owner and number; for Pods of an Indexed Job and of a StatefulSet also their index. */
  #placeOf(object: WorldObject, places: Map<string, number>, ownerOf: (uid: string) => string): string {
    const { metadata, kind } = object;
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner === undefined) return `${kind} ${metadata.name}`;
    const index =
      metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ??
      metadata.labels?.['apps.kubernetes.io/pod-index'] ??
      '';
    const place = `${kind} of ${ownerOf(owner.uid)} ${index}`;
    const number = (places.get(place) ?? 0) + 1;
    places.set(place, number);
    return `${place} #${number}`;
  }
}

function isKind(kind: string, text: string): boolean {
  const short: Readonly<Record<string, string>> = { rs: 'replicaset', rc: 'replicationcontroller' };
  const word = text.split('/')[0]?.toLowerCase().split('.')[0]?.replace(/s$/, '') ?? '';
  const names = [kind.toLowerCase(), kind.toLowerCase().replace(/s$/, '')];
  return names.includes(word) || names.includes(short[`${word}s`] ?? short[word] ?? '');
}

/** A merge patch that makes `before` into `after`, but for what controllers write. */
function changes(before: Readonly<Record<string, string>> = {}, after: Readonly<Record<string, string>> = {}): JsonObject {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter((key) => before[key] !== after[key] && !OWN_ANNOTATION.test(key));
  return Object.fromEntries(changed.map((key) => [key, after[key] ?? null]));
}

/** A merge patch that replaces the whole spec. */
function replaced(before: unknown, after: unknown): JsonObject {
  const gone = Object.keys(before as JsonObject).filter((key) => !Object.hasOwn(after as JsonObject, key));
  return { ...(after as JsonObject), ...Object.fromEntries(gone.map((key) => [key, null])) };
}
