import type { Clock } from '../clock.ts';
import type { NamespaceFacts } from '../runtime/features.ts';
import type { Namespaces } from '../runtime/namespace/namespaces.ts';
import type { PipeKind } from '../runtime/process-pipes.ts';
import { ProcessRuntime } from '../runtime/process-runtime.ts';
import type { FileStore } from '../store/file-store.ts';
import { fifoFolder } from '../store/layout.ts';
import type { AgentSettings } from './make-agent.ts';

/** The runtime that has these features, for Pods of this store. */
export async function openRuntime(
  store: FileStore,
  clock: Clock,
  { features, pollsMemory }: Pick<AgentSettings, 'features' | 'pollsMemory'>,
  pipes?: PipeKind,
): Promise<ProcessRuntime> {
  const { namespaces: facts } = features;
  const confiner = facts && (await openNamespaces(store.root, clock, facts));
  return new ProcessRuntime({
    clock,
    fifoDir: fifoFolder(store.root),
    features,
    confiner,
    pollsMemory,
    ...(pipes && { pipes }),
  });
}

/** Only who keeps containers apart needs to know how. */
async function openNamespaces(stateDir: string, clock: Clock, facts: NamespaceFacts): Promise<Namespaces> {
  const [{ Namespaces }, { forgetNamespaces }, { runtimeFolder }] = await Promise.all([
    import('../runtime/namespace/namespaces.ts'),
    import('../runtime/detection/cache.ts'),
    import('../runtime/detection/trial-folder.ts'),
  ]);
  const commonDir = runtimeFolder(stateDir);
  return new Namespaces({ facts, clock, commonDir, onFailure: () => forgetNamespaces(stateDir) });
}
