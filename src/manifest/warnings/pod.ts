import { type Container, type EnvVar, goQuote, type PodSpec } from '../../api/index.ts';
import { lookUp, type Decoded } from '../base/decoded.ts';
import { containersWithPaths, type PodInObject } from '../base/pod-specs.ts';
import { placementWarnings, podAffinityWarnings } from './node-labels.ts';
import { portWarnings } from './ports.ts';
import { BYTE_RESOURCES, fractionalBytes, fractionalByteWarnings } from './resources.ts';
import { volumeWarnings } from './volumes.ts';

type TextMap = Readonly<Record<string, string | undefined>> | undefined;

/** Annotations that have become fields. */
const OLD_ANNOTATIONS: readonly (readonly [string, string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];
const POD_SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER_SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/';
const CONTAINER_APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP_TEXT = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const APPARMOR_TEXT = 'deprecated since v1.30; use the "appArmorProfile" field instead';

/** Warnings about valid but hardly intended fields. Source: pkg/api/pod/warnings.go, warningsForPodSpecAndMeta. */
export function podWarnings({ path, pod }: PodInObject): string[] {
  const spec = pod.spec ?? {};
  const prefix = path === '' ? '' : `${path}.`;
  const specPath = `${prefix}spec`;
  const containers = containersWithPaths(specPath, spec);
  const annotations = annotationWarnings(`${prefix}metadata.annotations`, pod.metadata?.annotations, spec);
  return [
    ...placementWarnings(specPath, spec),
    ...annotations.ofPod,
    ...volumeWarnings(`${specPath}.volumes`, spec.volumes ?? []),
    ...repeatedAliases(`${specPath}.hostAliases`, spec),
    ...pullSecretWarnings(`${specPath}.imagePullSecrets`, spec),
    ...fractionalByteWarnings(`${specPath}.overhead`, spec.overhead, BYTE_RESOURCES),
    ...annotations.ofContainers,
    ...containers.flatMap(([at, container]) => containerWarnings(at, container)),
    ...portWarnings(containers),
    ...graceWarnings(`${specPath}.terminationGracePeriodSeconds`, spec),
    ...podAffinityWarnings(`${specPath}.affinity`, spec.affinity ?? {}),
  ];
}

function annotationWarnings(
  path: string,
  annotations: TextMap,
  spec: Decoded<PodSpec>,
): { ofPod: string[]; ofContainers: string[] } {
  const warn = (name: string, text: string): string[] =>
    lookUp(annotations, name) === undefined ? [] : [`${path}[${name}]: ${text}`];
  const { seccompProfile, appArmorProfile } = spec.securityContext ?? {};
  const ofContainers = containersWithPaths('', spec).flatMap(([, { name = '', securityContext: own = {} }]) => [
    ...(own.seccompProfile ? [] : warn(CONTAINER_SECCOMP + name, SECCOMP_TEXT)),
    ...(own.appArmorProfile || appArmorProfile ? [] : warn(CONTAINER_APPARMOR + name, APPARMOR_TEXT)),
  ]);
  return {
    ofPod: OLD_ANNOTATIONS.flatMap(([name, text]) => warn(name, text)),
    ofContainers: [...(seccompProfile ? [] : warn(POD_SECCOMP, SECCOMP_TEXT)), ...ofContainers],
  };
}

function repeatedAliases(path: string, { hostAliases = [] }: Decoded<PodSpec>): string[] {
  const addresses = hostAliases.map(({ ip = '' }) => ip);
  return repeated(addresses).map((index) => `${path}[${index}].ip: duplicate ip ${goQuote(addresses[index] ?? '')}`);
}

function pullSecretWarnings(path: string, { imagePullSecrets = [] }: Decoded<PodSpec>): string[] {
  const names = imagePullSecrets.map(({ name = '' }) => name);
  return [
    ...repeated(names).map((index) => `${path}[${index}].name: duplicate name ${goQuote(names[index] ?? '')}`),
    ...names.flatMap((name, index) => (name === '' ? [`${path}[${index}].name: invalid empty name ""`] : [])),
  ];
}

/** The indexes of items that repeat an earlier one. */
function repeated(items: readonly string[]): number[] {
  const seen = new Set<string>();
  return items.flatMap((value, index) => {
    if (seen.has(value)) return [index];
    seen.add(value);
    return [];
  });
}

function containerWarnings(path: string, container: Decoded<Container>): string[] {
  const seen = new Set<string>();
  const hidden = (container.env ?? []).flatMap((variable, index) => {
    const { name = '' } = variable;
    const hides = seen.has(name) && !extendsEarlier(variable);
    seen.add(name);
    if (!hides) return [];
    return [
      `${path}.env[${index}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`,
    ];
  });
  return [...fractionalBytes(`${path}.resources`, container.resources, BYTE_RESOURCES), ...hidden];
}

/** True for a variable that extends an earlier one with its name: `A=$(A) and more`. Such a repetition is intended. */
function extendsEarlier({ name = '', value = '', valueFrom }: Decoded<EnvVar>): boolean {
  const reference = `$(${name})`;
  return valueFrom === undefined && value !== reference && value.includes(reference);
}

/** Warns of a negative grace period in a template. In a Pod, defaulting has replaced it with 1. */
function graceWarnings(path: string, { terminationGracePeriodSeconds: seconds = 0 }: Decoded<PodSpec>): string[] {
  return seconds < 0 ? [`${path}: must be >= 0; negative values are invalid and will be treated as 1`] : [];
}
