import {
  isWorkload,
  type KubeObject,
  parseTime,
  type StoredEvent,
  type StoredKubeObject,
  type StoredPod,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { DELETED_BY, deletedByAuthor, type DeletionAuthor, readDeletedBy } from '../../lifecycle/index.ts';
import { quietly } from '../../quietly.ts';
import { commandOfMark, CONTAINER_MARKER } from '../../runtime/index.ts';
import type { FileStore, Store } from '../../store/index.ts';
import { userName } from '../../user.ts';
import { EventRecorder } from '../base/event-recorder.ts';

/** True for the kinds whose deletion counts for a run: with a namespace goes all that is in it. */
export function hasAuthor({ kind }: Pick<KubeObject, 'kind'>): boolean {
  return kind === 'Pod' || kind === 'Namespace' || isWorkload({ kind });
}

/**
 * The author of what this process deletes.
 * @param tool its command, `podrun delete pod web`
 */
export function authorHere(tool: string, env: NodeJS.ProcessEnv): DeletionAuthor {
  return {
    user: userName() ?? `user ${process.getuid?.() ?? 'unknown'}`,
    tool,
    pid: process.pid,
    commandOf: commandOfMark(env[CONTAINER_MARKER]),
  };
}

/**
 * Records the author of a deletion, before it: an Event, since clients set the object itself. An object that is ending
 * already is the same without them.
 */
export function recordAuthor(
  store: Store,
  clock: Clock,
  object: StoredPod | StoredKubeObject,
  author: DeletionAuthor,
): void {
  if (!hasAuthor(object) || object.metadata.deletionTimestamp !== undefined) return;
  const recorder = new EventRecorder({ store, clock, onEvent: () => undefined });
  recorder.record(object, [deletedByAuthor(author)]);
}

/** The author, as text, of the deletion of an object. Undefined: a controller, podrun itself, or none. */
export type FindAuthor = (object: Pick<StoredKubeObject, 'metadata'>) => string | undefined;

/** True when the deletion of the Pod was recorded, by any author. Its Events outlive it. */
export function isDeletionRecorded(store: Store, { metadata: { namespace, name, uid } }: StoredPod): boolean {
  const events = quietly(() => store.list<StoredEvent>('events', { namespace, aboutPod: name })) ?? [];
  return events.some(({ reason, involvedObject }) => reason === DELETED_BY && involvedObject.uid === uid);
}

interface Recorded {
  readonly who: string;
  readonly commandOf: number | undefined;
  readonly atMs: number;
}

/** The authors of the deletions of Pods and workloads, but for this process and its COMMAND. */
export function authorsOfDeletions(store: FileStore): FindAuthor {
  const byUid = new Map<string, Recorded>();
  const byNamespace = new Map<string, Recorded>();
  for (const event of quietly(() => store.list<StoredEvent>('events', {})) ?? []) {
    const { reason, message = '', involvedObject } = event;
    if (reason !== DELETED_BY || involvedObject.uid === undefined) continue;
    const recorded = { ...readDeletedBy(message), atMs: parseTime(event.metadata.creationTimestamp) };
    byUid.set(involvedObject.uid, recorded);
    if (involvedObject.kind === 'Namespace') byNamespace.set(involvedObject.name ?? '', recorded);
  }
  return ({ metadata }) => {
    const deletion =
      byUid.get(metadata.uid) ?? wentWith(byNamespace.get(metadata.namespace), metadata.creationTimestamp);
    return deletion?.commandOf === process.pid ? undefined : deletion?.who;
  };
}

/** The deletion of its namespace. What was created later is in another namespace of that name. */
function wentWith(deletion: Recorded | undefined, creationTimestamp: string): Recorded | undefined {
  return deletion !== undefined && parseTime(creationTimestamp) <= deletion.atMs ? deletion : undefined;
}
