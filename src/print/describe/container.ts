import {
  canonicalQuantity,
  compareText,
  type Container,
  type ContainerPort,
  type ContainerState,
  type ContainerStatus,
  type EnvFromSource,
  type EnvVar,
  goQuote,
  type ObjectFieldSelector,
  type ParsedQuantity,
  parseQuantity,
  type Probe,
  quantityMilliValue,
  quantityValue,
  type ResourceFieldSelector,
  type ResourceRequirements,
  type SeccompProfile,
  type StoredMeta,
} from '../../api/index.ts';
import { describeHandler } from '../../lifecycle/index.ts';
import { formatDate } from '../base/age.ts';
import { sortedEntries } from '../text/labels.ts';
import { line } from './lines.ts';

/** The Pod of a container. */
interface PodOfContainer {
  readonly metadata: StoredMeta;
  /** The status of this container, if there is one. */
  readonly status: ContainerStatus | undefined;
}

/**
 * The block of one container from any of the three lists.
 * @param pod undefined for a container of a template
 */
export function describeContainer(container: Container, pod?: PodOfContainer): string[] {
  const status = pod?.status;
  return [
    // kubectl indents the names in templates by one blank more.
    line(1, `${pod === undefined ? ' ' : ''}${container.name}:`),
    ...(status === undefined ? [] : [line(2, 'Container ID:', status.containerID ?? '')]),
    line(2, 'Image:', container.image ?? ''),
    ...(status === undefined ? [] : [line(2, 'Image ID:', status.imageID)]),
    ...describePorts(container.ports ?? [], pod === undefined),
    ...describeSeccomp(container.securityContext?.seccompProfile, 2, 3),
    ...describeWords('Command', container.command),
    ...describeWords('Args', container.args),
    ...(status === undefined ? [] : describeStatus(status)),
    ...describeResources(container.resources, 2),
    ...describeProbes(container),
    ...describeEnvironment(container, pod?.metadata),
    ...describeMounts(container),
  ];
}

/** The line `SeccompProfile:`, with a second line for a local profile. */
export function describeSeccomp(profile: SeccompProfile | undefined, level: number, profileLevel: number): string[] {
  if (!profile) return [];
  const lines = [line(level, 'SeccompProfile:', profile.type)];
  if (profile.type === 'Localhost') {
    lines.push(line(profileLevel, 'LocalhostProfile:', profile.localhostProfile ?? ''));
  }
  return lines;
}

/** @param named adds the names of ports, as kubectl does since v1.34. Pods are described as by v1.32. */
function describePorts(ports: readonly ContainerPort[], named: boolean): string[] {
  const nameOf = ({ name }: ContainerPort): string => (named && name ? ` (${name})` : '');
  const list = (number: (port: ContainerPort) => number): string =>
    ports.map((port) => `${number(port)}/${port.protocol ?? 'TCP'}${nameOf(port)}`).join(', ') || '<none>';
  const plural = ports.length > 1 ? 's' : '';
  return [
    line(
      2,
      `Port${plural}:`,
      list(({ containerPort }) => containerPort),
    ),
    line(
      2,
      `Host Port${plural}:`,
      list(({ hostPort }) => hostPort ?? 0),
    ),
  ];
}

/** One line for each line of each word, so that a shell script stays readable. */
function describeWords(title: string, words: readonly string[] | undefined): string[] {
  if (!words || words.length === 0) return [];
  return [line(2, `${title}:`), ...words.flatMap((word) => word.split('\n')).map((text) => line(3, text))];
}

function describeStatus(status: ContainerStatus): string[] {
  return [
    ...describeState('State', status.state),
    ...(status.lastState?.terminated ? describeState('Last State', status.lastState) : []),
    line(2, 'Ready:', status.ready ? 'True' : 'False'),
    line(2, 'Restart Count:', String(status.restartCount)),
  ];
}

function describeState(title: string, state: ContainerState | undefined): string[] {
  const { running, terminated, waiting } = state ?? {};
  if (running) return [line(2, `${title}:`, 'Running'), line(3, 'Started:', formatDate(running.startedAt))];
  if (!terminated) {
    return [line(2, `${title}:`, 'Waiting'), ...(waiting?.reason ? [line(3, 'Reason:', waiting.reason)] : [])];
  }
  return [
    line(2, `${title}:`, 'Terminated'),
    ...(terminated.reason ? [line(3, 'Reason:', terminated.reason)] : []),
    ...(terminated.message ? [line(3, 'Message:', terminated.message)] : []),
    line(3, 'Exit Code:', String(terminated.exitCode)),
    ...(terminated.signal ? [line(3, 'Signal:', String(terminated.signal))] : []),
    line(3, 'Started:', formatDate(terminated.startedAt)),
    line(3, 'Finished:', formatDate(terminated.finishedAt)),
  ];
}

function describeProbes({ livenessProbe, readinessProbe, startupProbe }: Container): string[] {
  return [
    ...(livenessProbe ? [line(2, 'Liveness:', describeProbe(livenessProbe))] : []),
    ...(readinessProbe ? [line(2, 'Readiness:', describeProbe(readinessProbe))] : []),
    ...(startupProbe ? [line(2, 'Startup:', describeProbe(startupProbe))] : []),
  ];
}

function describeMounts({ volumeMounts = [], volumeDevices = [] }: Container): string[] {
  const mounts = [...volumeMounts].sort((a, b) => compareText(a.mountPath, b.mountPath));
  // kubectl prints the `<none>` of the mounts after the title of the devices, too.
  const none = mounts.length === 0 ? ['<none>'] : [];
  return [
    line(2, 'Mounts:', ...none),
    ...mounts.map(({ mountPath, name, readOnly, subPath }) => {
      const path = subPath ? `,path=${goQuote(subPath)}` : '';
      return line(3, `${mountPath} from ${name} (${readOnly ? 'ro' : 'rw'}${path})`);
    }),
    ...(volumeDevices.length === 0 ? [] : [line(2, 'Devices:', ...none)]),
    ...volumeDevices.map(({ devicePath, name }) => line(3, `${devicePath} from ${name}`)),
  ];
}

/** A probe on one line: its handler and its numbers. Missing numbers appear as the API's defaults. */
export function describeProbe(probe: Probe): string {
  const numbers = [
    `delay=${probe.initialDelaySeconds ?? 0}s`,
    `timeout=${probe.timeoutSeconds ?? 1}s`,
    `period=${probe.periodSeconds ?? 10}s`,
    `#success=${probe.successThreshold ?? 1}`,
    `#failure=${probe.failureThreshold ?? 3}`,
  ];
  return `${describeHandler(probe)} ${numbers.join(' ')}`;
}

/** The blocks `Limits:` and `Requests:`, if not empty, with canonical quantities (`1024Mi` is `1Gi`). */
export function describeResources(resources: ResourceRequirements | undefined, level: number): string[] {
  return [...describeList('Limits', resources?.limits, level), ...describeList('Requests', resources?.requests, level)];
}

function describeList(title: string, list: Readonly<Record<string, string>> | undefined, level: number): string[] {
  const entries = sortedEntries(list);
  if (entries.length === 0) return [];
  return [
    line(level, `${title}:`),
    ...entries.map(([name, quantity]) => line(level + 1, `${name}:`, canonicalQuantity(quantity))),
  ];
}

/**
 * The environment of a container: the sources in `envFrom`, if there are any, then `env`.
 * @param metadata of the Pod; undefined in a template, whose Pods have no names yet
 */
function describeEnvironment(container: Container, metadata: StoredMeta | undefined): string[] {
  const { env = [], envFrom = [] } = container;
  return [
    ...(envFrom.length === 0 ? [] : [line(2, 'Environment Variables from:'), ...envFrom.map(describeSource)]),
    env.length === 0 ? line(2, 'Environment:', '<none>') : line(2, 'Environment:'),
    ...env.flatMap((variable) => describeVariable(variable, container, metadata)),
  ];
}

function describeSource({ prefix, configMapRef, secretRef }: EnvFromSource): string {
  const source = configMapRef ?? secretRef;
  const kind = configMapRef ? 'ConfigMap' : 'Secret';
  const from = prefix ? `${kind} with prefix '${prefix}'` : kind;
  return line(3, source?.name ?? '', from, `Optional: ${source?.optional === true}`);
}

function describeVariable(
  { name, value, valueFrom }: EnvVar,
  container: Container,
  metadata: StoredMeta | undefined,
): string[] {
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef, fileKeyRef } = valueFrom ?? {};
  const title = `${name}:`;
  if (fieldRef) return [line(3, title, describeField(fieldRef, metadata))];
  if (resourceFieldRef) return [line(3, title, describeResourceField(resourceFieldRef, container))];
  if (secretKeyRef) {
    const text = `<set to the key '${secretKeyRef.key}' in secret '${secretKeyRef.name ?? ''}'>`;
    return [line(3, title, text, `Optional: ${secretKeyRef.optional === true}`)];
  }
  if (configMapKeyRef) {
    const text = `<set to the key '${configMapKeyRef.key}' of config map '${configMapKeyRef.name ?? ''}'>`;
    return [line(3, title, text, `Optional: ${configMapKeyRef.optional === true}`)];
  }
  if (fileKeyRef) {
    const { key, path, volumeName } = fileKeyRef;
    const text = `<set to the key '${key}' of file '${path}' in volume '${volumeName}'>`;
    return [line(3, title, text, `Optional: ${fileKeyRef.optional === true}`)];
  }
  const [first = '', ...others] = (value ?? '').split('\n');
  return [line(3, title, first), ...others.map((text) => line(3, '', text))];
}

/** The value of a field reference: kubectl resolves only name and namespace, which need no node. */
function describeField({ apiVersion = '', fieldPath }: ObjectFieldSelector, metadata: StoredMeta | undefined): string {
  const known: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata?.name,
    'metadata.namespace': metadata?.namespace,
  };
  return `${known[fieldPath] ?? ''} (${apiVersion}:${fieldPath})`;
}

function describeResourceField({ resource, divisor }: ResourceFieldSelector, container: Container): string {
  const value = resourceValue(resource, divisor, container);
  const allocatable = value === '0' && (resource === 'limits.cpu' || resource === 'limits.memory');
  return `${allocatable ? 'node allocatable' : value} (${resource})`;
}

/** The amount in units of the divisor, rounded up. CPU counts in thousandths. Empty for an unknown resource. */
function resourceValue(resource: string, divisor: string | undefined, container: Container): string {
  const [, list, name] = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/.exec(resource) ?? [];
  if (list === undefined || name === undefined) return '';
  const amounts = list === 'limits' ? container.resources?.limits : container.resources?.requests;
  const measure: (quantity: ParsedQuantity) => bigint = name === 'cpu' ? quantityMilliValue : quantityValue;
  const unit = measure(parseQuantity(divisor || '1')) || measure(parseQuantity('1'));
  return String((measure(parseQuantity(amounts?.[name] ?? '0')) + unit - 1n) / unit);
}
