import { type Clock, machineClock } from '../../clock.ts';
import { forgetDetection, Namespaces, type PipeKind, ProcessRuntime, runtimeFolder } from '../../runtime/index.ts';
import { fifoFolder, type FileStore } from '../../store/index.ts';
import type { AgentSettings } from '../../settings/index.ts';

/** Opens the runtime with these features, for Pods of this store. */
export function openRuntime(
  store: FileStore,
  clock: Clock,
  { features, pollsMemory }: Pick<AgentSettings, 'features' | 'pollsMemory'>,
  pipes?: PipeKind,
): ProcessRuntime {
  const { namespaces: facts } = features;
  const commonDir = runtimeFolder(store.root);
  const onFailure = (): void => forgetDetection(store.root, 'namespaces');
  return new ProcessRuntime({
    clock,
    fifoDir: fifoFolder(store.root),
    features,
    confiner: facts && new Namespaces({ facts, clock: machineClock(clock), commonDir, onFailure }),
    pollsMemory,
    ...(pipes && { pipes }),
  });
}
