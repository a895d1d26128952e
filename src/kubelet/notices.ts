import { allContainers, type StoredPod } from '../api/index.ts';
import {
  apiServerNotices,
  type EventDraft,
  fieldHasNoEffect,
  judgeSecurity,
  type OwnRights,
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
  /** The rights of this process. */
  readonly rights: () => OwnRights;
}

/** The events about parts of a Pod's spec that have no effect here: one for each. */
export function podNotices(pod: StoredPod, place: Place): EventDraft[] {
  const ofApiServer = hasApiServer(place.store) ? [] : apiServerNotices(pod);
  const { speed } = place.settings;
  const ofTime = speed === undefined ? [] : [timeIsFaster(speed)];
  return [...ofTime, ...fieldNotices(pod, place), ...securityNotices(pod, place), ...ofApiServer];
}

function fieldNotices(pod: StoredPod, { settings, store }: Place): EventDraft[] {
  const handler = runtimeHandlerOf(pod, settings, store);
  const type = handler.ok ? handler.type : settings.features.tier;
  const isolation = {
    hasNamespaces: type !== 'process',
    hasPodNetwork: settings.privateNetworks !== undefined,
    hasOciRuntime: type === 'oci',
  };
  return groupIgnoredFields({ ...pod }, isolation).map(fieldHasNoEffect);
}

/** The events about security settings that containers ask for and do not get. */
function securityNotices({ spec }: StoredPod, { settings: { isBestEffort }, rights }: Place): EventDraft[] {
  const paths = new Map<string, Set<string>>();
  for (const container of allContainers(spec)) {
    const { notices, refusals } = judgeSecurity(spec, container, rights());
    for (const { path, note } of isBestEffort ? [...refusals, ...notices] : notices) {
      const known = paths.get(note) ?? new Set();
      paths.set(note, known.add(path));
    }
  }
  return [...paths].map(([note, places]) => fieldHasNoEffect({ paths: [...places], note }));
}
