import type { StoredPod } from '../../api/index.ts';
import { podNotices } from '../../kubelet/index.ts';
import { FIELD_HAS_NO_EFFECT } from '../../lifecycle/index.ts';
import { type AgentSettings, readOwnRights } from '../../settings/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { PlannedPod } from './open-runtime.ts';

/** The messages about fields of a planned Pod, or of a workload's template, that will have no effect. */
export interface IdleFields {
  readonly kind: string;
  readonly name: string;
  /** As of the events that the Pod gets; at least one. */
  readonly messages: readonly string[];
}

/** The fields without effect of Pods that an agent with these settings is about to run. */
export function idleFields(
  planned: readonly PlannedPod[],
  settings: AgentSettings,
  store: Pick<FileStore, 'recent'>,
): IdleFields[] {
  const rights = readOwnRights(settings.features);
  const hasNodes = (settings.nodes ?? []).length > 1;
  const place = { settings, store: store.recent, hasNodes, rights: () => rights };
  return planned.flatMap(({ kind, namespace, name, spec }): IdleFields[] => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name }, spec } as unknown as StoredPod;
    const events = podNotices(pod, place).filter(({ reason }) => reason === FIELD_HAS_NO_EFFECT);
    return events.length === 0 ? [] : [{ kind, name, messages: events.map(({ message }) => message) }];
  });
}
