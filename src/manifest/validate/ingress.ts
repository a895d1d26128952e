import {
  type HTTPIngressPath,
  type Ingress,
  type IngressBackend,
  type IngressClass,
  type IngressClassParametersReference,
  type IngressRule,
  type IngressServiceBackend,
  labelMessages,
  pathSegmentMessages,
  portNameMessages,
  subdomainMessages,
  type TypedLocalObjectReference,
  wildcardSubdomainMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, required, tooLong } from '../base/field-error.ts';
import { each, oneOfIfSet, requiredWellFormed, wellFormed, wellFormedIfSet } from './checks.ts';
import { validateDomainPath } from './resource-names.ts';
import { ipFamily } from './ip.ts';
import { validatePortNumber } from './ports.ts';

/** The rules of Ingresses and their classes. Source: pkg/apis/networking/validation/validation.go. */

const PATH_TYPES: readonly string[] = ['Exact', 'ImplementationSpecific', 'Prefix'];
const BAD_SEQUENCES: readonly string[] = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDS: readonly string[] = ['/..', '/.'];
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const CONTROLLER_MAX_BYTES = 250;
const SCOPES: readonly string[] = ['Cluster', 'Namespace'];
const ABSOLUTE = 'must be an absolute path';

export function validateIngress({ metadata, spec = {} }: Decoded<Ingress>): FieldError[] {
  const { rules, defaultBackend, tls, ingressClassName } = spec;
  const isEmpty = (rules ?? []).length === 0 && defaultBackend === undefined;
  const annotated = metadata?.annotations?.[CLASS_ANNOTATION];
  const differs = annotated !== undefined && ingressClassName !== undefined && annotated !== ingressClassName;
  const mismatch = 'must match `ingressClassName` when both are specified';
  return [
    ...(isEmpty ? [invalid('spec', rules ?? null, 'either `defaultBackend` or `rules` must be specified')] : []),
    ...(defaultBackend === undefined ? [] : validateBackend('spec.defaultBackend', defaultBackend)),
    ...each('spec.rules', rules, validateRule),
    ...each('spec.tls', tls, ({ hosts, secretName }, at) => [
      ...each(child(at, 'hosts'), hosts, (host, hostAt) => wellFormed(hostAt, host, hostMessages)),
      ...wellFormedIfSet(child(at, 'secretName'), secretName, subdomainMessages),
    ]),
    ...(ingressClassName === undefined ? [] : wellFormed('spec.ingressClassName', ingressClassName, subdomainMessages)),
    ...(differs ? [invalid(`annotations.${CLASS_ANNOTATION}`, annotated, mismatch)] : []),
  ];
}

function hostMessages(host: string): string[] {
  return host.includes('*') ? wildcardSubdomainMessages(host) : subdomainMessages(host);
}

function validateRule({ host, http }: Decoded<IngressRule>, path: string): FieldError[] {
  const hostPath = child(path, 'host');
  const pathsPath = child(child(path, 'http'), 'paths');
  const isAddress = host !== undefined && ipFamily(host) !== undefined;
  return [
    ...(isAddress ? [invalid(hostPath, host, 'must be a DNS name, not an IP address')] : []),
    ...wellFormedIfSet(hostPath, host, hostMessages),
    ...(http !== undefined && (http.paths ?? []).length === 0 ? [required(pathsPath)] : []),
    ...each(pathsPath, http?.paths, validatePath),
  ];
}

function validatePath({ path = '', pathType, backend }: Decoded<HTTPIngressPath>, at: string): FieldError[] {
  if (pathType === undefined) return [required(child(at, 'pathType'), 'pathType must be specified')];
  return [
    ...pathMessages(path, pathType).map((message) => invalid(child(at, 'path'), path, message)),
    ...oneOfIfSet(child(at, 'pathType'), pathType, PATH_TYPES),
    ...validateBackend(child(at, 'backend'), backend ?? {}),
  ];
}

function pathMessages(path: string, pathType: string): string[] {
  if (!PATH_TYPES.includes(pathType)) return [];
  const isRelative = !path.startsWith('/');
  if (pathType === 'ImplementationSpecific') return path !== '' && isRelative ? [ABSOLUTE] : [];
  return [
    ...(isRelative ? [ABSOLUTE] : []),
    ...BAD_SEQUENCES.filter((text) => path.includes(text)).map((text) => `must not contain '${text}'`),
    ...BAD_ENDS.filter((text) => path.endsWith(text)).map((text) => `cannot end with '${text}'`),
  ];
}

function validateBackend(path: string, { resource, service }: Decoded<IngressBackend>): FieldError[] {
  if (resource !== undefined && service !== undefined) {
    return [invalid(path, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) return validateReference(child(path, 'resource'), resource);
  if (service !== undefined) return validateServiceBackend(path, service);
  return [invalid(path, '', 'resource or service backend is required')];
}

function validateServiceBackend(path: string, { name, port = {} }: Decoded<IngressServiceBackend>): FieldError[] {
  const at = child(path, 'service');
  return [...requiredWellFormed(child(at, 'name'), name, labelMessages), ...validateBackendPort(path, at, port)];
}

function validateBackendPort(
  path: string,
  servicePath: string,
  { name = '', number = 0 }: NonNullable<Decoded<IngressServiceBackend>['port']>,
): FieldError[] {
  const at = child(servicePath, 'port');
  if (name !== '' && number !== 0) return [invalid(path, '', 'cannot set both port name & port number')];
  if (name !== '') return wellFormed(child(at, 'name'), name, portNameMessages);
  if (number !== 0) return validatePortNumber(child(at, 'number'), number);
  return [required(path, 'port name or number is required')];
}

function validateReference(path: string, { apiGroup, kind, name }: Decoded<TypedLocalObjectReference>): FieldError[] {
  return [
    ...(apiGroup === undefined ? [] : wellFormed(child(path, 'apiGroup'), apiGroup, subdomainMessages)),
    ...requiredWellFormed(child(path, 'kind'), kind, pathSegmentMessages),
    ...requiredWellFormed(child(path, 'name'), name, pathSegmentMessages),
  ];
}

export function validateIngressClass({ spec = {} }: Decoded<IngressClass>): FieldError[] {
  const { controller, parameters } = spec;
  const path = 'spec.controller';
  return [
    ...(controller ? [] : [required(path)]),
    ...(Buffer.byteLength(controller ?? '') > CONTROLLER_MAX_BYTES ? [tooLong(path, CONTROLLER_MAX_BYTES)] : []),
    ...(controller ? validateDomainPath(path, controller) : []),
    ...(parameters === undefined ? [] : validateParameters('spec.parameters', parameters)),
  ];
}

function validateParameters(path: string, reference: Decoded<IngressClassParametersReference>): FieldError[] {
  return [...validateReference(path, reference), ...validateScope(path, reference)];
}

function validateScope(path: string, { scope, namespace }: Decoded<IngressClassParametersReference>): FieldError[] {
  const [scopePath, namespacePath] = [child(path, 'scope'), child(path, 'namespace')];
  if (scope === undefined) return [required(scopePath)];
  if (scope === 'Namespace') {
    if (namespace === undefined) return [required(namespacePath, "`parameters.scope` is set to 'Namespace'")];
    return wellFormed(namespacePath, namespace, labelMessages);
  }
  if (scope !== 'Cluster') return oneOfIfSet(scopePath, scope, SCOPES);
  return namespace === undefined ? [] : [forbidden(namespacePath, "`parameters.scope` is set to 'Cluster'")];
}
