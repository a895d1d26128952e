import { allContainers, type StoredPod } from '../api/index.ts';
import {
  apiServerNotices,
  type EventDraft,
  fieldHasNoEffect,
  judgeSecurity,
  type OwnRights,
  type RuntimeHandler,
  timeIsFaster,
} from '../lifecycle/index.ts';
import { groupIgnoredFields } from '../manifest/index.ts';
import type { AgentSettings } from '../settings/index.ts';
import type { ObjectReader } from '../store/index.ts';
import { runtimeHandlerOf } from '../images/index.ts';
import { hasApiServer } from '../apiserver/index.ts';

interface Place {
  readonly settings: AgentSettings;
  readonly store: ObjectReader;
  /** True where the Pod may run on several nodes. */
  readonly hasNodes: boolean;
  /** The rights of this process. */
  readonly rights: () => OwnRights;
}

/** The events about parts of a Pod's spec that have no effect here: one for each. */
export function podNotices(pod: StoredPod, place: Place): EventDraft[] {
  const ofApiServer = hasApiServer(place.store) ? [] : apiServerNotices(pod);
  const { speed } = place.settings;
  const ofTime = speed === undefined ? [] : [timeIsFaster(speed)];
  const handler = runtimeHandlerOf(pod, place.settings, place.store);
  const type = handler.ok ? handler.type : place.settings.features.tier;
  return [...ofTime, ...fieldNotices(pod, type, place), ...securityNotices(pod, type, place), ...ofApiServer];
}

type HandlerType = RuntimeHandler['type'];

function fieldNotices(pod: StoredPod, type: HandlerType, { settings, hasNodes }: Place): EventDraft[] {
  const isolation = {
    hasNamespaces: type !== 'process',
    hasPodNetwork: settings.privateNetworks !== undefined,
    hasNodes,
  };
  return groupIgnoredFields({ ...pod }, isolation).map(fieldHasNoEffect);
}

/** The events about security settings that containers ask for and do not get. */
function securityNotices({ spec }: StoredPod, type: HandlerType, { settings, rights }: Place): EventDraft[] {
  const { isBestEffort } = settings;
  const paths = new Map<string, Set<string>>();
  // OCI runtimes load filters themselves.
  const own = type === 'oci' ? { ...rights(), canFilterCalls: true } : rights();
  for (const container of allContainers(spec)) {
    const { notices, refusals } = judgeSecurity(spec, container, own);
    for (const { path, note } of isBestEffort ? [...refusals, ...notices] : notices) {
      const known = paths.get(note) ?? new Set();
      paths.set(note, known.add(path));
    }
  }
  return [...paths].map(([note, places]) => fieldHasNoEffect({ paths: [...places], note }));
}
