/** A Service as the environment of a container shows it. */
export interface ServiceFact {
  readonly namespace: string;
  readonly name: string;
  /** Undefined or `None`: the Service has no address and no variables. */
  readonly clusterIP: string | undefined;
  readonly ports: readonly ServicePortFact[];
}

export interface ServicePortFact {
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
