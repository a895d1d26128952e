import {
  allContainerStatuses,
  PodrunError,
  resolvedUid,
  type StoredEvent,
  type StoredPod,
  type Workload,
} from '../api/index.ts';
import type { HookRun, ProbeAttempt } from '../lifecycle/index.ts';
import { type LogTail, NO_RECORDS, type PodEvidence, type RecordedEvidence } from '../history/index.ts';
import type { FileStore } from './file-store.ts';
import { instanceLogPath } from './logs/log-files.ts';
import { lastLogLines } from './logs/log-reader.ts';
import { ProbeJournalReader } from './logs/probe-journal.ts';

/** The number of lines of each log. */
const LINES = 10;

/** The number of attempts of each probe. */
const ATTEMPTS = 50;

/** The number of hook runs. */
const HOOKS = 50;

/** Follows the records of a Pod, and keeps the latest attempts of each probe. */
export class RecordWatch {
  readonly #store: FileStore;
  readonly #pod: StoredPod;
  readonly #file: string;
  #reader: ProbeJournalReader | undefined;
  readonly #latest = new Map<string, ProbeAttempt[]>();

  constructor(store: FileStore, pod: StoredPod) {
    const { namespace, name } = pod.metadata;
    this.#store = store;
    this.#pod = pod;
    this.#file = store.paths(namespace, name).probes;
  }

  /** The current records. Hooks and events are read on first use: few Pods need them. */
  records(): RecordedEvidence {
    const [store, pod] = [this.#store, this.#pod];
    return {
      attempts: this.#attempts(),
      get hooks() {
        return latestHooks(store, pod);
      },
      get events() {
        return eventsAbout(store, pod);
      },
    };
  }

  /** The latest attempts, oldest first. An unreadable journal counts as empty. */
  #attempts(): readonly ProbeAttempt[] {
    this.#read();
    return [...this.#latest.values()].flat().toSorted((a, b) => (a.time < b.time ? -1 : 1));
  }

  close(): void {
    this.#reader?.close();
  }

  #read(): void {
    const next = (): unknown[] => orNone(() => (this.#reader ??= new ProbeJournalReader(this.#file)).next());
    for (let entries = next(); entries.length > 0; entries = next()) {
      // Only podrun writes these lines: they have the right type.
      for (const attempt of entries as ProbeAttempt[]) this.#keep(attempt);
    }
  }

  #keep(attempt: ProbeAttempt): void {
    const key = `${attempt.container} ${attempt.probe}`;
    const latest = this.#latest.get(key) ?? [];
    latest.push(attempt);
    if (latest.length > ATTEMPTS) latest.shift();
    this.#latest.set(key, latest);
  }
}

/**
 * The records of a Pod beside its object: probes, ends of logs, events. Leaves out what cannot be read, so that the
 * rest is still shown.
 */
export function podEvidence(store: FileStore, pod: StoredPod): PodEvidence {
  const watch = new RecordWatch(store, pod);
  const evidence = { ...watch.records(), logs: logTails(store, pod) };
  watch.close();
  return evidence;
}

/** The evidence about a Pod, or about a workload, which has Events only. */
export function evidenceAbout(store: FileStore, object: StoredPod | Workload): PodEvidence {
  if (object.kind === 'Pod') return podEvidence(store, object);
  const { namespace, uid } = object.metadata;
  const events = orNone(() => store.list<StoredEvent>('events', { namespace }));
  return { ...NO_RECORDS, logs: new Map(), events: events.filter(({ involvedObject }) => involvedObject.uid === uid) };
}

function latestHooks(store: FileStore, { metadata: { namespace, name } }: StoredPod): readonly HookRun[] {
  return orNone(() => {
    const reader = new ProbeJournalReader(store.paths(namespace, name).hooks);
    const runs: HookRun[] = [];
    try {
      // Only podrun writes these lines: they have the right type.
      for (let next = reader.next(); next.length > 0; next = reader.next()) runs.push(...(next as HookRun[]));
    } finally {
      reader.close();
    }
    return runs.slice(-HOOKS);
  });
}

function eventsAbout(store: FileStore, pod: StoredPod): readonly StoredEvent[] {
  const { namespace, name } = pod.metadata;
  const events = orNone(() => store.list<StoredEvent>('events', { namespace, aboutPod: name }));
  return events.filter(({ involvedObject }) => involvedObject.uid === resolvedUid(pod));
}

function logTails(store: FileStore, pod: StoredPod): ReadonlyMap<string, LogTail> {
  const { namespace, name } = pod.metadata;
  const { logs } = store.paths(namespace, name);
  const tails = allContainerStatuses(pod.status).map((status): [string, LogTail] => {
    const tailOf = (run: number): string[] =>
      orNone(() => lastLogLines(instanceLogPath(logs, status.name, run), LINES));
    const lines = tailOf(status.restartCount);
    if (lines.length > 0 || status.restartCount === 0) return [status.name, { lines, isOfPreviousRun: false }];
    return [status.name, { lines: tailOf(status.restartCount - 1), isOfPreviousRun: true }];
  });
  return new Map(tails);
}

function orNone<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof PodrunError) return [];
    throw error;
  }
}
