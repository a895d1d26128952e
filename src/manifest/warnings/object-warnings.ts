import {
  type KubeObject,
  labelMessages,
  type PersistentVolumeClaim,
  type Service,
  type StatefulSet,
} from '../../api/index.ts';
import { type Decoded, lookUp } from '../base/decoded.ts';
import { podIn } from '../base/pod-specs.ts';
import { nameOf } from '../validate/metadata.ts';
import { podWarnings } from './pod.ts';
import { fractionalBytes } from './resources.ts';

const OLD_TOPOLOGY = 'service.kubernetes.io/topology-aware-hints';

const TOPOLOGY = 'service.kubernetes.io/topology-mode';

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
    case 'Service':
      return serviceWarnings(object);
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

function claimWarnings({ spec }: Decoded<PersistentVolumeClaim>): string[] {
  return fractionalBytes('spec.resources', spec?.resources, ['storage']);
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
      lookUp(metadata?.annotations, OLD_TOPOLOGY) !== undefined,
      `annotation ${OLD_TOPOLOGY} is deprecated, please use ${TOPOLOGY} instead`,
    ],
    [isHeadless && Boolean(loadBalancerIP), 'spec.loadBalancerIP is ignored for headless services'],
    [isHeadless && hasExternalIPs, 'spec.externalIPs is ignored for headless services'],
    [isHeadless && sessionAffinity !== 'None', 'spec.SessionAffinity is ignored for headless services'],
    [type === 'ExternalName' && hasExternalIPs, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
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
