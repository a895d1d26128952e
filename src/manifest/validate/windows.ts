import { type PodSpec, subdomainMessages, type WindowsSecurityContextOptions } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import { containersWithPaths } from '../base/pod-specs.ts';
import { wellFormed } from './checks.ts';

/** Rules that depend on the operating system of a Pod. Source: pkg/apis/core/validation/validation.go, validateOS. */

const SYSTEMS: readonly string[] = ['linux', 'windows'];
const CREDENTIALS_MAX_BYTES = 64 * 1024;
const DOMAIN_MAX = 255;
const USER_MAX = 104;
const NETBIOS_DOMAIN = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_PART = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;

/** Fields of the spec and of its security context that a Windows Pod must not have. */
const NOT_ON_WINDOWS = {
  podSecurity: [
    ...(['appArmorProfile', 'seLinuxOptions', 'seccompProfile', 'fsGroup', 'fsGroupChangePolicy'] as const),
    ...(['sysctls', 'runAsUser', 'runAsGroup', 'supplementalGroups'] as const),
    ...(['supplementalGroupsPolicy', 'seLinuxChangePolicy'] as const),
  ],
  podSpec: ['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace'],
  containerSecurity: [
    ...(['appArmorProfile', 'seLinuxOptions', 'seccompProfile', 'capabilities'] as const),
    ...(['readOnlyRootFilesystem', 'privileged', 'allowPrivilegeEscalation', 'procMount'] as const),
    ...(['runAsUser', 'runAsGroup'] as const),
  ],
} as const;

/** Validates the operating system, then the fields that it excludes. */
export function validateOs(path: string, spec: Decoded<PodSpec>): FieldError[] {
  if (spec.os === undefined) return [];
  const { name } = spec.os;
  const at = child(path, 'os');
  if (!name) return [required(child(at, 'name'))];
  if (!SYSTEMS.includes(name)) return [notSupported(at, name, SYSTEMS)];
  return name === 'linux' ? forbidWindowsOptions(path, spec) : forbidLinuxFields(path, spec);
}

function forbidWindowsOptions(path: string, spec: Decoded<PodSpec>): FieldError[] {
  const contexts = [[path, spec] as const, ...containersWithPaths(path, spec)];
  return contexts
    .filter(([, owner]) => owner.securityContext?.windowsOptions !== undefined)
    .map(([at]) =>
      forbidden(child(at, 'securityContext', 'windowsOptions'), 'windows options cannot be set for a linux pod'),
    );
}

function forbidLinuxFields(path: string, spec: Decoded<PodSpec>): FieldError[] {
  const forbid = (at: string, owner: object, fields: readonly string[]): FieldError[] =>
    fields
      .filter((field) => isSet((owner as Record<string, unknown>)[field]))
      .map((field) => forbidden(child(at, field), 'cannot be set for a windows pod'));
  const inContainers = containersWithPaths(path, spec).flatMap(([at, container]) =>
    forbid(child(at, 'securityContext'), container.securityContext ?? {}, NOT_ON_WINDOWS.containerSecurity),
  );
  return [
    ...forbid(child(path, 'securityContext'), spec.securityContext ?? {}, NOT_ON_WINDOWS.podSecurity),
    ...forbid(
      path,
      { ...spec, hostPID: spec.hostPID || undefined, hostIPC: spec.hostIPC || undefined },
      NOT_ON_WINDOWS.podSpec,
    ),
    ...inContainers,
  ];
}

const isSet = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

/** Validates containers that run on the Windows host itself: all of a Pod or none, and on the host network. */
export function validateHostProcess(path: string, spec: Decoded<PodSpec>): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = containersWithPaths(path, spec);
  const choices = containers.map(([, container]) => container.securityContext?.windowsOptions?.hostProcess);
  const errors = containers.flatMap(([at], index) => {
    const own = choices[index];
    if (ofPod === undefined || own === undefined || ofPod === own) return [];
    const text = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
    return [invalid(child(at, 'securityContext', 'windowsOptions', 'hostProcess'), own, text)];
  });
  const count = choices.filter((own) => own ?? ofPod ?? false).length;
  if (count === 0) return errors;
  if (count !== containers.length) {
    const text = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalid(path, '', text));
  }
  if (spec.hostNetwork === true) return errors;
  const text = 'hostNetwork must be true if pod contains any hostProcess containers';
  return [...errors, invalid(child(path, 'hostNetwork'), false, text)];
}

/** Source: validateWindowsSecurityContextOptions. */
export function validateWindowsOptions(path: string, options: Decoded<WindowsSecurityContextOptions>): FieldError[] {
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName: userName } = options;
  const errors =
    specName === undefined ? [] : wellFormed(child(path, 'gmsaCredentialSpecName'), specName, subdomainMessages);
  const specPath = child(path, 'gmsaCredentialSpec');
  if (spec === '') errors.push(invalid(specPath, spec, 'gmsaCredentialSpec cannot be an empty string'));
  else if (spec !== undefined && Buffer.byteLength(spec) > CREDENTIALS_MAX_BYTES) {
    errors.push(invalid(specPath, spec, 'gmsaCredentialSpec size must be under 64 KiB'));
  }
  if (userName === undefined) return errors;
  const userPath = child(path, 'runAsUserName');
  return [...errors, ...userNameMessages(userName).map((text) => invalid(userPath, userName, text))];
}

/** Validates `DOMAIN\USER`, or the user alone. */
function userNameMessages(userName: string): string[] {
  if (userName === '') return ['runAsUserName cannot be an empty string'];
  if (/\p{Cc}/u.test(userName)) return ['runAsUserName cannot contain control characters'];
  const parts = userName.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? parts[0] : undefined;
  const messages: string[] = [];
  if (domain !== undefined) {
    if (domain.length > DOMAIN_MAX) messages.push("runAsUserName's Domain length must be under 256 characters");
    if (!NETBIOS_DOMAIN.test(domain) && !domain.split('.').every((part) => DNS_PART.test(part))) {
      messages.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    }
  }
  if (user === '') messages.push("runAsUserName's User cannot be empty");
  else if (user.length > USER_MAX) {
    messages.push(`runAsUserName's User length must not be longer than ${USER_MAX} characters`);
  }
  if (/^[. ]+$/.test(user)) messages.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    messages.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return messages;
}
