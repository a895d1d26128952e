import { readFileSync } from 'node:fs';
import path from 'node:path';
import { latestMomentIn, type RecordedRun } from '../../src/history/base/recorded-run.ts';
import type { StoredEvent, StoredPod, WatchEvent } from '../../src/api/base/objects.ts';

const TRACES = path.join(import.meta.dirname, '../golden/traces');

interface TraceLine extends WatchEvent<StoredPod | StoredEvent> {
  /** Seconds after the first line. */
  readonly t: number;
}

const known = new Map<string, readonly RecordedRun[]>();

/** The record of a real node's Pods of a scenario, in podrun's form, without probes and hooks. It is read once. */
export function recordedOnNode(scenario: string): readonly RecordedRun[] {
  const runs = known.get(scenario) ?? readRecord(scenario);
  known.set(scenario, runs);
  return runs;
}

function readRecord(scenario: string): RecordedRun[] {
  const text = readFileSync(path.join(TRACES, `${scenario}.ndjson`), 'utf8');
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TraceLine);
  // The time of the first line. No line was written before its timestamps, which have whole seconds.
  const began = Math.max(...lines.map(({ t, object }) => latestMomentIn(object) - t * 1000));
  const pods = lines.filter(({ type, object }) => type === 'ADDED' && object.kind === 'Pod');
  return pods.map(({ object: { metadata } }) => {
    const { namespace, name, uid } = metadata;
    const isOurs = ({ object }: TraceLine): boolean =>
      (object.kind === 'Pod' ? object.metadata.uid : object.involvedObject.uid) === uid;
    const transitions = lines.filter(isOurs).map(({ t, type, object }) => ({ at: began + t * 1000, type, object }));
    return { namespace, name, uid, transitions, probes: [], hooks: [] };
  });
}
