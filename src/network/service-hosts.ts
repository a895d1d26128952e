import type { NamedService } from './service-table.ts';

const DOMAIN = 'cluster.local';

/**
 * The lines of a Pod's /etc/hosts about Services: their addresses, those of the endpoints of headless ones, and those
 * of endpoints with names of their own. Only Services of the Pod's namespace have short names.
 * Source of the names: Kubernetes' DNS-based service discovery.
 */
export function serviceHosts(services: readonly NamedService[], namespace: string): string {
  const lines = services.flatMap((service) => linesOf(service, namespace));
  return lines.length === 0 ? '' : `\n# Services.\n${lines.join('\n')}\n`;
}

function linesOf({ namespace, name, target }: NamedService, own: string): string[] {
  const inFull = `${name}.${namespace}`;
  const names = (host: string): string[] => {
    const full = `${host}${inFull}`;
    const short = namespace === own ? [`${host}${name}`] : [];
    return [...short, full, `${full}.svc`, `${full}.svc.${DOMAIN}`];
  };
  switch (target.type) {
    case 'address':
      return [[target.address, ...names('')].join('\t')];
    case 'headless':
      return target.endpoints.flatMap(({ address, hostname }) => [
        [address, ...names('')].join('\t'),
        ...(hostname === undefined ? [] : [[address, ...names(`${hostname}.`)].join('\t')]),
      ]);
    case 'external':
      return [];
    default:
      return target satisfies never;
  }
}
