import {
  type ContainerStatus,
  fromServer,
  goQuote,
  type KubeObject,
  type LoadBalancerIngress,
  type Namespace,
  type Pod,
  type PodrunError,
  qualifiedNameMessages,
  resetFields,
  type Service,
  subdomainMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import { omit } from '../default/fill.ts';
import { each, wellFormed, wellFormedIfSet } from '../validate/checks.ts';
import { validateObject } from '../validate/index.ts';
import { ipFamily, validateIp } from '../validate/ip.ts';
import { validateAnyPod } from '../validate/pod.ts';
import { describeDifferences, immutable, isSameValue } from './differences.ts';
import { withManagersOf } from './metadata.ts';
import { resizedPod, validatePodResize } from './pod-resize.ts';

/** Containers for debugging a running Pod (KEP-277), through the subresource `ephemeralcontainers`. */
const PATH = 'spec.ephemeralContainers';

const TYPE = 'EphemeralContainer';

type PodSubresource = 'status' | 'resize' | 'ephemeralcontainers';

export type Subresource = PodSubresource | 'finalize';

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

const SYSTEM_CONDITIONS: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized']);

/** The path of conditions in messages, as upstream. The right one would be below `status`. */
const CONDITIONS = 'metadata.conditions';

const OF_PODS: Readonly<Record<PodSubresource, PodRules>> = {
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
  if (kind === 'Namespace' && subresource === 'finalize')
    return { prepare: finalized, validate: (_stored, prepared) => validateObject(prepared) };
  if (kind === 'Pod' && subresource !== 'finalize') return OF_PODS[subresource] as SubresourceRules;
  if (subresource === 'status' && !WITHOUT_STATUS.has(kind)) {
    return { prepare: withStatus, validate: validateStatusUpdate };
  }
  throw noSuchSubresource();
}

/** The finalizers of a Namespace alone. Source: pkg/registry/core/namespace/strategy.go, namespaceFinalizeStrategy. */
function finalized(stored: KubeObject, { metadata, spec }: KubeObject & { readonly spec?: unknown }): KubeObject {
  return { ...stored, metadata, spec };
}

/** The API server's error about a subresource that a kind does not have. */
export function noSuchSubresource(): PodrunError {
  return fromServer('NotFound', 'the server could not find the requested resource');
}

/** The metadata is written with the status, but for what a kind resets. */
function withStatus(stored: KubeObject, changed: KubeObject): KubeObject {
  const reset = resetFields(stored.kind, 'status', true).filter(([root]) => root === 'metadata');
  const fields = reset.flatMap(([, field]) => field ?? []);
  const isAll = reset.some((path) => path.length === 1);
  const kept = Object.entries(stored.metadata).filter(([name]) => fields.includes(name));
  const metadata = isAll
    ? withManagersOf(stored.metadata, changed.metadata)
    : { ...omit(changed.metadata, fields as (keyof KubeObject['metadata'])[]), ...Object.fromEntries(kept) };
  return { ...stored, metadata, status: changed['status'] ?? {} };
}

/**
 * Keeps the QoS class of a Pod.
 * Source: pkg/registry/core/pod/strategy.go, podStatusStrategy.
 */
function withPodStatus(stored: Decoded<Pod>, changed: Decoded<Pod>): Decoded<Pod> {
  const qosClass = changed.status?.qosClass ?? stored.status?.qosClass;
  return {
    ...stored,
    metadata: changed.metadata,
    status: { ...changed.status, ...(qosClass === undefined ? {} : { qosClass }) },
  };
}

/** The stored Pod with the ephemeral containers of the changed one. Drops all other changes. */
function podWithEphemeralContainers(stored: Decoded<Pod>, changed: Decoded<Pod>): Decoded<Pod> {
  const { ephemeralContainers } = changed.spec ?? {};
  const rest = omit(stored.spec ?? {}, ['ephemeralContainers']);
  const metadata = withManagersOf(stored.metadata, changed.metadata);
  return { ...stored, metadata, spec: ephemeralContainers === undefined ? rest : { ...rest, ephemeralContainers } };
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

type StatusValidator = (stored: Decoded<KubeObject>, changed: Decoded<KubeObject>) => FieldError[];

const VALIDATORS: ReadonlyMap<string, StatusValidator> = new Map(
  Object.entries<StatusValidator>({ Namespace: validateNamespaceStatus, Service: validateServiceStatus }),
);

/**
 * All mistakes of a status that a client writes. Source: pkg/apis/core/validation/validation.go,
 * Validate…StatusUpdate.
 */
function validateStatusUpdate(stored: KubeObject, changed: KubeObject): FieldError[] {
  return VALIDATORS.get(stored.kind)?.(stored, changed) ?? [];
}

function validateNamespaceStatus(_stored: Decoded<Namespace>, { metadata, status }: Decoded<Namespace>): FieldError[] {
  const isDeleted = metadata?.deletionTimestamp !== undefined;
  const [wanted, why] = isDeleted ? ['Terminating', 'is not empty'] : ['Active', 'is empty'];
  const phase = status?.phase ?? '';
  if (phase === wanted) return [];
  return [invalid('status.Phase', phase, `may only be '${wanted}' if \`deletionTimestamp\` ${why}`)];
}

const MODES: readonly string[] = ['Proxy', 'VIP'];

function validateServiceStatus(_stored: Decoded<Service>, { spec, status }: Decoded<Service>): FieldError[] {
  const path = 'status.loadBalancer.ingress';
  const ingress = status?.loadBalancer?.ingress ?? [];
  if (spec?.type === 'LoadBalancer') return each(path, ingress, validateIngress);
  return ingress.length === 0 ? [] : [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
}

function validateIngress({ ip, ipMode, hostname }: Decoded<LoadBalancerIngress>, path: string): FieldError[] {
  const [modePath, namePath] = [child(path, 'ipMode'), child(path, 'hostname')];
  const ofMode =
    ipMode === undefined
      ? ip && required(modePath, 'must be specified when `ip` is set')
      : !ip
        ? forbidden(modePath, 'may not be specified when `ip` is not set')
        : !MODES.includes(ipMode) && notSupported(modePath, ipMode, MODES);
  const isAddress = hostname !== undefined && hostname !== '' && ipFamily(hostname) !== undefined;
  return [
    ...(ip ? validateIp(child(path, 'ip'), ip) : []),
    ...(ofMode ? [ofMode] : []),
    ...wellFormedIfSet(namePath, hostname, subdomainMessages),
    ...(isAddress ? [invalid(namePath, hostname, 'must be a DNS name, not an IP address')] : []),
  ];
}

type Statuses = readonly Decoded<ContainerStatus>[] | undefined;

/**
 * Validates a change of a Pod's status through the subresource `status`.
 * Source: pkg/apis/core/validation/validation.go, ValidatePodStatusUpdate.
 */
function validatePodStatusUpdate(stored: Decoded<Pod>, changed: Decoded<Pod>): FieldError[] {
  const [before, after] = [stored.status ?? {}, changed.status ?? {}];
  const { restartPolicy, initContainers = [] } = stored.spec ?? {};
  const sidecars = new Set(
    initContainers.flatMap((container) => (container.restartPolicy === 'Always' ? [container.name] : [])),
  );
  const isRestarted: Judge = (_name, exitCode) =>
    restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
  const isInitRestarted: Judge = (name, exitCode) => sidecars.has(name) || isRestarted(name, exitCode);
  return [
    ...each(CONDITIONS, after.conditions, ({ type = '' }, at) =>
      SYSTEM_CONDITIONS.has(type) ? [] : wellFormed(child(at, 'Type'), type, qualifiedNameMessages),
    ),
    ...immutable('status.qosClass', before.qosClass, after.qosClass, 'string'),
    ...validateEnded('status.containerStatuses', before.containerStatuses, after.containerStatuses, isRestarted),
    ...validateEnded(
      'status.initContainerStatuses',
      before.initContainerStatuses,
      after.initContainerStatuses,
      isInitRestarted,
    ),
    ...validateEnded(
      'status.ephemeralContainerStatuses',
      before.ephemeralContainerStatuses,
      after.ephemeralContainerStatuses,
      () => false,
    ),
  ];
}

/** Tells whether a container with this exit code is restarted. */
type Judge = (name: string | undefined, exitCode: number | undefined) => boolean;

/** Refuses changes of a container that has ended and is not restarted. */
function validateEnded(path: string, before: Statuses, after: Statuses, isRestarted: Judge): FieldError[] {
  return each(path, before, ({ name, state }, at) => {
    const ended = state?.terminated;
    if (ended === undefined || isRestarted(name, ended.exitCode)) return [];
    const isBack = (after ?? []).some((status) => status.name === name && status.state?.terminated === undefined);
    return isBack ? [forbidden(child(at, 'state'), 'may not be transitioned to non-terminated state')] : [];
  });
}
