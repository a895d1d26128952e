import {
  type HTTPIngressPath,
  type Ingress,
  type IngressBackend,
  type IngressRule,
  type IngressSpec,
  type IngressTLS,
  type KubeObject,
  usage,
} from '../../api/index.ts';

/** The words of a command line that make an Ingress. */
export interface IngressWords {
  readonly name: string;
  /** `host/path=service:port[,tls[=secret]]` */
  readonly rules: readonly string[];
  /** `service:port` */
  readonly defaultBackend: string | undefined;
  /** `key=value` */
  readonly annotations: readonly string[];
  readonly className: string | undefined;
}

const RULE =
  /^(?<host>[\w*\-.]*)(?<path>\/[^,=\n]*)=(?<service>[\w-]+):(?<port>[\w-]+)(?:,(?<tls>tls)=?(?<secret>[\w-]+)?)?$/;

interface ParsedRule {
  readonly host: string;
  readonly path: HTTPIngressPath;
  /** The name of the Secret, or nothing for a rule with TLS and no Secret. Undefined: without TLS. */
  readonly secret: string | undefined;
}

/**
 * Makes an Ingress of the words of a command line. Source: kubectl/pkg/cmd/create/create_ingress.go.
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function newIngress({
  name,
  rules,
  defaultBackend,
  annotations,
  className,
}: IngressWords): KubeObject & Ingress {
  if (defaultBackend === undefined && rules.length === 0) {
    throw usage(
      'not enough information provided: every ingress has to either specify a default-backend (which catches all ' +
        'traffic) or a list of rules (which catch specific paths)',
    );
  }
  const parsed = rules.map(parseRule);
  const pairs = annotations.map(parseAnnotation);
  const tls = tlsOf(parsed);
  const spec: IngressSpec = {
    ...(className === undefined ? {} : { ingressClassName: className }),
    ...(defaultBackend === undefined ? {} : { defaultBackend: parseBackend(defaultBackend) }),
    ...(tls.length === 0 ? {} : { tls }),
    ...(parsed.length === 0 ? {} : { rules: rulesOf(parsed) }),
  };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, ...(pairs.length === 0 ? {} : { annotations: Object.fromEntries(pairs) }) },
    spec,
    status: { loadBalancer: {} },
  };
}

function parseRule(rule: string): ParsedRule {
  const { host = '', path = '', service = '', port = '', tls, secret = '' } = RULE.exec(rule)?.groups ?? {};
  if (path === '') {
    throw usage(`rule ${rule} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]`);
  }
  const isPrefix = path.endsWith('*');
  const pathType = isPrefix ? 'Prefix' : 'Exact';
  const backend = backendOf(service, port);
  return {
    host,
    path: { path: isPrefix ? path.slice(0, -1) : path, pathType, backend },
    secret: tls === undefined ? undefined : secret,
  };
}

function parseAnnotation(annotation: string): [key: string, value: string] {
  const at = annotation.indexOf('=');
  if (at < 0) throw usage(`annotation ${annotation} is invalid and should be in format key=[value]`);
  return [annotation.slice(0, at), annotation.slice(at + 1)];
}

function parseBackend(text: string): IngressBackend {
  const [service = '', port, ...rest] = text.split(':');
  if (port === undefined || rest.length > 0) {
    throw usage('default-backend should be in format servicename:serviceport');
  }
  return backendOf(service, port);
}

function backendOf(name: string, port: string): IngressBackend {
  return { service: { name, port: /^\d+$/.test(port) ? { number: Number(port) } : { name: port } } };
}

/** The rules, one for each host. */
function rulesOf(parsed: readonly ParsedRule[]): IngressRule[] {
  const hosts = [...new Set(parsed.map(({ host }) => host))];
  return hosts.map((host) => ({
    ...(host === '' ? {} : { host }),
    http: { paths: parsed.filter((rule) => rule.host === host).map(({ path }) => path) },
  }));
}

/** One entry for each Secret. A host belongs to the first Secret that is named for it. */
function tlsOf(parsed: readonly ParsedRule[]): IngressTLS[] {
  const secured = parsed.filter(({ secret }) => secret !== undefined);
  const first = new Map(secured.toReversed().map(({ host, secret = '' }) => [host, secret]));
  const secrets = [...new Set(secured.map(({ secret = '' }) => secret))];
  return secrets.flatMap((secretName) => {
    const owned = [...new Set(secured.map(({ host }) => host))].filter((host) => first.get(host) === secretName);
    const hosts = owned.filter((host) => host !== '');
    if (owned.length === 0 || (hosts.length === 0 && secretName === '')) return [];
    return [{ ...(hosts.length === 0 ? {} : { hosts }), ...(secretName === '' ? {} : { secretName }) }];
  });
}
