import { fromServer, goQuote, type KubeObject, type Pod, type PodrunError } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, omit } from '../default/fill.ts';
import { type FieldError, forbidden } from '../base/field-error.ts';
import { validateAnyPod } from '../validate/pod.ts';
import { resizedPod, validatePodResize } from './pod-resize.ts';
import { validatePodStatusUpdate } from './pod-status.ts';
import { describeDifferences } from './differences.ts';
import { isSameValue } from './same-value.ts';

/** Containers for debugging a running Pod (KEP-277), through the subresource `ephemeralcontainers`. */

const PATH = 'spec.ephemeralContainers';

const TYPE = 'EphemeralContainer';

export type Subresource = 'status' | 'resize' | 'ephemeralcontainers';

/** The rules of a change through a subresource. */
interface SubresourceRules {
  /** Puts the part that the subresource covers into the stored object. */
  readonly prepare: (stored: KubeObject, changed: KubeObject) => KubeObject;
  readonly validate: (stored: KubeObject, prepared: KubeObject) => FieldError[];
}

interface PodRules {
  readonly prepare: (stored: Decoded<Pod>, changed: Decoded<Pod>) => Decoded<Pod>;
  readonly validate: (stored: Decoded<Pod>, prepared: Decoded<Pod>) => FieldError[];
}

const WITHOUT_STATUS: ReadonlySet<string> = new Set(['ConfigMap', 'Secret', 'ServiceAccount']);

const OF_PODS: Readonly<Record<Subresource, PodRules>> = {
  status: { prepare: withPodStatus, validate: validatePodStatusUpdate },
  resize: {
    prepare: resizedPod,
    validate: (stored, pod) => [...validateAnyPod(pod), ...validatePodResize(stored, pod)],
  },
  ephemeralcontainers: {
    prepare: podWithEphemeralContainers,
    validate: (stored, pod) => [...validateAnyPod(pod), ...validateEphemeralContainersUpdate(stored, pod)],
  },
};

/** @throws PodrunError when the kind has no such subresource */
export function subresourceRules(kind: string, subresource: Subresource): SubresourceRules {
  if (kind === 'Pod') return OF_PODS[subresource] as SubresourceRules;
  if (subresource === 'status' && !WITHOUT_STATUS.has(kind)) return { prepare: withStatus, validate: () => [] };
  throw noSuchSubresource();
}

/** The API server's error about a subresource that a kind does not have. */
export function noSuchSubresource(): PodrunError {
  return fromServer('NotFound', 'the server could not find the requested resource');
}

/** The metadata is written with the status. Source: the strategies of `status` in pkg/registry. */
function withStatus(stored: KubeObject, changed: KubeObject): KubeObject {
  return { ...stored, metadata: changed.metadata, status: changed['status'] ?? {} };
}

/**
 * Keeps the QoS class of a Pod, and gives conditions null for missing times, as on a node.
 * Source: pkg/registry/core/pod/strategy.go, podStatusStrategy.
 */
function withPodStatus(stored: Decoded<Pod>, changed: Decoded<Pod>): Decoded<Pod> {
  const qosClass = changed.status?.qosClass ?? stored.status?.qosClass;
  const status = changeFields(changed.status ?? {}, {
    conditions: (conditions) =>
      conditions.map((condition) => ({ lastProbeTime: null, lastTransitionTime: null, ...condition })),
  });
  return {
    ...stored,
    metadata: changed.metadata,
    status: { ...status, ...(qosClass === undefined ? {} : { qosClass }) },
  };
}

/** The stored Pod with the ephemeral containers of the changed one. Drops all other changes. */
function podWithEphemeralContainers(stored: Decoded<Pod>, changed: Decoded<Pod>): Decoded<Pod> {
  const { ephemeralContainers } = changed.spec ?? {};
  const rest = omit(stored.spec ?? {}, ['ephemeralContainers']);
  return { ...stored, spec: ephemeralContainers === undefined ? rest : { ...rest, ephemeralContainers } };
}

/**
 * Allows only added ephemeral containers.
 * Source: pkg/apis/core/validation/validation.go, ValidatePodEphemeralContainersUpdate.
 */
function validateEphemeralContainersUpdate(stored: Decoded<Pod>, changed: Decoded<Pod>): FieldError[] {
  const present = changed.spec?.ephemeralContainers ?? [];
  return (stored.spec?.ephemeralContainers ?? []).flatMap((before) => {
    const subject = `existing ephemeral containers ${goQuote(before.name ?? '')}`;
    const index = present.findIndex(({ name }) => name === before.name);
    const after = present[index];
    if (after === undefined) return [forbidden(PATH, `${subject} may not be removed`)];
    if (isSameValue(before, after, TYPE)) return [];
    const differences = describeDifferences(`${PATH}[${index}]`, before, after, TYPE);
    return [forbidden(PATH, `${subject} may not be changed\n${differences}`)];
  });
}
