import { isJsonObject, type JsonObject } from '../../src/api/base/json.ts';
import type { WorldObject } from './world.ts';

/** The distinct values of each field that a controller decides, in order. */
export type Histories = Readonly<Record<string, readonly string[]>>;

const TIMES = /(Time|Timestamp)$/;

/**
 * The histories of an object's fields: counters and conditions of its status, its replicas, finalizers, owners and the
 * annotations of Deployments. Times and uids are left out.
 */
export function historiesOf(versions: readonly WorldObject[]): Histories {
  const histories: Record<string, string[]> = {};
  const revisions: unknown[] = [];
  for (const version of versions) {
    const fields = decidedFields(version);
    for (const name of ['currentRevision', 'updateRevision']) {
      if (fields[name] === undefined) continue;
      if (!revisions.includes(fields[name])) revisions.push(fields[name]);
      fields[name] = `revision ${revisions.indexOf(fields[name]) + 1}`;
    }
    for (const name of new Set([...Object.keys(histories), ...Object.keys(fields)])) {
      const history = (histories[name] ??= []);
      const value = fields[name] ?? '-';
      if (history.at(-1) !== value && !(history.length === 0 && value === '-')) history.push(value);
    }
  }
  return histories;
}

function decidedFields({ metadata, kind, ...object }: WorldObject): Record<string, string> {
  const status = kind === 'Pod' ? {} : ((object['status'] ?? {}) as JsonObject);
  const spec = (object['spec'] ?? {}) as JsonObject;
  const fields: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(status).map(([name, value]) => [name, plainValue(name, value)])),
    ...(typeof spec['replicas'] === 'number' ? { 'spec.replicas': spec['replicas'] } : {}),
    finalizers: metadata.finalizers,
    owners: metadata.ownerReferences?.map((owner) => owner.kind),
    isDeleted: kind !== 'Pod' && metadata.deletionTimestamp !== undefined ? true : undefined,
    ...Object.fromEntries(
      Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith('deployment.kubernetes.io')),
    ),
  };
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, JSON.stringify(value)]));
}

function plainValue(name: string, value: unknown): unknown {
  if (TIMES.test(name)) return 'a time';
  if (name === 'uncountedTerminatedPods' && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, uids]) => [key, (uids as string[]).length]));
  }
  if (name === 'active' && Array.isArray(value)) return value.map((job: { name: string }) => job.name);
  if (name !== 'conditions') return value;
  return (value as JsonObject[]).map(({ type, status, reason, message }) => [
    type,
    status,
    reason,
    withoutGenerated(typeof message === 'string' ? message : ''),
  ]);
}

/** Leaves out the generated parts of names: hashes, and the last five characters of Pods. */
export function withoutGenerated(text: string): string {
  return text
    .replaceAll(/(replica set |ReplicaSet )("?)([a-z0-9.-]*)-[a-z0-9]{5,10}\b/g, '$1$2$3')
    .replaceAll(/([pP]od:? )([a-z0-9./-]*?)(-[a-z0-9]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1$2');
}

/** True when ours passes through all values of a recorded history, in order, and ends with its last one. */
export function passesThrough(ours: readonly string[], recorded: readonly string[]): boolean {
  let next = 0;
  for (const value of ours) if (value === recorded[next]) next += 1;
  return next === recorded.length && ours.at(-1) === recorded.at(-1);
}
