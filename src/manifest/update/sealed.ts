import {
  isJsonObject,
  type JsonObject,
  type KubeObject,
  type Node,
  ownValue,
  type StorageCSINode,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden, type GoShape, inGo, invalid } from '../base/field-error.ts';
import { isSameValue } from './differences.ts';

/** Fields that stay as they were created. */

const IMMUTABLE = 'field is immutable';

interface Sealed {
  /** The path in the object. */
  readonly field: string;
  readonly type: string;
  /** The path in messages. Default: `field`. */
  readonly path?: string;
  readonly why?: string;
  /** The struct in messages. Default: the value in JSON. */
  readonly shape?: GoShape;
  /** True: the message does not show the value. */
  readonly isForbidden?: boolean;
}

const ROLE_REF: Sealed = {
  field: 'roleRef',
  type: 'rbac.RoleRef',
  why: 'cannot change roleRef',
  shape: { APIGroup: ['apiGroup', ''], Kind: ['kind', ''], Name: ['name', ''] },
};

const REQUEST_SHAPE: GoShape = {
  DeviceClassName: ['deviceClassName', ''],
  Selectors: ['selectors', [{ CEL: ['cel', { Expression: ['expression', ''] }] }]],
  AllocationMode: ['allocationMode', ''],
  Count: ['count', 0],
  AdminAccess: ['adminAccess', null],
  Tolerations: ['tolerations', null],
  Capacity: ['capacity', null],
};

const CLAIM_SHAPE: GoShape = {
  Devices: [
    'devices',
    {
      Requests: [
        'requests',
        [{ Name: ['name', ''], Exactly: ['exactly', REQUEST_SHAPE], FirstAvailable: ['firstAvailable', null] }],
      ],
      Constraints: ['constraints', null],
      Config: ['config', null],
    },
  ],
};

const DRIVER_SHAPE: GoShape = {
  Name: ['name', ''],
  NodeID: ['nodeID', ''],
  TopologyKeys: ['topologyKeys', null],
  Allocatable: ['allocatable', { Count: ['count', null] }],
};

const ATTACHMENT_SHAPE: GoShape = {
  Attacher: ['attacher', ''],
  Source: [
    'source',
    { PersistentVolumeName: ['persistentVolumeName', null], InlineVolumeSpec: ['inlineVolumeSpec', null] },
  ],
  NodeName: ['nodeName', ''],
};

/** Sources: the validation.go of each group, functions Validate…Update. */
const SEALED: Readonly<Record<string, readonly Sealed[]>> = {
  ClusterRoleBinding: [ROLE_REF],
  RoleBinding: [ROLE_REF],
  StorageClass: [
    { field: 'parameters', type: 'map:string' },
    { field: 'provisioner', type: 'string' },
    { field: 'reclaimPolicy', type: 'string' },
    { field: 'volumeBindingMode', type: 'string' },
  ],
  CSIDriver: [
    { field: 'spec.attachRequired', type: 'boolean', path: 'spec.attachedRequired' },
    { field: 'spec.volumeLifecycleModes', type: '[]string' },
  ],
  CSIStorageCapacity: [
    { field: 'nodeTopology', type: 'meta.LabelSelector' },
    { field: 'storageClassName', type: 'string' },
  ],
  VolumeAttachment: [{ field: 'spec', type: 'storage.VolumeAttachmentSpec', shape: ATTACHMENT_SHAPE }],
  VolumeAttributesClass: [
    { field: 'driverName', type: 'string', why: 'updates to driverName are forbidden.', isForbidden: true },
    { field: 'parameters', type: 'map:string', why: 'updates to parameters are forbidden.', isForbidden: true },
  ],
  ResourceClaim: [{ field: 'spec', type: 'resource.ResourceClaimSpec', shape: CLAIM_SHAPE }],
  ResourceClaimTemplate: [
    { field: 'spec', type: 'resource.ResourceClaimTemplateSpec', shape: { Spec: ['spec', CLAIM_SHAPE] } },
  ],
  ResourceSlice: [
    { field: 'spec.driver', type: 'string' },
    { field: 'spec.pool.name', type: 'string' },
    { field: 'spec.nodeName', type: 'string' },
    { field: 'spec.nodeSelector', type: 'NodeSelector' },
    { field: 'spec.allNodes', type: 'boolean' },
  ],
};

/** The changes of fields that the kind seals. */
export function sealedFieldErrors(stored: KubeObject, changed: KubeObject): FieldError[] {
  const fields = ownValue(SEALED, changed.kind) ?? [];
  return fields.flatMap(({ field, type, path = field, why = IMMUTABLE, shape, isForbidden = false }) => {
    const after = valueAt(changed, field);
    if (isSameValue(valueAt(stored, field), after, type)) return [];
    if (isForbidden) return [forbidden(path, why)];
    if (shape === undefined || !isJsonObject(after)) return [invalid(path, after, why)];
    return [invalid(path, { ...metadataOf(after), ...inGo(after, shape) }, why)];
  });
}

/** The metadata of a template are embedded in its struct, with their fields of JSON. */
const metadataOf = ({ metadata }: JsonObject): JsonObject => (isJsonObject(metadata) ? metadata : {});

function valueAt(object: KubeObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, field) => (isJsonObject(value) ? value[field] : undefined), object);
}

/** Drivers of a node may come and go, but do not change. Source: ValidateCSINodeUpdate. */
export function validateCsiNodeUpdate(stored: Decoded<StorageCSINode>, changed: Decoded<StorageCSINode>): FieldError[] {
  return (changed.spec?.drivers ?? []).flatMap((driver) => {
    const before = stored.spec?.drivers?.find(({ name }) => name === driver.name);
    if (before === undefined || isSameValue(before, driver, 'storage.CSINodeDriver')) return [];
    return [invalid('spec.drivers', inGo(driver, DRIVER_SHAPE), IMMUTABLE)];
  });
}

/** Source: pkg/apis/core/validation/validation.go, ValidateNodeUpdate. */
export function validateNodeUpdate({ spec: before }: Decoded<Node>, { spec: after }: Decoded<Node>): FieldError[] {
  const isChanged = (field: 'podCIDRs' | 'providerID'): boolean =>
    (before?.[field] ?? []).length > 0 &&
    !isSameValue(before?.[field], after?.[field], field === 'podCIDRs' ? '[]string' : 'string');
  return [
    ...(isChanged('podCIDRs')
      ? [forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid')]
      : []),
    ...(isChanged('providerID')
      ? [forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid')]
      : []),
  ];
}
