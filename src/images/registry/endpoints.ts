import { DEFAULT_DOMAIN } from '../../api/index.ts';
import type { RegistrySettings } from '../../lifecycle/index.ts';

/** A place that has images: the registry of their name, or a mirror. */
export interface Endpoint {
  /** With a port if there is one. */
  readonly host: string;
  /** The path of the repository there. */
  readonly repository: string;
  /** True for the registry of the name. Only that one gets credentials. */
  readonly isOwn: boolean;
}

/** Docker's registry has another host than its names say. */
const DOCKER_HOST = 'registry-1.docker.io';

export type Registries = Readonly<Record<string, RegistrySettings>>;

const NO_SETTINGS: RegistrySettings = {
  plainHttp: false,
  insecureSkipTlsVerify: false,
  caFile: undefined,
  certFile: undefined,
  keyFile: undefined,
  mirrors: [],
};

/** The settings of podrun.yaml for a host. */
export function registrySettings(host: string, registries: Registries): RegistrySettings {
  const given = registries[host] ?? (host === DOCKER_HOST ? registries[DEFAULT_DOMAIN] : undefined);
  return given ?? NO_SETTINGS;
}

/** The places of a repository in the order in which they are asked. */
export function placesOf(domain: string, path: string, registries: Registries): Endpoint[] {
  const mirrors = registrySettings(domain, registries).mirrors.map((mirror) => {
    const place = mirror.replace(/^https?:\/\//, '').replace(/(?<!\/)\/+$/, '');
    const [, host = '', prefix = ''] = /^([^/]*)\/?(.*)/s.exec(place) ?? [];
    return { host, repository: prefix === '' ? path : `${prefix}/${path}`, isOwn: false };
  });
  return [...mirrors, { host: domain === DEFAULT_DOMAIN ? DOCKER_HOST : domain, repository: path, isOwn: true }];
}

/** True for hosts that are this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** The variables that name proxies and CAs. */
export type NetworkVariables = Readonly<Record<string, string | undefined>>;

/** The proxy for a URL. Undefined: none. Source: golang.org/x/net/http/httpproxy. */
export function proxyFor(url: URL, env: NetworkVariables): URL | undefined {
  const variable = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const proxy = env[variable.toUpperCase()] || env[variable];
  if (!proxy || isLoopback(url.host) || isExcluded(url, env['NO_PROXY'] || env['no_proxy'] || '')) return undefined;
  return URL.canParse(proxy) && /^https?:/.test(proxy) ? new URL(proxy) : new URL(`http://${proxy}`);
}

/** True when a list such as `.example.com,10.0.0.1:8080` has the host, or a domain above it. */
function isExcluded({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (entryPort !== undefined && entryPort !== ownPort) return false;
      const domain = name.replace(/^\*?\./, '');
      return (hostname === domain && !/^\*?\./.test(name)) || hostname.endsWith(`.${domain}`);
    });
}
