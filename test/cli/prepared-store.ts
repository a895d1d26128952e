import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { KubeObject, StoredEvent, StoredPod } from '../../src/api/base/objects.ts';
import { resourceTypeOf } from '../../src/api/resource-types.ts';
import { SystemClock } from '../../src/clock.ts';
import { localProcesses } from '../../src/runtime/watch/process-identity.ts';
import { FileStore } from '../../src/store/file-store.ts';
import { goldenEvents, goldenPods } from '../print/golden.ts';
import type { Workshop } from './workshop.ts';

/** The environment of the recordings. */
export const GOLDEN_ENV: Readonly<Record<string, string>> = { TZ: 'UTC', PODRUN_NOW: '2026-01-15T12:00:00Z' };

/** Opens the store of a workshop as its podrun does. */
export function storeOf({ stateDir }: Workshop): FileStore {
  return new FileStore({ root: stateDir, clock: new SystemClock(), processes: localProcesses });
}

/** Stores recorded Pods and their Events. No process runs them. */
export function putStates(store: FileStore, states: readonly string[]): void {
  for (const state of states) {
    for (const pod of goldenPods(state)) store.create<StoredPod>('pods', pod);
    for (const event of goldenEvents(state)) store.create<StoredEvent>('events', event);
  }
}

export function putObjects(store: FileStore, objects: readonly KubeObject[]): void {
  for (const object of objects) store.create(resourceTypeOf(object).plural, object);
}

/** A recorded command of kubectl with its outcome. */
export interface Recording {
  readonly name: string;
  readonly command: string;
  readonly state: readonly string[];
  readonly extra_objects?: readonly KubeObject[];
  readonly files?: Readonly<Record<string, string>>;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

const transcripts = path.join(import.meta.dirname, '../golden/transcripts');

/** The recordings with these names, in the order of the names. */
export function recordings(file: string, names: readonly string[]): Recording[] {
  const all = JSON.parse(readFileSync(path.join(transcripts, `${file}.json`), 'utf8')) as Recording[];
  return names.map((name) => {
    const found = all.find((recording) => recording.name === name);
    if (found === undefined) throw new Error(`no recording ${name} in ${file}.json`);
    return { ...found, stdout: withNamespaces(found.stdout) };
  });
}

/** The words of kubectl 1.34 about deleted objects. The recordings are of 1.32 and of the namespace `default`. */
export function withNamespaces(stdout: string): string {
  return stdout.replaceAll(/^(?:pod|configmap|\w+\.apps) ".*" (?:force )?deleted.*$/gm, '$& from default namespace');
}

/** The arguments for podrun. Handles quotes as a shell does. */
export function argumentsOf({ command }: Recording): string[] {
  return command.replaceAll("'", '').split(' ').slice(1);
}

/** Prepares the workshop as for the recording, and runs podrun. */
export async function replay(
  workshop: Workshop,
  recording: Recording,
): Promise<Pick<Recording, 'stdout' | 'stderr' | 'exit'>> {
  const store = storeOf(workshop);
  putStates(store, recording.state);
  putObjects(store, recording.extra_objects ?? []);
  for (const [name, text] of Object.entries(recording.files ?? {})) workshop.file(name, text);
  const { stdout, stderr, exitCode } = await workshop.run(argumentsOf(recording), GOLDEN_ENV);
  return { stdout, stderr, exit: exitCode };
}
