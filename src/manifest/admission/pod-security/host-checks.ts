import {
  type AnyContainer,
  type SecurityCheck,
  findingOf,
  namesOf,
  plural,
  quoted,
  securedContainers,
  setters,
  unique,
} from './findings.ts';

/** Namespaces of the node. */
export const hostNamespaces: SecurityCheck = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name]);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((name) => `${name}=true`).join(', ') };
};

/** Paths of the node. */
export const hostPathVolumes: SecurityCheck = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural(names.length, 'volume')} ${quoted(names)}` };
};

/** Ports of the node. */
export const noHostPorts: SecurityCheck = (pod) => {
  const portsOf = ({ ports = [] }: AnyContainer): string[] =>
    ports.filter(({ hostPort }) => hostPort).map(({ hostPort }) => String(hostPort));
  const bad = securedContainers(pod).filter((container) => portsOf(container).length > 0);
  const ports = unique(bad.flatMap(portsOf));
  const use = bad.length === 1 ? 'uses' : 'use';
  return findingOf('hostPort', setters(false, bad), `${use} ${plural(ports.length, 'hostPort')} ${ports.join(', ')}`);
};

/** Privileged containers. */
export const privileged: SecurityCheck = (pod) => {
  const bad = securedContainers(pod).filter(({ securityContext }) => securityContext?.privileged);
  return findingOf('privileged', setters(false, bad), 'must not set securityContext.privileged=true');
};

/** The hosts to which probes and hooks of a container go. */
function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer): string[] {
  const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  return handlers.flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host].filter(Boolean)) as string[];
}

/** Probes and hooks that go to other hosts. */
export const hostProbes: SecurityCheck = (pod) => {
  const bad = securedContainers(pod).filter((container) => hostsOf(container).length > 0);
  const hosts = unique(bad.flatMap(hostsOf));
  const names = unique(namesOf(bad));
  if (names.length === 0) return undefined;
  const who = `${plural(names.length, 'container')} ${quoted(names)} ${names.length === 1 ? 'uses' : 'use'}`;
  const what = `${plural(hosts.length, 'probe or lifecycle host')} ${quoted(hosts)}`;
  return { reason: 'probe or lifecycle host', detail: `${who} ${what}` };
};

/** An unmasked /proc. */
export const procMount: SecurityCheck = (pod) => {
  const mountOf = ({ securityContext }: AnyContainer): string => securityContext?.procMount ?? 'Default';
  const bad = securedContainers(pod).filter((container) => mountOf(container) !== 'Default');
  const detail = `must not set securityContext.procMount to ${quoted(unique(bad.map(mountOf)))}`;
  return findingOf('procMount', setters(false, bad), detail);
};

/** Processes of a Windows node. */
export const windowsHostProcess: SecurityCheck = (pod) => {
  const isOn = (context: { readonly windowsOptions?: { readonly hostProcess?: boolean } } | undefined): boolean =>
    context?.windowsOptions?.hostProcess === true;
  const bad = securedContainers(pod).filter(({ securityContext }) => isOn(securityContext as never));
  const who = setters(isOn(pod.spec.securityContext as never), bad);
  return findingOf('hostProcess', who, 'must not set securityContext.windowsOptions.hostProcess=true');
};
