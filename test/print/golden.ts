import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredEvent, StoredPod, WatchEvent } from '../../src/api/base/objects.ts';

const folder = join(import.meta.dirname, '../golden');

/** The time at which all outputs were recorded. */
export const GOLDEN_NOW_MS: number = Date.parse('2026-01-15T12:00:00Z');

/** Names of the recorded Pod states: one folder each. */
export const goldenStates: readonly string[] = readdirSync(folder, { withFileTypes: true })
  .filter(
    (entry) => entry.isDirectory() && !['traces', 'traces-workloads', 'transcripts', 'workloads'].includes(entry.name),
  )
  .map(({ name }) => name);

/** The output of kubectl for a state. */
export function goldenText(state: string, file: string): string {
  const text = readFileSync(join(folder, state, file), 'utf8');
  return file === 'describe.txt' ? withFieldPaths(text, goldenEvents(state)) : text;
}

/**
 * The output of `describe` of kubectl 1.32 in the words of 1.35: the message of an event begins with the part of the
 * object that it is about. Events with the same message are about the same part, in their order.
 */
function withFieldPaths(text: string, events: readonly StoredEvent[]): string {
  const [object = '', table] = text.split(/^(?=Events: *\n)/m);
  if (table === undefined || table.includes('\nName: ')) return text;
  const left = [...events];
  const lines = table.split('\n').map((row) => {
    const isOf = ({ reason = '', message = '' }: StoredEvent): boolean =>
      row.includes(` ${reason} `) && row.endsWith(`  ${message.trim().split('\n')[0]}`);
    const event = left.find(isOf);
    if (event === undefined) return row;
    left.splice(left.indexOf(event), 1);
    const { fieldPath } = event.involvedObject;
    if (!fieldPath) return row;
    const message = event.message?.trim().split('\n')[0] ?? '';
    return `${row.slice(0, row.length - message.length)}${fieldPath}: ${message}`;
  });
  return object + lines.join('\n');
}

/** The Pods of a state, in the order of their names. */
export function goldenPods(state: string): StoredPod[] {
  const object = JSON.parse(goldenText(state, 'pod.json')) as StoredPod & { items?: StoredPod[] };
  return object.items ?? [object];
}

/** The Events of a state, in the order in which the API server lists them. */
export function goldenEvents(state: string): StoredEvent[] {
  return (JSON.parse(goldenText(state, 'events.json')) as { items: StoredEvent[] }).items;
}

/** A recorded command with its output. */
export interface Transcript {
  readonly name: string;
  readonly command: string;
  readonly state: readonly string[];
  readonly stdout: string;
  readonly changes?: ReadonlyArray<{ readonly objects?: readonly StoredPod[]; readonly delete?: unknown }>;
}

export function transcript(file: string, name: string): Transcript {
  const all = JSON.parse(readFileSync(join(folder, 'transcripts', `${file}.json`), 'utf8')) as Transcript[];
  const found = all.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`no transcript ${name} in ${file}.json`);
  return found;
}

/** A line of a recorded run: `t` in seconds since its first one. */
export type TraceLine = WatchEvent<StoredPod | StoredEvent> & { readonly t: number };

/** Names of the recorded runs. */
export const traceNames: readonly string[] = readdirSync(join(folder, 'traces'))
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => file.replace('.ndjson', ''));

export function trace(scenario: string): TraceLine[] {
  return readFileSync(join(folder, 'traces', `${scenario}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as TraceLine);
}
