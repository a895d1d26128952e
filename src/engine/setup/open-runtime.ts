import { type Clock, machineClock } from '../../clock.ts';
import { forgetDetection } from '../../runtime/linux/detection/cache.ts';
import { runtimeFolder } from '../../runtime/linux/detection/trial-folder.ts';
import { Namespaces } from '../../runtime/linux/namespaces.ts';
import type { PipeKind } from '../../runtime/pipes/process-pipes.ts';
import { ProcessRuntime } from '../../runtime/process-runtime.ts';
import type { FileStore } from '../../store/file-store.ts';
import { fifoFolder } from '../../store/base/layout.ts';
import type { AgentSettings } from '../../settings/agent-settings.ts';

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
