import type { PersistentVolumeSpec } from '../../../api/index.ts';
import { line } from '../lines.ts';
import { describeAttributes, describeVolume } from '../volumes.ts';

type PersistentSource<K extends keyof PersistentVolumeSpec> = NonNullable<PersistentVolumeSpec[K]>;

/**
 * The lines about the source of a PersistentVolume. Of the sources that Kubernetes serves by CSI drivers now, only
 * AzureFile has its form here.
 */
export function describePersistentSource(spec: PersistentVolumeSpec): string[] {
  const { azureFile, csi, fc, flexVolume, hostPath, iscsi, local, nfs } = spec;
  if (iscsi !== undefined) return describeIscsi(iscsi);
  if (azureFile !== undefined) return describeAzureFile(azureFile);
  if (flexVolume !== undefined) return describeFlex(flexVolume);
  if (csi !== undefined) return describeCsi(csi);
  if (local === undefined) return describeVolume({ name: '', fc, hostPath, nfs });
  return titled('LocalVolume (a persistent volume backed by local storage on a node)', { Path: local.path });
}

/** A block of values. An absent value appears as Go's zero value. */
function titled(type: string, values: Readonly<Record<string, string | number | boolean | undefined>>): string[] {
  const lines = Object.entries(values).map(([key, value]) => line(2, `${key}:`, String(value ?? '')));
  return [line(2, 'Type:', type), ...lines];
}

function describeIscsi(iscsi: PersistentSource<'iscsi'>): string[] {
  const { portals = [], secretRef, iscsiInterface = '' } = iscsi;
  const lines = titled(
    "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
    {
      TargetPortal: iscsi.targetPortal,
      IQN: iscsi.iqn,
      Lun: iscsi.lun,
      ISCSIInterface: iscsiInterface,
      FSType: iscsi.fsType,
      ReadOnly: iscsi.readOnly ?? false,
      Portals: `[${portals.join(' ')}]`,
      DiscoveryCHAPAuth: iscsi.chapAuthDiscovery ?? false,
      SessionCHAPAuth: iscsi.chapAuthSession ?? false,
      SecretRef: secretText(secretRef),
      InitiatorName: iscsi.initiatorName ?? '<none>',
    },
  );
  // kubectl has no colon here.
  return lines.map((text) => text.replace('ISCSIInterface:', 'ISCSIInterface'));
}

function describeAzureFile({
  secretName,
  secretNamespace,
  shareName,
  readOnly = false,
}: PersistentSource<'azureFile'>): string[] {
  return titled('AzureFile (an Azure File Service mount on the host and bind mount to the pod)', {
    SecretName: secretName,
    SecretNamespace: secretNamespace ?? '<unset>',
    ShareName: shareName,
    ReadOnly: readOnly,
  });
}

function describeFlex({ secretRef, ...flex }: PersistentSource<'flexVolume'>): string[] {
  const lines = describeVolume({ name: '', flexVolume: flex });
  return lines.map((text) => text.replace('<nil>', secretText(secretRef)));
}

function describeCsi({
  driver,
  fsType,
  volumeHandle,
  readOnly = false,
  volumeAttributes,
}: PersistentSource<'csi'>): string[] {
  const type = 'CSI (a Container Storage Interface (CSI) volume source)';
  return [
    ...titled(type, { Driver: driver, FSType: fsType, VolumeHandle: volumeHandle, ReadOnly: readOnly }),
    ...describeAttributes(volumeAttributes),
  ];
}

/** A pointer to a reference as Go prints it. */
function secretText(secret: PersistentSource<'iscsi'>['secretRef']): string {
  return secret ? `&SecretReference{Name:${secret.name ?? ''},Namespace:${secret.namespace ?? ''},}` : '<nil>';
}
