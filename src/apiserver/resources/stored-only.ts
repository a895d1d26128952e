import { AUTOSCALERS_CONVERSION } from './autoscalers-conversion.ts';
import { clusterWide, served, status, STORED_VERBS, withStatus } from './resource-entries.ts';
import { EVENTS_CONVERSION } from './events-conversion.ts';
import type { ServedResource } from './served-resource.ts';

const DEVICES = 'podrun allocates no devices';
const DRIVERS = 'podrun runs no CSI drivers';
const CERTIFICATES = 'podrun signs no certificates';

const FLOWS = 'podrun does not queue requests by priority';

const FLOWCONTROL = 'flowcontrol.apiserver.k8s.io/v1';
const STORAGE = 'storage.k8s.io/v1';
const RESOURCE = 'resource.k8s.io/v1';
const APPROVAL = { name: 'approval', kind: 'CertificateSigningRequest', verbs: ['get', 'patch', 'update'] };

/** Kinds that clients write and read, without a controller. */
export const STORED_ONLY: readonly ServedResource[] = [
  clusterWide('apiregistration.k8s.io/v1', 'APIService', 'apiservices', {
    ...withStatus('APIService'),
    needsVersion: true,
    categories: ['api-extensions'],
  }),
  clusterWide(FLOWCONTROL, 'FlowSchema', 'flowschemas', { ...withStatus('FlowSchema'), noEffect: FLOWS }),
  clusterWide(FLOWCONTROL, 'PriorityLevelConfiguration', 'prioritylevelconfigurations', {
    ...withStatus('PriorityLevelConfiguration'),
    noEffect: FLOWS,
  }),
  served('autoscaling/v1', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    ...withStatus('HorizontalPodAutoscaler'),
    conversion: AUTOSCALERS_CONVERSION,
    storedAs: 'autoscaling/v2',
    shortNames: ['hpa'],
    categories: ['all'],
  }),
  served('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    ...withStatus('HorizontalPodAutoscaler'),
    shortNames: ['hpa'],
    categories: ['all'],
  }),
  clusterWide('certificates.k8s.io/v1', 'CertificateSigningRequest', 'certificatesigningrequests', {
    shortNames: ['csr'],
    subresources: [APPROVAL, status('CertificateSigningRequest')],
    noEffect: CERTIFICATES,
  }),
  served('events.k8s.io/v1', 'Event', 'events', {
    shortNames: ['ev'],
    conversion: EVENTS_CONVERSION,
    storedAs: 'v1',
    createsOnUpdate: true,
    verbs: STORED_VERBS,
  }),
  clusterWide(STORAGE, 'CSIDriver', 'csidrivers', { needsVersion: true, returnsDeleted: true, noEffect: DRIVERS }),
  clusterWide(STORAGE, 'CSINode', 'csinodes', { needsVersion: true, noEffect: DRIVERS }),
  served(STORAGE, 'CSIStorageCapacity', 'csistoragecapacities', { needsVersion: true, noEffect: DRIVERS }),
  clusterWide(STORAGE, 'VolumeAttachment', 'volumeattachments', {
    ...withStatus('VolumeAttachment'),
    needsVersion: true,
    noEffect: DRIVERS,
  }),
  clusterWide(STORAGE, 'VolumeAttributesClass', 'volumeattributesclasses', {
    returnsDeleted: true,
    shortNames: ['vac'],
    noEffect: DRIVERS,
  }),
  clusterWide(RESOURCE, 'DeviceClass', 'deviceclasses', { returnsDeleted: true, noEffect: DEVICES }),
  served(RESOURCE, 'ResourceClaim', 'resourceclaims', {
    ...withStatus('ResourceClaim'),
    returnsDeleted: true,
    noEffect: DEVICES,
  }),
  served(RESOURCE, 'ResourceClaimTemplate', 'resourceclaimtemplates', { returnsDeleted: true, noEffect: DEVICES }),
  clusterWide(RESOURCE, 'ResourceSlice', 'resourceslices', { returnsDeleted: true, noEffect: DEVICES }),
];
