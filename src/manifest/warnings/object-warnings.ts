import { labelMessages } from '../../api/names.ts';
import type { PersistentVolumeClaim, StatefulSet } from '../../api/generated/types.ts';
import type { KubeObject } from '../../api/objects.ts';
import type { Decoded } from '../base/decoded.ts';
import { podIn } from '../base/pod-specs.ts';
import { nameOf } from '../validate/metadata.ts';
import { podWarnings } from './pod.ts';
import { fractionalBytes } from './resources.ts';
import { serviceWarnings } from './service.ts';

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
