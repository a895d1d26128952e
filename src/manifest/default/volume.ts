import {
  canonicalQuantity,
  defaultPullPolicy,
  type DownwardAPIVolumeFile,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  type PersistentVolumeSpec,
  type Volume,
  type VolumeProjection,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { canonicalResourceList, defaultFieldRef, defaultResourceFieldRef } from './container.ts';
import { changeFields, fillAbsent, fillZero, omit } from './fill.ts';

/** The default mode: readable by all users, writable by the owner. */
const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;

/** Defaults of sources, in Pods and PersistentVolumes. */
const ISCSI = { iscsiInterface: 'default' };
const RBD = { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' };
const AZURE_DISK = { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false } as const;
const SCALE_IO = { storageMode: 'ThinProvisioned', fsType: 'xfs' };

/** Defaults of a volume. Source: pkg/apis/core/v1/defaults.go, SetDefaults_Volume and one function per source. */
export function defaultVolume(volume: Decoded<Volume>): Decoded<Volume> {
  const hasSource = Object.entries(volume).some(([field, value]) => field !== 'name' && value !== undefined);
  const sourced: Decoded<Volume> = hasSource ? volume : { ...volume, emptyDir: {} };
  return changeFields(sourced, {
    emptyDir: (source) => changeFields(source, { sizeLimit: canonicalQuantity }),
    hostPath: (source) => fillAbsent(source, { type: '' }),
    secret: (source) => fillAbsent(source, { defaultMode: FILE_MODE }),
    configMap: (source) => fillAbsent(source, { defaultMode: FILE_MODE }),
    downwardAPI: (source) => changeFields(fillAbsent(source, { defaultMode: FILE_MODE }), { items: defaultFiles }),
    projected: (source) =>
      changeFields(fillAbsent(source, { defaultMode: FILE_MODE }), {
        sources: (sources) => sources.map(defaultProjection),
      }),
    ephemeral: (source) =>
      changeFields(source, {
        volumeClaimTemplate: (template) =>
          changeFields(fillAbsent(template, { metadata: {} }), { spec: defaultClaimSpec }),
      }),
    image: (source) => fillZero(source, { pullPolicy: defaultPullPolicy(source.reference ?? '') }),
    iscsi: (source) => fillZero(source, ISCSI),
    rbd: (source) => fillZero(source, RBD),
    azureDisk: (source) => fillAbsent(source, AZURE_DISK),
    scaleIO: (source) => fillZero(source, SCALE_IO),
  });
}

/** Defaults of the spec of a claim, or of a claim in a template. */
export function defaultClaimSpec(spec: Decoded<PersistentVolumeClaimSpec>): Decoded<PersistentVolumeClaimSpec> {
  return changeFields(fillAbsent(spec, { volumeMode: 'Filesystem' }), {
    resources: (resources) =>
      changeFields(resources, { limits: canonicalResourceList, requests: canonicalResourceList }),
  });
}

/** Defaults of a PersistentVolume. Source: pkg/apis/core/v1/defaults.go, SetDefaults_PersistentVolume. */
export function defaultVolumeSpec(spec: Decoded<PersistentVolumeSpec>): Decoded<PersistentVolumeSpec> {
  const filled = fillZero(spec, { persistentVolumeReclaimPolicy: 'Retain' });
  return changeFields(fillAbsent(filled, { volumeMode: 'Filesystem' }), {
    capacity: canonicalResourceList,
    hostPath: (source) => fillAbsent(source, { type: '' }),
    iscsi: (source) => fillZero(source, ISCSI),
    rbd: (source) => fillZero(source, RBD),
    azureDisk: (source) => fillAbsent(source, AZURE_DISK),
    scaleIO: (source) => fillZero(source, SCALE_IO),
  });
}

function defaultProjection(source: Decoded<VolumeProjection>): Decoded<VolumeProjection> {
  return changeFields(source, {
    downwardAPI: (projection) => changeFields(projection, { items: defaultFiles }),
    serviceAccountToken: (token) => fillAbsent(token, { expirationSeconds: TOKEN_SECONDS }),
  });
}

function defaultFiles(files: Decoded<DownwardAPIVolumeFile>[]): Decoded<DownwardAPIVolumeFile>[] {
  return files.map((file) =>
    changeFields(file, { fieldRef: defaultFieldRef, resourceFieldRef: defaultResourceFieldRef }),
  );
}

/**
 * A claim that names its source in one of the two fields has it in both.
 * Source: pkg/api/persistentvolumeclaim/util.go, NormalizeDataSources.
 */
export function withBothSources(claim: Decoded<PersistentVolumeClaim>): Decoded<PersistentVolumeClaim> {
  return changeFields(claim, {
    spec: (spec) => {
      const { dataSource, dataSourceRef } = spec;
      if (dataSource !== undefined && dataSourceRef === undefined) return { ...spec, dataSourceRef: dataSource };
      if (dataSourceRef === undefined || dataSource !== undefined || dataSourceRef.namespace) return spec;
      return { ...spec, dataSource: omit(dataSourceRef, ['namespace']) };
    },
  });
}
