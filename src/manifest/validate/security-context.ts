import {
  type AppArmorProfile,
  dottedSysctl,
  type PodSecurityContext,
  type PodSpec,
  type SeccompProfile,
  type SecurityContext,
  type Sysctl,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import {
  child,
  duplicate,
  type FieldError,
  type GoShape,
  inGo,
  invalid,
  required,
  tooLong,
} from '../base/field-error.ts';
import { descendingPath, each, inRange, INT32_MAX, oneOfIfSet, type Range, requiredOneOf } from './checks.ts';
import { validateWindowsOptions } from './windows.ts';

const IDS: Range = { min: 0, max: INT32_MAX };
const PROFILE_TYPES: readonly string[] = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const PROC_MOUNTS: readonly string[] = ['Default', 'Unmasked'];
const GROUP_CHANGE_POLICIES: readonly string[] = ['Always', 'OnRootMismatch'];
const SUPPLEMENTAL_POLICIES: readonly string[] = ['Merge', 'Strict'];
const SELINUX_POLICIES: readonly string[] = ['Recursive'];
/** The bytes of the longest path in Linux. */
const PROFILE_MAX_BYTES = 4095;
const SYSCTL_MAX = 253;
const SYSCTL_FORM = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const SYSCTL = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

/** Source: pkg/apis/core/validation/validation.go, ValidateSecurityContext. */
export function validateSecurityContext(
  path: string,
  context: Decoded<SecurityContext>,
  hasHostUsers: boolean,
): FieldError[] {
  const { procMount, seccompProfile, windowsOptions, appArmorProfile } = context;
  const procPath = child(path, 'procMount');
  const errors = [...validateIds(path, context), ...oneOfIfSet(procPath, procMount, PROC_MOUNTS)];
  if (hasHostUsers && procMount === 'Unmasked') {
    errors.push(invalid(procPath, procMount, '`hostUsers` must be false to use `Unmasked`'));
  }
  return [
    ...errors,
    ...(seccompProfile ? validateSeccomp(child(path, 'seccompProfile'), seccompProfile) : []),
    ...validateEscalation(path, context),
    ...(windowsOptions ? validateWindowsOptions(child(path, 'windowsOptions'), windowsOptions) : []),
    ...(appArmorProfile ? validateAppArmor(child(path, 'appArmorProfile'), appArmorProfile) : []),
  ];
}

function validateIds(
  path: string,
  ids: { runAsUser?: number | undefined; runAsGroup?: number | undefined },
): FieldError[] {
  return (['runAsUser', 'runAsGroup'] as const).flatMap((field) => {
    const id = ids[field];
    return id === undefined ? [] : inRange(child(path, field), id, IDS);
  });
}

/** Source: pkg/apis/core/types.go, SecurityContext. */
const PROFILE: GoShape = { Type: ['type', ''], LocalhostProfile: ['localhostProfile', null] };
const SHAPE: GoShape = {
  Capabilities: ['capabilities', { Add: ['add', null], Drop: ['drop', null] }],
  Privileged: ['privileged', null],
  SELinuxOptions: [
    'seLinuxOptions',
    { User: ['user', ''], Role: ['role', ''], Type: ['type', ''], Level: ['level', ''] },
  ],
  WindowsOptions: [
    'windowsOptions',
    {
      GMSACredentialSpecName: ['gmsaCredentialSpecName', null],
      GMSACredentialSpec: ['gmsaCredentialSpec', null],
      RunAsUserName: ['runAsUserName', null],
      HostProcess: ['hostProcess', null],
    },
  ],
  RunAsUser: ['runAsUser', null],
  RunAsGroup: ['runAsGroup', null],
  RunAsNonRoot: ['runAsNonRoot', null],
  ReadOnlyRootFilesystem: ['readOnlyRootFilesystem', null],
  AllowPrivilegeEscalation: ['allowPrivilegeEscalation', null],
  ProcMount: ['procMount', null],
  SeccompProfile: ['seccompProfile', PROFILE],
  AppArmorProfile: ['appArmorProfile', PROFILE],
};

/** Refuses `allowPrivilegeEscalation: false` for a process with all rights: nothing can keep it from more. */
function validateEscalation(path: string, context: Decoded<SecurityContext>): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const errors: FieldError[] = [];
  const value = inGo(context, SHAPE);
  const clash = 'cannot set `allowPrivilegeEscalation` to false and';
  if (context.privileged === true) errors.push(invalid(path, value, `${clash} \`privileged\` to true`));
  if ((context.capabilities?.add ?? []).includes('CAP_SYS_ADMIN')) {
    errors.push(invalid(path, value, `${clash} \`capabilities.Add\` CAP_SYS_ADMIN`));
  }
  return errors;
}

/** Source: validatePodSpecSecurityContext. */
export function validatePodSecurityContext(path: string, spec: Decoded<PodSpec>): FieldError[] {
  const context: Decoded<PodSecurityContext> = spec.securityContext ?? {};
  const { fsGroup, seccompProfile, windowsOptions, appArmorProfile } = context;
  const errors = [
    ...(fsGroup === undefined ? [] : inRange(child(path, 'fsGroup'), fsGroup, IDS)),
    ...validateIds(path, context),
    ...each(child(path, 'supplementalGroups'), context.supplementalGroups, (group, at) => inRange(at, group, IDS)),
  ];
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const text = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalid(child(path, 'shareProcessNamespace'), true, text));
  }
  return [
    ...errors,
    ...validateSysctls(child(path, 'sysctls'), context.sysctls ?? [], spec),
    ...oneOfIfSet(child(path, 'fsGroupChangePolicy'), context.fsGroupChangePolicy, GROUP_CHANGE_POLICIES),
    ...(seccompProfile ? validateSeccomp(child(path, 'seccompProfile'), seccompProfile) : []),
    ...(windowsOptions ? validateWindowsOptions(child(path, 'windowsOptions'), windowsOptions) : []),
    ...(appArmorProfile ? validateAppArmor(child(path, 'appArmorProfile'), appArmorProfile) : []),
    ...oneOfIfSet(child(path, 'supplementalGroupsPolicy'), context.supplementalGroupsPolicy, SUPPLEMENTAL_POLICIES),
    ...oneOfIfSet(child(path, 'seLinuxChangePolicy'), context.seLinuxChangePolicy, SELINUX_POLICIES),
  ];
}

function validateSeccomp(path: string, profile: Decoded<SeccompProfile>): FieldError[] {
  const { type, localhostProfile: file } = profile;
  const typePath = child(path, 'type');
  const errors = type
    ? requiredOneOf(typePath, type, PROFILE_TYPES)
    : [required(typePath, 'type is required when seccompProfile is set')];
  const filePath = child(path, 'localhostProfile');
  if (type !== 'Localhost') {
    const text = 'can only be set when seccomp type is Localhost';
    return file === undefined ? errors : [...errors, invalid(filePath, profile, text)];
  }
  if (file === undefined) return [...errors, required(filePath, 'must be set when seccomp type is Localhost')];
  return [...errors, ...descendingPath(filePath, file)];
}

function validateAppArmor(path: string, { type, localhostProfile: name }: Decoded<AppArmorProfile>): FieldError[] {
  const typePath = child(path, 'type');
  const namePath = child(path, 'localhostProfile');
  if (!type) return [required(typePath, 'type is required when appArmorProfile is set')];
  if (type !== 'Localhost') {
    const unknown = requiredOneOf(typePath, type, PROFILE_TYPES);
    if (unknown.length > 0 || name === undefined) return unknown;
    return [invalid(namePath, name, 'can only be set when AppArmor type is Localhost')];
  }
  if (name === undefined) return [required(namePath, 'must be set when AppArmor type is Localhost')];
  const errors: FieldError[] = [];
  if (name.trim() !== name) errors.push(invalid(namePath, name, 'must not be padded with whitespace'));
  else if (!name) errors.push(required(namePath, 'must be set when AppArmor type is Localhost'));
  if (Buffer.byteLength(name) > PROFILE_MAX_BYTES) errors.push(tooLong(namePath, PROFILE_MAX_BYTES));
  return errors;
}

function validateSysctls(path: string, sysctls: readonly Decoded<Sysctl>[], spec: Decoded<PodSpec>): FieldError[] {
  const names = new Set<string>();
  return each(path, sysctls, ({ name = '' }, at) => {
    const namePath = child(at, 'name');
    const errors: FieldError[] = [];
    if (!name) errors.push(required(namePath));
    else if (name.length > SYSCTL_MAX || !name.split(/[./]/).every((part) => SYSCTL.test(part))) {
      errors.push(invalid(namePath, name, `must have at most ${SYSCTL_MAX} characters and match regex ${SYSCTL_FORM}`));
    } else if (names.has(name)) errors.push(duplicate(namePath, name));
    names.add(name);
    return [...errors, ...validateNamespaced(namePath, name, spec)];
  });
}

/** Refuses sysctls of namespaces that the Pod shares with the host: they would change the host. */
function validateNamespaced(path: string, name: string, spec: Decoded<PodSpec>): FieldError[] {
  const dotted = dottedSysctl(name);
  if (spec.hostNetwork === true && dotted.startsWith('net.')) {
    return [invalid(path, name, "may not be specified when 'hostNetwork' is true")];
  }
  if (spec.hostIPC === true && /^(?:kernel\.(?:shm|msg|sem$)|fs\.mqueue\.)/.test(dotted)) {
    return [invalid(path, name, "may not be specified when 'hostIPC' is true")];
  }
  return [];
}
