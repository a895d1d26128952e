import {
  type Affinity,
  type Container,
  type ContainerPort,
  type EnvVar,
  goQuote,
  type NodeSelectorTerm,
  ownValue,
  type PodSpec,
} from '../../api/index.ts';
import { type Decoded, entriesByKey } from '../base/decoded.ts';
import { containersWithPaths, type PodInObject } from '../base/pod-specs.ts';
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
    ownValue(annotations, name) === undefined ? [] : [`${path}[${name}]: ${text}`];
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

/** The number of earlier ports that one port is compared with: a thousand equal ports must not make a million lines. */
const OTHERS_MAX = 8;

interface PortWithPath {
  readonly path: string;
  readonly port: Decoded<ContainerPort>;
}

/** Compares the ports of all containers of a Pod. Source: pkg/api/pod/warnings.go. */
function portWarnings(containers: readonly (readonly [string, Decoded<Container>])[]): string[] {
  const ports = containers.flatMap(([path, container]) => placed(path, container));
  const earlier = new Map<string, PortWithPath[]>();
  const numbers = ports.flatMap((placedPort) => {
    const { path, port } = placedPort;
    const number = `${port.containerPort}/${port.protocol}`;
    const others = earlier.get(number) ?? [];
    if (others.length < OTHERS_MAX) earlier.set(number, [...others, placedPort]);
    return [
      ...(port.hostIP && !port.hostPort ? [`${path}: hostIP set without hostPort: ${goStruct(port)}`] : []),
      ...others.flatMap((other) => clash(port, other.port, path, other.path)),
    ];
  });
  return [...numbers, ...nameWarnings(containers)];
}

function placed(path: string, container: Decoded<Container>): PortWithPath[] {
  return (container.ports ?? []).map((port, index) => ({ path: `${path}.ports[${index}]`, port }));
}

/** The warning about two ports with one number. */
function clash(port: Decoded<ContainerPort>, other: Decoded<ContainerPort>, path: string, otherPath: string): string[] {
  const [hostPort, otherHostPort] = [port.hostPort ?? 0, other.hostPort ?? 0];
  const [hostIP, otherHostIP] = [port.hostIP ?? '', other.hostIP ?? ''];
  if (hostIP === otherHostIP && hostPort === otherHostPort)
    return [`${path}: duplicate port definition with ${otherPath}`];
  if (hostPort === 0 || otherHostPort === 0) return [`${path}: overlapping port definition with ${otherPath}`];
  const isAmbiguous = hostPort === otherHostPort && (hostIP === '') !== (otherHostIP === '');
  return isAmbiguous ? [`${path}: dangerously ambiguous port definition with ${otherPath}`] : [];
}

/** Warnings about equal port names of containers that run together. */
function nameWarnings(containers: readonly (readonly [string, Decoded<Container>])[]): string[] {
  const first = new Map<string, string>();
  const together = containers.filter(
    ([path, { restartPolicy }]) => !path.includes('.initContainers[') || restartPolicy === 'Always',
  );
  return together.flatMap(([at, container]) =>
    placed(at, container).flatMap(({ path, port: { name } }) => {
      if (!name) return [];
      const other = first.get(name);
      if (other === undefined) {
        first.set(name, path);
        return [];
      }
      const effect = `services and probes that select ports by name will use ${other}`;
      return [`${path}: duplicate port name ${goQuote(name)} with ${other}, ${effect}`];
    }),
  );
}

/** Formats a port as Go does with %+v. */
function goStruct({
  name = '',
  hostPort = 0,
  containerPort = 0,
  protocol = '',
  hostIP = '',
}: Decoded<ContainerPort>): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}

/** Node labels with a new name. Source: pkg/api/node/util.go. */
const OLD_LABELS: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
]);

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Warnings about old node labels, and about topology spread that counts no Pods. */
function placementWarnings(path: string, spec: Decoded<PodSpec>): string[] {
  return [
    ...entriesByKey(spec.nodeSelector).flatMap(([label]) => {
      const message = OLD_LABELS.get(label);
      return message === undefined ? [] : [`${path}.nodeSelector[${label}]: ${message}`];
    }),
    ...nodeAffinityWarnings(`${path}.affinity.nodeAffinity`, spec.affinity ?? {}),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey = '', labelSelector }, index) => {
      const at = `${path}.topologySpreadConstraints[${index}]`;
      return [...oldLabel(`${at}.topologyKey`, topologyKey), ...missingSelector(at, labelSelector)];
    }),
  ];
}

function nodeAffinityWarnings(path: string, { nodeAffinity = {} }: Decoded<Affinity>): string[] {
  const terms = nodeAffinity[REQUIRED]?.nodeSelectorTerms ?? [];
  const preferred = nodeAffinity[PREFERRED] ?? [];
  return [
    ...terms.flatMap((term, index) => termWarnings(`${path}.${REQUIRED}.nodeSelectorTerms[${index}]`, term)),
    ...preferred.flatMap(({ preference = {} }, index) =>
      termWarnings(`${path}.${PREFERRED}[${index}].preference`, preference),
    ),
  ];
}

function termWarnings(path: string, { matchExpressions = [] }: Decoded<NodeSelectorTerm>): string[] {
  return matchExpressions.flatMap(({ key = '' }, index) => oldLabel(`${path}.matchExpressions[${index}].key`, key));
}

function oldLabel(path: string, label: string): string[] {
  const message = OLD_LABELS.get(label);
  return message === undefined ? [] : [`${path}: ${label} is ${message}`];
}

/** Warnings about Pod affinity without a selector. */
function podAffinityWarnings(path: string, affinity: Decoded<Affinity>): string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((kind) => {
    const rules = affinity[kind] ?? {};
    const at = `${path}.${kind}`;
    return [
      ...(rules[REQUIRED] ?? []).flatMap((term, index) =>
        missingSelector(`${at}.${REQUIRED}[${index}]`, term.labelSelector),
      ),
      ...(rules[PREFERRED] ?? []).flatMap(({ podAffinityTerm }, index) =>
        missingSelector(`${at}.${PREFERRED}[${index}].podAffinityTerm`, podAffinityTerm?.labelSelector),
      ),
    ];
  });
}

function missingSelector(path: string, selector: object | undefined): string[] {
  return selector === undefined ? [`${path}.labelSelector: a null labelSelector results in matching no pod`] : [];
}
