import { readNode } from '../settings/index.ts';
import type { Clock } from '../clock.ts';
import type { ManifestObject } from '../manifest/index.ts';
import type { FileStore } from '../store/index.ts';
import { recordFieldsWithoutEffect } from './base/record-fields-without-effect.ts';
import { recordReplacedAddress } from './services/record-replaced-address.ts';
import { storeRecord } from './store-record.ts';

interface Keeping {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The word for a new object. */
  readonly made?: string | undefined;
  /** Receives the warnings of an API server about the change. */
  readonly warn: (text: string) => void;
  /** Receives a sentence for each value that has no effect here, or another one. An Event records it as well. */
  readonly trouble: (text: string) => void;
}

/**
 * Stores an object of a run that needs no agent, and returns kubectl's line about it.
 * @throws {PodrunError} when the rules for updates forbid the change
 */
export function keepRecord(record: ManifestObject, { store, clock, made, warn, trouble }: Keeping): string {
  const line = storeRecord(store, record, warn, made);
  const context = { store, clock, nodeName: readNode({ storageDir: store.root }).name, warn: trouble };
  recordReplacedAddress(record.object, context);
  recordFieldsWithoutEffect(record.object, context);
  return line;
}
