import { DEFAULT_NAMESPACE, type KubeObject, type RuntimeClass, type StoredPod } from '../../api/index.ts';
import { type HandlerOutcome, podHandler, type SourceRules } from '../../lifecycle/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import type { AgentSettings } from '../../settings/index.ts';

type HandlerSettings = Pick<AgentSettings, 'features' | 'imageSource' | 'runtimeHandlers'>;

/** The handler of the Pod's RuntimeClass, or the reason why this machine does not have it. */
export function runtimeHandlerOf(
  pod: StoredPod,
  { features, runtimeHandlers }: Pick<HandlerSettings, 'features' | 'runtimeHandlers'>,
  store: ObjectReader,
): HandlerOutcome {
  return podHandler(pod, {
    own: runtimeHandlers,
    tier: features.tier,
    classNamed: (name) => store.get<RuntimeClass & KubeObject>('runtimeclasses', DEFAULT_NAMESPACE, name),
  });
}

/** The rules for the sources of a Pod's containers: the rules of its handler come before the user's. */
export function podSourceRules(pod: StoredPod, settings: HandlerSettings, store: ObjectReader): SourceRules {
  const { imageSource, features } = settings;
  const handler = runtimeHandlerOf(pod, settings, store);
  if (!handler.ok) return { choice: imageSource, tier: features.tier };
  const tier = handler.type === 'oci' ? 'namespace' : handler.type;
  return { choice: handler.images ?? imageSource, tier };
}
