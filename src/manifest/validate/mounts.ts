import type { Container, VolumeDevice, VolumeMount } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, notFound, notSupported, required } from '../base/field-error.ts';
import { descendingPath, each, noBacksteps, oneOfIfSet, requiredText } from './checks.ts';
import type { Volumes } from './volumes.ts';

const PROPAGATIONS: readonly string[] = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_MODES: readonly string[] = ['Disabled', 'Enabled', 'IfPossible'];

/** Validates volume mounts. Source: pkg/apis/core/validation/validation.go, ValidateVolumeMounts. */
export function validateMounts(path: string, container: Decoded<Container>, volumes: Volumes): FieldError[] {
  const devices = container.volumeDevices ?? [];
  const deviceNames = new Set(devices.map(({ name = '' }) => name));
  const devicePaths = new Set(devices.map(({ devicePath = '' }) => devicePath));
  const paths = new Set<string>();
  return each(path, container.volumeMounts, (mount, at) => {
    const { name = '', mountPath = '' } = mount;
    const errors = requiredText(child(at, 'name'), name);
    if (!volumes.has(name)) errors.push(notFound(child(at, 'name'), name));
    errors.push(...requiredText(child(at, 'mountPath'), mountPath));
    if (paths.has(mountPath)) errors.push(invalid(child(at, 'mountPath'), mountPath, 'must be unique'));
    paths.add(mountPath);
    if (deviceNames.has(name)) {
      errors.push(invalid(child(at, 'name'), name, 'must not already exist in volumeDevices'));
    }
    if (devicePaths.has(mountPath)) {
      errors.push(invalid(child(at, 'mountPath'), mountPath, 'must not already exist as a path in volumeDevices'));
    }
    return [...errors, ...validateSubPaths(path, at, mount), ...validateSharing(path, mount, container)];
  });
}

/** Validates subpaths. Reports bad ones at the list, without an index, as upstream. */
function validateSubPaths(listPath: string, path: string, mount: Decoded<VolumeMount>): FieldError[] {
  const { subPath, subPathExpr } = mount;
  const both = 'subPathExpr and subPath are mutually exclusive';
  return [
    ...(subPath ? descendingPath(child(listPath, 'subPath'), subPath) : []),
    ...(subPath && subPathExpr ? [invalid(child(path, 'subPathExpr'), subPathExpr, both)] : []),
    ...(subPathExpr ? descendingPath(child(listPath, 'subPathExpr'), subPathExpr) : []),
  ];
}

/** Validates mount propagation and recursive read-only mounts. The paths have no index, as upstream. */
function validateSharing(path: string, mount: Decoded<VolumeMount>, container: Decoded<Container>): FieldError[] {
  const { mountPropagation, recursiveReadOnly, readOnly } = mount;
  const propagationPath = child(path, 'mountPropagation');
  const errors = oneOfIfSet(propagationPath, mountPropagation, PROPAGATIONS);
  if (mountPropagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
    const text = 'Bidirectional mount propagation is available only to privileged containers';
    errors.push(forbidden(propagationPath, text));
  }
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return errors;
  const recursivePath = child(path, 'recursiveReadOnly');
  if (!RECURSIVE_MODES.includes(recursiveReadOnly)) {
    return [...errors, notSupported(recursivePath, recursiveReadOnly, RECURSIVE_MODES)];
  }
  if (readOnly !== true) errors.push(forbidden(recursivePath, 'may only be specified when readOnly is true'));
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    const text = 'may only be specified when mountPropagation is None or not specified';
    errors.push(forbidden(recursivePath, text));
  }
  return errors;
}

/** Validates volumes as raw devices. Source: ValidateVolumeDevices. */
export function validateDevices(path: string, container: Decoded<Container>, volumes: Volumes): FieldError[] {
  const mounts = container.volumeMounts ?? [];
  const mountNames = new Set(mounts.map(({ name = '' }) => name));
  const mountPaths = new Set(mounts.map(({ mountPath = '' }) => mountPath));
  const names = new Set<string>();
  const paths = new Set<string>();
  return each(path, container.volumeDevices, (device, at) => {
    const { name = '', devicePath = '' } = device;
    const errors = [
      ...validateDeviceVolume(child(at, 'name'), name, volumes, names),
      ...validateDevicePath(path, at, device, paths),
    ];
    if (mountNames.has(name)) {
      errors.push(invalid(child(at, 'name'), name, 'must not already exist in volumeMounts'));
    }
    if (mountPaths.has(devicePath)) {
      errors.push(invalid(child(at, 'devicePath'), devicePath, 'must not already exist as a path in volumeMounts'));
    }
    if (name) names.add(name);
    return errors;
  });
}

function validateDeviceVolume(path: string, name: string, volumes: Volumes, names: ReadonlySet<string>): FieldError[] {
  const errors = requiredText(path, name);
  if (names.has(name)) errors.push(invalid(path, name, 'must be unique'));
  const volume = volumes.get(name);
  if (volume === undefined) errors.push(notFound(path, name));
  else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
    const text = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
    errors.push(invalid(path, name, text));
  }
  return errors;
}

function validateDevicePath(
  listPath: string,
  path: string,
  { devicePath = '' }: Decoded<VolumeDevice>,
  paths: Set<string>,
): FieldError[] {
  const at = child(path, 'devicePath');
  if (!devicePath) return [required(at)];
  const errors = paths.has(devicePath) ? [invalid(at, devicePath, 'must be unique')] : [];
  if (noBacksteps(child(listPath, 'devicePath'), devicePath).length > 0) {
    return [...errors, invalid(at, devicePath, "can not contain backsteps ('..')")];
  }
  paths.add(devicePath);
  return errors;
}
