import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { resourceTypeOf } from '../../../src/api/resource-types.ts';
import { isWorkload } from '../../../src/api/workloads/stored-workloads.ts';
import { putObjects, storeOf } from '../prepared-store.ts';
import type { Workshop } from '../workshop.ts';

const golden = path.join(import.meta.dirname, '../../golden/workloads');

/** A recorded command of kubectl with its outcome. */
export interface RecordedRollout {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

function jsonOf<T>(state: string, file: string): T {
  return JSON.parse(readFileSync(path.join(golden, state, file), 'utf8')) as T;
}

/** The recorded objects of a state. */
export function objectsOf(state: string): readonly KubeObject[] {
  return jsonOf<{ readonly items: readonly KubeObject[] }>(state, 'objects.json').items;
}

export function rolloutsOf(state: string): readonly RecordedRollout[] {
  return jsonOf<readonly RecordedRollout[]>(state, 'rollout.json');
}

const LEFT_OUT: ReadonlySet<string> = new Set(['EndpointSlice', 'Pod']);

/** Stores the recorded workloads of a state, but no Pods. This process counts as their agent, and never acts. */
export function putWorkloads(workshop: Workshop, state: string): void {
  const store = storeOf(workshop);
  putRestingWorkloads(workshop, state);
  for (const object of objectsOf(state).filter(isWorkload)) {
    const { namespace, name } = object.metadata;
    store.owners.claim(resourceTypeOf(object).plural, { namespace, name });
  }
}

/** The same without an agent. */
export function putRestingWorkloads(workshop: Workshop, state: string): void {
  putObjects(
    storeOf(workshop),
    objectsOf(state).filter(({ kind }) => !LEFT_OUT.has(kind)),
  );
}
