import { resolvedUid, type StoredEvent, type StoredPod, type WatchEvent } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { FileStore } from '../../store/index.ts';
import { type Agent, NodeReport, StaticPods } from '../../kubelet/index.ts';
import { requestDeletion } from '../../apiserver/index.ts';
import { beginRuns, type RunOwner, undoRuns } from './begin-runs.ts';

export interface StaticsOptions {
  /** The folder whose files are static Pods. */
  readonly folder: string;
  readonly store: FileStore;
  readonly clock: Clock;
  readonly agent: Agent;
  readonly owner: RunOwner;
  /** Called with each Pod, before it runs. */
  readonly onStarted: (pod: StoredPod, release: () => void) => void;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
  readonly onTrouble: (text: string) => void;
}

/** Watches the folder of static Pods, and runs them with an agent. */
export function openStatics(options: StaticsOptions): StaticPods {
  const { folder, store, clock, agent, owner, onStarted, onEvent, onTrouble } = options;
  const { name: nodeName } = agent.node;
  const report = new NodeReport({ store, clock, nodeName, onEvent });
  const statics = new StaticPods({
    place: folder,
    clock,
    nodeName,
    start: async ({ manifest }) => {
      const { owned, foreign } = await beginRuns(store, clock, [manifest], owner);
      for (const { object } of foreign) onTrouble(`pod/${object.metadata.name} runs in another podrun`);
      const [begun] = owned;
      if (begun === undefined) return undefined;
      if (!statics.isWatching) {
        undoRuns(store, owned);
        return undefined;
      }
      onStarted(begun.pod, begun.release);
      agent.run(begun.pod);
      return begun.pod;
    },
    end: (pod) => {
      const stored = store.get<StoredPod>('pods', pod.metadata.namespace, pod.metadata.name);
      if (stored === undefined || resolvedUid(stored) !== resolvedUid(pod)) return;
      requestDeletion(store, clock, stored, { propagation: 'Background', isOwned: true });
    },
    onProblem: (text) => {
      onTrouble(text);
      report.staticPodProblem(text);
    },
  });
  return statics;
}
