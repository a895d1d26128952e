import { usage } from '../../api/index.ts';

/** The ports on which Ingresses are served. */
export interface RequestedIngressPorts {
  readonly http: number;
  readonly https: number;
}

const FORM = /^(\d{1,5}),(\d{1,5})$/;
const HIGHEST = 65_535;

/** Reads the ports for HTTP and HTTPS: `8080,8443`. Undefined: another form. */
export function parseIngressPorts(text: string): RequestedIngressPorts | undefined {
  const [http = 0, https = 0] = FORM.exec(text)?.slice(1).map(Number) ?? [];
  const isValid = [http, https].every((port) => port > 0 && port <= HIGHEST) && http !== https;
  return isValid ? { http, https } : undefined;
}

/**
 * The ports that a flag names, else the ports of podrun.yaml. Undefined: none are requested.
 * @throws {PodrunError} (usage) for a flag of another form
 */
export function requestedIngressPorts(
  flag: string | undefined,
  file: RequestedIngressPorts | undefined,
): RequestedIngressPorts | undefined {
  if (flag === undefined) return file;
  const ports = parseIngressPorts(flag);
  if (ports !== undefined) return ports;
  throw usage(`--ingress-port: ${JSON.stringify(flag)} is not two ports`, 'write HTTP,HTTPS, for example 8080,8443');
}
