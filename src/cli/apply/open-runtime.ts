import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { Isolation } from '../../agent/confine.ts';
import type { Clock } from '../../clock.ts';
import type { RuntimeFeatures } from '../../runtime/features.ts';
import { ProcessRuntime } from '../../runtime/process-runtime.ts';
import type { FileStore } from '../../store/file-store.ts';

/** The runtime that has these features, for Pods of this store. */
export async function openRuntime(store: FileStore, clock: Clock, features: RuntimeFeatures): Promise<ProcessRuntime> {
  const { namespaces } = features;
  return new ProcessRuntime({
    clock,
    fifoDir: path.join(store.root, '.fifos'),
    features,
    confiner: namespaces && new (await import('../../runtime/namespace/namespaces.ts')).Namespaces({ facts: namespaces, clock }),
  });
}

/** How containers are kept apart by a runtime of these features; undefined: not at all. */
export function isolationOf({ namespaces }: RuntimeFeatures, isIsolated: boolean): Isolation | undefined {
  if (namespaces === undefined) return undefined;
  // Where people work, and where their tools expect to find each other's files.
  const shared = isIsolated ? [] : [process.cwd(), homedir(), '/tmp', tmpdir()];
  return { shared: shared.filter((place) => path.isAbsolute(place)), strictPid1: false };
}
