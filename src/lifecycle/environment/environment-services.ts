import type { Container, StoredPod } from '../../api/index.ts';
import type { EventDraft } from '../texts/events.ts';
import { noApiServer } from '../texts/podrun-events.ts';

/** A Service as the environment of a container shows it. */
export interface ServiceFact {
  readonly namespace: string;
  readonly name: string;
  /** Undefined or `None`: the Service has no address and no variables. */
  readonly clusterIP: string | undefined;
  readonly ports: readonly ServicePortFact[];
}

interface ServicePortFact {
  readonly name?: string | undefined;
  readonly port: number;
  /** The port that leads to it here. Undefined: `port`. */
  readonly served?: number | undefined;
  /** TCP when absent. */
  readonly protocol?: string | undefined;
}

/**
 * The variables of Services, in the form of Docker links: always for the API server, and with service links for all
 * Services of the Pod's namespace. Source: pkg/kubelet/kubelet_pods.go getServiceEnvVarMap,
 * pkg/kubelet/envvars/envvars.go.
 */
export function serviceVariables(
  services: readonly ServiceFact[],
  namespace: string,
  wantsLinks: boolean,
): Map<string, string> {
  const apiServer = services.filter((service) => service.namespace === 'default' && service.name === 'kubernetes');
  const linked = wantsLinks ? services.filter((service) => service.namespace === namespace) : [];
  // A Service of the Pod's namespace replaces the API server's Service of the same name.
  const reachable = [...apiServer, ...linked].filter(({ clusterIP = '' }) => clusterIP !== '' && clusterIP !== 'None');
  const byName = new Map(reachable.map((service) => [service.name, service]));
  return new Map([...byName.values()].flatMap(variablesOf));
}

function variablesOf(service: ServiceFact): [string, string][] {
  const { clusterIP = '', ports } = service;
  const [first] = ports;
  if (first === undefined) return [];
  const prefix = variableName(service.name);
  return [
    [`${prefix}_SERVICE_HOST`, clusterIP],
    [`${prefix}_SERVICE_PORT`, String(servedPort(first))],
    ...ports.flatMap(({ name = '', ...port }): [string, string][] => {
      return name === '' ? [] : [[`${prefix}_SERVICE_PORT_${variableName(name)}`, String(servedPort(port))]];
    }),
    [`${prefix}_PORT`, address(clusterIP, first)],
    ...ports.flatMap((port) => linkVariables(prefix, clusterIP, port)),
  ];
}

function linkVariables(prefix: string, clusterIP: string, port: ServicePortFact): [string, string][] {
  const protocol = port.protocol ?? 'TCP';
  const link = `${prefix}_PORT_${port.port}_${protocol.toUpperCase()}`;
  return [
    [link, address(clusterIP, port)],
    [`${link}_PROTO`, protocol.toLowerCase()],
    [`${link}_PORT`, String(servedPort(port))],
    [`${link}_ADDR`, clusterIP],
  ];
}

function servedPort({ port, served = port }: Pick<ServicePortFact, 'port' | 'served'>): number {
  return served;
}

function address(clusterIP: string, { protocol = 'TCP', ...port }: ServicePortFact): string {
  const host = clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP;
  return `${protocol.toLowerCase()}://${host}:${servedPort(port)}`;
}

function variableName(text: string): string {
  return text.replaceAll('-', '_').toUpperCase();
}

/** The variables of the Service `kubernetes`, which contain the address of the API server. */
const VARIABLE = /\bKUBERNETES_(?:SERVICE_(?:HOST|PORT(?:_HTTPS)?)\b|PORT(?:_443_TCP\w*|\b))/;

/**
 * The notices for containers that refer to a variable of the API server in command, arguments or variables, without
 * setting that variable.
 */
export function apiServerNotices({ spec }: Pick<StoredPod, 'spec'>): EventDraft[] {
  return [...(spec.initContainers ?? []), ...spec.containers].flatMap((container) => {
    const variable = namedVariable(container);
    return variable === undefined ? [] : [noApiServer(container.name, variable)];
  });
}

function namedVariable(container: Container): string | undefined {
  const [variable] = VARIABLE.exec(textOf(container)) ?? [];
  return container.env?.some(({ name }) => name === variable) === true ? undefined : variable;
}

function textOf({ command = [], args = [], env = [] }: Container): string {
  return [...command, ...args, ...env.map(({ value = '' }) => value)].join('\n');
}

/** Words of commands and addresses with the name of a Service in the DNS of a cluster. */
const SERVICE_LOOKUP = /\bnslookup\b|\.svc\b|\bcluster\.local\b/;

/** True when the command, the arguments or the variables of a container look up the name of a Service. */
export function looksUpServices(spec: StoredPod['spec']): boolean {
  return [...(spec.initContainers ?? []), ...spec.containers].some((container) =>
    SERVICE_LOOKUP.test(textOf(container)),
  );
}
