import { usage } from '../../api/errors.ts';

/** The ports on which Ingresses are served. */
export interface AskedIngressPorts {
  readonly http: number;
  readonly https: number;
}

const FORM = /^(\d{1,5}),(\d{1,5})$/;
const HIGHEST = 65_535;

/**
 * Reads the ports for HTTP and HTTPS: `8080,8443`.
 * @throws {PodrunError} (usage) for another form
 */
export function parseIngressPorts(text: string): AskedIngressPorts {
  const [http = 0, https = 0] = FORM.exec(text)?.slice(1).map(Number) ?? [];
  if ([http, https].every((port) => port > 0 && port <= HIGHEST) && http !== https) return { http, https };
  throw usage(`--ingress-port: ${JSON.stringify(text)} is not two ports`, 'write HTTP,HTTPS, for example 8080,8443');
}
