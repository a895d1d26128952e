import {
  compareText,
  type Container,
  type ContainerPort,
  type ContainerState,
  type ContainerStatus,
  goQuote,
  type SeccompProfile,
  type StoredMeta,
} from '../../api/index.ts';
import { formatDate } from '../base/age.ts';
import { describeEnvironment } from './environment.ts';
import { line } from './line.ts';
import { describeProbe } from './probe.ts';
import { describeResources } from './resources.ts';

/** The Pod of a container. */
export interface PodOfContainer {
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
