import { AUTOSCALERS_CONVERSION } from './autoscalers-conversion.ts';
import { clusterWide, served, status, STORED_VERBS, withStatus } from './resource-entries.ts';
import type { Conversion, ServedResource } from './served-resource.ts';
import type { Event, KubeObject } from '../../api/index.ts';
import { type Decoded, validateStrictEvent, validateStrictEventUpdate } from '../../manifest/index.ts';

const GROUP_VERSION = 'events.k8s.io/v1';

/**
 * The fields of an Event of the group events.k8s.io, and their names in the core group. Source:
 * pkg/apis/events/v1/conversion.go.
 */
const NAMES: ReadonlyArray<readonly [string, string]> = [
  ['note', 'message'],
  ['regarding', 'involvedObject'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

/** Events of the two groups are the same objects. */
const EVENTS_CONVERSION: Conversion = {
  shown: (event) => renamed(event, GROUP_VERSION, new Map(NAMES.map(([own, core]) => [core, own]))),
  stored: (event) => renamed(event, 'v1', new Map(NAMES)),
  errors: (event: Decoded<Event>, before: Decoded<Event> | undefined) =>
    before === undefined ? validateStrictEvent(event) : validateStrictEventUpdate(before, event),
};

const AUTOSCALING = 'podrun has no autoscaler';
const DEVICES = 'podrun allocates no devices';
const DRIVERS = 'podrun runs no CSI drivers';
const CERTIFICATES = 'podrun signs no certificates';

const AGGREGATION = 'podrun passes no requests on to other API servers';
const FLOWS = 'podrun does not queue requests by priority';

const FLOWCONTROL = 'flowcontrol.apiserver.k8s.io/v1';
const STORAGE = 'storage.k8s.io/v1';
const RESOURCE = 'resource.k8s.io/v1';
const APPROVAL = { name: 'approval', kind: 'CertificateSigningRequest', verbs: ['get', 'patch', 'update'] };

/** Kinds that clients write and read, without a controller. */
export const STORED_ONLY: readonly ServedResource[] = [
  clusterWide('apiregistration.k8s.io/v1', 'APIService', 'apiservices', {
    ...withStatus('APIService'),
    categories: ['api-extensions'],
    noEffect: AGGREGATION,
  }),
  clusterWide(FLOWCONTROL, 'FlowSchema', 'flowschemas', { ...withStatus('FlowSchema'), noEffect: FLOWS }),
  clusterWide(FLOWCONTROL, 'PriorityLevelConfiguration', 'prioritylevelconfigurations', {
    ...withStatus('PriorityLevelConfiguration'),
    noEffect: FLOWS,
  }),
  served('autoscaling/v1', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    ...withStatus('HorizontalPodAutoscaler'),
    conversion: AUTOSCALERS_CONVERSION,
    shortNames: ['hpa'],
    categories: ['all'],
    noEffect: AUTOSCALING,
  }),
  served('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    ...withStatus('HorizontalPodAutoscaler'),
    shortNames: ['hpa'],
    categories: ['all'],
    noEffect: AUTOSCALING,
  }),
  clusterWide('certificates.k8s.io/v1', 'CertificateSigningRequest', 'certificatesigningrequests', {
    shortNames: ['csr'],
    subresources: [APPROVAL, status('CertificateSigningRequest')],
    noEffect: CERTIFICATES,
  }),
  served('events.k8s.io/v1', 'Event', 'events', {
    shortNames: ['ev'],
    conversion: EVENTS_CONVERSION,
    createsOnUpdate: true,
    verbs: STORED_VERBS,
  }),
  clusterWide(STORAGE, 'CSIDriver', 'csidrivers', { noEffect: DRIVERS }),
  clusterWide(STORAGE, 'CSINode', 'csinodes', { noEffect: DRIVERS }),
  served(STORAGE, 'CSIStorageCapacity', 'csistoragecapacities', { noEffect: DRIVERS }),
  clusterWide(STORAGE, 'VolumeAttachment', 'volumeattachments', {
    ...withStatus('VolumeAttachment'),
    noEffect: DRIVERS,
  }),
  clusterWide(STORAGE, 'VolumeAttributesClass', 'volumeattributesclasses', {
    shortNames: ['vac'],
    noEffect: DRIVERS,
  }),
  clusterWide(RESOURCE, 'DeviceClass', 'deviceclasses', { noEffect: DEVICES }),
  served(RESOURCE, 'ResourceClaim', 'resourceclaims', { ...withStatus('ResourceClaim'), noEffect: DEVICES }),
  served(RESOURCE, 'ResourceClaimTemplate', 'resourceclaimtemplates', { noEffect: DEVICES }),
  clusterWide(RESOURCE, 'ResourceSlice', 'resourceslices', { noEffect: DEVICES }),
];

function renamed<T extends KubeObject>(event: T, apiVersion: string, names: ReadonlyMap<string, string>): T {
  if (event.apiVersion === apiVersion) return event;
  const fields = Object.entries(event).map(([name, value]) => [names.get(name) ?? name, value] as const);
  return { ...Object.fromEntries(fields), apiVersion } as T;
}
