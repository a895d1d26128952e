import type { StoredEvent, WatchEvent } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { EventDraft } from '../../lifecycle/index.ts';
import { type KubeletState, nodeRecord, setKubeletState } from '../../settings/index.ts';
import type { Store } from '../../store/index.ts';
import { EventRecorder } from '../base/event-recorder.ts';

interface KubeletChange {
  readonly store: Store;
  readonly clock: Clock;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
}

/** Changes the state of the kubelet of a node, for a fault, and records the event of it. Nothing for a missing node. */
export function kubeletChanger({ store, clock, onEvent }: KubeletChange) {
  return (name: string, state: KubeletState, event: EventDraft): void => {
    const node = nodeRecord(store, name);
    if (node === undefined) return;
    new EventRecorder({ store, clock, onEvent }).recordOwn(node, event);
    setKubeletState(store, name, state);
  };
}
