import {
  type StorageCSIDriver,
  type StorageCSINode,
  type StorageCSINodeDriver,
  type StorageCSIStorageCapacity,
  type StorageStorageClass,
  type StorageTokenRequest,
  type StorageVolumeAttachment,
  type StorageVolumeAttachmentSource,
  type StorageVolumeAttributesClass,
  subdomainMessages,
  qualifiedNameMessages,
  type TopologySelectorTerm,
} from '../../api/index.ts';
import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../base/field-error.ts';
import type { Decoded } from '../base/decoded.ts';
import {
  each,
  notNegative,
  oneOfIfSet,
  repeated,
  requiredText,
  validateNotNegativeQuantity,
  wellFormed,
} from './checks.ts';
import { validateLabelSelector } from './labels.ts';

/** Source of all rules here: pkg/apis/storage/validation/validation.go. */

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
const GROUP_POLICIES = ['ReadWriteOnceWithFSType', 'File', 'None'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const NAME_MAX_BYTES = 63;
const NODE_ID_MAX_BYTES = 256;
const TOKEN_MIN_SECONDS = 600;
const TOKEN_MAX_SECONDS = 2 ** 32;
const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

export function validateStorageClass({
  provisioner,
  parameters,
  reclaimPolicy = '',
  volumeBindingMode = '',
  allowedTopologies,
}: Decoded<StorageStorageClass>): FieldError[] {
  return [
    ...requiredText('provisioner', provisioner),
    ...noEmptyKey(parameters),
    ...oneOfIfSet('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES),
    ...oneOfIfSet('volumeBindingMode', volumeBindingMode, BINDING_MODES),
    ...each('allowedTopologies', allowedTopologies, validateTopology),
  ];
}

function noEmptyKey(parameters: Readonly<Record<string, unknown>> = {}): FieldError[] {
  return Object.hasOwn(parameters, '') ? [invalid('parameters', '', 'field can not be empty.')] : [];
}

/** Source: pkg/apis/core/validation/validation.go, ValidateTopologySelectorTerm. */
function validateTopology({ matchLabelExpressions }: Decoded<TopologySelectorTerm>, at: string): FieldError[] {
  const path = child(at, 'matchLabelExpressions');
  const keys = new Set<string>();
  return each(path, matchLabelExpressions, ({ key = '', values = [] }, place) => {
    const isTaken = keys.has(key);
    keys.add(key);
    return [
      ...(values.length === 0 ? [required(child(place, 'values'))] : []),
      ...repeated(child(place, 'values'), values, (value) => value),
      ...wellFormed(child(place, 'key'), key, qualifiedNameMessages),
      ...(isTaken ? [duplicate(child(place, 'key'), key)] : []),
    ];
  });
}

/** The name of a driver: in any case. Source: ValidateCSIDriverName of pkg/apis/core/validation. */
function validateDriverName(path: string, name: string | undefined): FieldError[] {
  if (!name) return [required(path)];
  const long = name.length > NAME_MAX_BYTES ? [tooLong(path, NAME_MAX_BYTES)] : [];
  return [...long, ...wellFormed(path, name, (text) => subdomainMessages(text.toLowerCase()))];
}

export function validateCsiDriver({ metadata, spec = {} }: Decoded<StorageCSIDriver>): FieldError[] {
  const {
    fsGroupPolicy,
    tokenRequests = [],
    volumeLifecycleModes = [],
    nodeAllocatableUpdatePeriodSeconds: period,
  } = spec;
  const modes = volumeLifecycleModes.filter((mode) => !LIFECYCLE_MODES.includes(mode));
  const periodPath = 'spec.nodeAllocatableUpdatePeriodSeconds';
  const { name = '' } = metadata ?? {};
  return [
    ...(name.length > NAME_MAX_BYTES ? [tooLong('metadata.name', NAME_MAX_BYTES)] : []),
    ...oneOfIfSet('spec.fsGroupPolicy', fsGroupPolicy, GROUP_POLICIES),
    ...validateTokenRequests('spec.tokenRequests', tokenRequests),
    ...modes.map((mode) => notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES)),
    ...(period !== undefined && period < 10
      ? [invalid(periodPath, period, 'must be greater than or equal to 10 seconds')]
      : []),
  ];
}

function validateTokenRequests(path: string, requests: readonly Decoded<StorageTokenRequest>[]): FieldError[] {
  return each(path, requests, ({ audience = '', expirationSeconds: seconds }, at, index) => [
    ...(requests.findIndex((other) => (other.audience ?? '') === audience) < index
      ? [duplicate(child(at, 'audience'), audience)]
      : []),
    ...validateTokenSeconds(child(at, 'expirationSeconds'), seconds),
  ]);
}

/** The time for which a token holds. Source: pkg/apis/authentication/validation/validation.go as well. */
export function validateTokenSeconds(path: string, seconds: number | undefined): FieldError[] {
  if (seconds === undefined) return [];
  if (seconds < TOKEN_MIN_SECONDS) return [invalid(path, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds <= TOKEN_MAX_SECONDS) return [];
  return [invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')];
}

export function validateCsiNode({ spec = {} }: Decoded<StorageCSINode>): FieldError[] {
  const { drivers = [] } = spec;
  return each('spec.drivers', drivers, (driver, at, index) => [
    ...validateNodeDriver(driver, at),
    ...(driver.name && drivers.findIndex(({ name }) => name === driver.name) < index
      ? [duplicate(child(at, 'name'), driver.name)]
      : []),
  ]);
}

function validateNodeDriver(driver: Decoded<StorageCSINodeDriver>, at: string): FieldError[] {
  const { name, nodeID = '', allocatable } = driver;
  // Drivers without keys have null.
  const topologyKeys = driver.topologyKeys ?? [];
  const idPath = child(at, 'nodeID');
  const keysPath = child(at, 'topologyKeys');
  return [
    ...validateDriverName(child(at, 'name'), name),
    ...requiredText(idPath, nodeID),
    ...(nodeID.length > NODE_ID_MAX_BYTES
      ? [invalid(idPath, nodeID, `must be ${NODE_ID_MAX_BYTES} characters or less`)]
      : []),
    ...notNegative(child(at, 'allocatable', 'count'), allocatable?.count),
    ...topologyKeys.flatMap((key, index) => [
      ...(key === '' ? [required(keysPath)] : []),
      ...(topologyKeys.indexOf(key) < index ? [duplicate(keysPath, key)] : []),
      ...wellFormed(keysPath, key, qualifiedNameMessages),
    ]),
  ];
}

export function validateStorageCapacity(object: Decoded<StorageCSIStorageCapacity>): FieldError[] {
  const { storageClassName = '', capacity, maximumVolumeSize, nodeTopology } = object;
  return [
    ...wellFormed('storageClassName', storageClassName, subdomainMessages),
    ...validateNotNegativeQuantity('capacity', capacity),
    ...validateNotNegativeQuantity('maximumVolumeSize', maximumVolumeSize),
    ...validateLabelSelector('nodeTopology', nodeTopology),
  ];
}

export function validateVolumeAttachment({ spec = {} }: Decoded<StorageVolumeAttachment>): FieldError[] {
  const { attacher, source = {}, nodeName = '' } = spec;
  return [
    ...validateDriverName('spec.attacher', attacher),
    ...validateAttachedSource('spec.source', source),
    ...wellFormed('spec.nodeName', nodeName, subdomainMessages),
  ];
}

function validateAttachedSource(at: string, source: Decoded<StorageVolumeAttachmentSource>): FieldError[] {
  const { inlineVolumeSpec, persistentVolumeName: name } = source;
  if (inlineVolumeSpec === undefined && name === undefined) return [required(at, ONE_SOURCE)];
  if (inlineVolumeSpec !== undefined && name !== undefined) return [forbidden(at, ONE_SOURCE)];
  return name === ''
    ? [required(child(at, 'persistentVolumeName'), 'must specify non empty persistentVolumeName')]
    : [];
}

export function validateAttributesClass(object: Decoded<StorageVolumeAttributesClass>): FieldError[] {
  const { driverName, parameters = {} } = object;
  const isEmpty = Object.keys(parameters).length === 0;
  return [
    ...validateDriverName('driverName', driverName),
    ...(isEmpty ? [required('parameters', 'must contain at least one key/value pair')] : noEmptyKey(parameters)),
  ];
}
