import {
  type Ingress,
  type KubeObject,
  labelMessages,
  type NetworkPolicy,
  ownValue,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Service,
  type StatefulSet,
} from '../../api/index.ts';
import { type Decoded } from '../base/decoded.ts';
import { podIn } from '../base/pod-specs.ts';
import { canonicalCidr } from '../validate/ip.ts';
import { nameOf } from '../validate/metadata.ts';
import { podWarnings } from './pod.ts';
import { fractionalBytes } from './resources.ts';

const OLD_TOPOLOGY = 'service.kubernetes.io/topology-aware-hints';

const TOPOLOGY = 'service.kubernetes.io/topology-mode';

const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';
const CLASS_ADVICE = 'deprecated since v1.8; use "storageClassName" attribute instead';
const OLD_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
const OPTIONS_ADVICE = 'deprecated since v1.31; use "mountOptions" attribute instead';

/** Kinds whose name becomes a part of host names. */
const NAMES_PODS: ReadonlySet<string> = new Set([
  'Job',
  'CronJob',
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
]);

/**
 * The warnings of the API server, word for word. kubectl prints each after `Warning: `.
 * @param object defaulted and valid
 */
export function warningsFor(object: KubeObject): string[] {
  const pod = podIn(object);
  return [...nameWarnings(object), ...(pod === undefined ? [] : podWarnings(pod)), ...kindWarnings(object)];
}

function nameWarnings({ kind, metadata }: KubeObject): string[] {
  const isPod = kind === 'Pod';
  if (!isPod && !NAMES_PODS.has(kind)) return [];
  const messages = labelMessages(nameOf(metadata));
  if (messages.length === 0) return [];
  const use = isPod ? "this is used in the Pod's hostname" : 'this is used in Pod names and hostnames';
  const advice = 'which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: ${use}, ${advice}: [${messages.join(' ')}]`];
}

function kindWarnings(object: Decoded<KubeObject>): string[] {
  switch (object.kind) {
    case 'Endpoints':
      return [ENDPOINTS_DEPRECATED];
    case 'Ingress':
      return ingressWarnings(object);
    case 'NetworkPolicy':
      return networkPolicyWarnings(object);
    case 'Service':
      return serviceWarnings(object);
    case 'PersistentVolume':
      return volumeWarnings(object);
    case 'PersistentVolumeClaim':
      return claimWarnings(object);
    case 'StatefulSet':
      return historyWarnings(object);
    case undefined:
    default:
      return [];
  }
}

/** Source: staging/src/k8s.io/api/core/v1/zz_generated.prerelease-lifecycle.go, as the API server words it. */
export const ENDPOINTS_DEPRECATED = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** Source: pkg/registry/networking/ingress/strategy.go, WarningsOnCreate. */
function ingressWarnings({ metadata, spec }: Decoded<Ingress>): string[] {
  const isOld = ownValue(metadata?.annotations, CLASS_ANNOTATION) !== undefined && spec?.ingressClassName === undefined;
  return isOld ? [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`] : [];
}

/** Source: pkg/registry/networking/networkpolicy/strategy.go, networkPolicyWarnings. */
function networkPolicyWarnings({ spec = {} }: Decoded<NetworkPolicy>): string[] {
  const peers = [
    ...(spec.ingress ?? []).flatMap(({ from = [] }, rule) => withPaths(`spec.ingress[${rule}].from`, from)),
    ...(spec.egress ?? []).flatMap(({ to = [] }, rule) => withPaths(`spec.egress[${rule}].to`, to)),
  ];
  return peers.flatMap(([path, { ipBlock }]) => [
    ...cidrWarnings(`${path}.ipBlock.cidr`, ipBlock?.cidr ?? ''),
    ...withPaths(`${path}.ipBlock.except`, ipBlock?.except ?? []).flatMap(([at, cidr]) => cidrWarnings(at, cidr)),
  ]);
}

function withPaths<T>(path: string, items: readonly T[]): [path: string, item: T][] {
  return items.map((each, index) => [`${path}[${index}]`, each]);
}

/** The other unusual forms are errors. Source: apimachinery/pkg/util/validation/ip.go, GetWarningsForCIDR. */
function cidrWarnings(path: string, cidr: string): string[] {
  const canonical = cidr.includes(':') ? canonicalCidr(cidr) : cidr;
  if (cidr === canonical) return [];
  return [`${path}: IPv6 CIDR value "${cidr}" should be in RFC 5952 canonical format ("${canonical}")`];
}

function claimWarnings({ metadata, spec }: Decoded<PersistentVolumeClaim>): string[] {
  return [
    ...oldAnnotations(metadata?.annotations, { [OLD_CLASS]: CLASS_ADVICE }),
    ...fractionalBytes('spec.resources', spec?.resources, ['storage']),
  ];
}

/** Source: pkg/api/persistentvolume/util.go, warningsForPersistentVolume. */
function volumeWarnings({ metadata, spec }: Decoded<PersistentVolume>): string[] {
  const recycled = 'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic';
  return [
    ...oldAnnotations(metadata?.annotations, { [OLD_CLASS]: CLASS_ADVICE, [OLD_OPTIONS]: OPTIONS_ADVICE }),
    ...(spec?.persistentVolumeReclaimPolicy === 'Recycle'
      ? [`spec.persistentVolumeReclaimPolicy: ${recycled} provisioning.`]
      : []),
  ];
}

function oldAnnotations(
  annotations: Readonly<Record<string, string | undefined>> | undefined,
  advice: Readonly<Record<string, string>>,
): string[] {
  const present = Object.entries(advice).filter(([name]) => ownValue(annotations, name) !== undefined);
  return present.map(([name, text]) => `metadata.annotations[${name}]: ${text}`);
}

function historyWarnings({ spec }: Decoded<StatefulSet>): string[] {
  const isNegative = (spec?.revisionHistoryLimit ?? 0) < 0;
  const text = 'a negative value retains all historical revisions; a value >= 0 is recommended';
  return isNegative ? [`spec.revisionHistoryLimit: ${text}`] : [];
}

/** Settings of a Service that have no effect. Source: pkg/api/service/warnings.go. */
function serviceWarnings({ metadata, spec = {} }: Decoded<Service>): string[] {
  const { type, externalName, loadBalancerIP, sessionAffinity, trafficDistribution } = spec;
  const hasExternalIPs = (spec.externalIPs ?? []).length > 0;
  const isHeadless = type === 'ClusterIP' && spec.clusterIP === 'None';
  const rules: readonly (readonly [boolean, string])[] = [
    [
      ownValue(metadata?.annotations, OLD_TOPOLOGY) !== undefined,
      `annotation ${OLD_TOPOLOGY} is deprecated, please use ${TOPOLOGY} instead`,
    ],
    [isHeadless && Boolean(loadBalancerIP), 'spec.loadBalancerIP is ignored for headless services'],
    [isHeadless && hasExternalIPs, 'spec.externalIPs is ignored for headless services'],
    [isHeadless && sessionAffinity !== 'None', 'spec.SessionAffinity is ignored for headless services'],
    [type === 'ExternalName' && hasExternalIPs, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
    [hasExternalIPs, 'spec.externalIPs is deprecated and may no longer be implemented in some clusters'],
    [
      type !== 'ExternalName' && Boolean(externalName),
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
    [
      trafficDistribution === 'PreferClose',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ];
  return rules.filter(([applies]) => applies).map(([, text]) => text);
}
