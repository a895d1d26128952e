import path from 'node:path';
import type { Clock } from '../../clock.ts';
import type { RuntimeFeatures } from '../../runtime/features.ts';
import { ProcessRuntime } from '../../runtime/process-runtime.ts';
import type { FileStore } from '../../store/file-store.ts';

/** The runtime that has these features, for Pods of this store. */
export async function openRuntime(store: FileStore, clock: Clock, features: RuntimeFeatures): Promise<ProcessRuntime> {
  const { namespaces: facts } = features;
  // Only who keeps containers apart needs to know how.
  const confiner = facts && new (await import('../../runtime/namespace/namespaces.ts')).Namespaces({ facts, clock });
  return new ProcessRuntime({ clock, fifoDir: path.join(store.root, '.fifos'), features, confiner });
}
