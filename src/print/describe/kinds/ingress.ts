import {
  type Ingress,
  type IngressBackend,
  type IngressClass,
  type IngressServiceBackend,
  type Service,
  SERVICE_NAME_LABEL,
  type StoredKubeObject,
} from '../../../api/index.ts';
import { ingressAddress } from '../../table/networking-columns.ts';
import { describeAnnotations, describeLabels, line } from '../lines.ts';
import { endpointsOf, type EndpointsSource } from './service.ts';

/** The objects that the lines about an Ingress need. */
export interface IngressSource extends EndpointsSource {
  readonly services: readonly (StoredKubeObject & Service)[];
}

/** The lines of `describe` about an Ingress, without its events. */
export function describeIngress(ingress: StoredKubeObject & Ingress, source: IngressSource): string[] {
  const { metadata, spec = {} } = ingress;
  const rules = (spec.rules ?? []).filter(({ http }) => http !== undefined);
  const backend = (one: IngressBackend): string => backendText(one, metadata.namespace, source);
  const standard = spec.defaultBackend === undefined ? '<default>' : backend(spec.defaultBackend);
  return [
    line(0, 'Name:', metadata.name),
    ...describeLabels('Labels', metadata.labels),
    line(0, 'Namespace:', metadata.namespace),
    line(0, 'Address:', ingressAddress(ingress)),
    line(0, 'Ingress Class:', spec.ingressClassName ?? '<none>'),
    line(0, 'Default backend:', standard),
    ...tlsLines(spec.tls ?? []),
    line(0, 'Rules:'),
    line(1, 'Host', 'Path', 'Backends'),
    line(1, '----', '----', '--------'),
    ...rules.flatMap(({ host, http }) => [
      line(1, host || '*', ''),
      ...(http?.paths ?? []).map((each) => line(2, '', `${each.path ?? ''} `, backend(each.backend))),
    ]),
    ...(rules.length === 0 ? [line(1, '*', '*', standard)] : []),
    ...describeAnnotations(metadata.annotations),
  ];
}

function tlsLines(tls: NonNullable<NonNullable<Ingress['spec']>['tls']>): string[] {
  if (tls.length === 0) return [];
  const texts = tls.map(({ hosts = [], secretName }) =>
    secretName ? `${secretName} terminates ${hosts.join(',')}` : `SNI routes ${hosts.join(',')}`,
  );
  return [line(0, 'TLS:'), ...texts.map((text) => line(1, text))];
}

function backendText({ service, resource }: IngressBackend, namespace: string, source: IngressSource): string {
  if (service !== undefined) return `${serviceText(service)} (${endpointsText(service, namespace, source)})`;
  if (resource === undefined) return '';
  const { apiGroup = '<none>', kind, name } = resource;
  return `APIGroup: ${apiGroup}, Kind: ${kind}, Name: ${name}`;
}

function serviceText({ name, port = {} }: IngressServiceBackend): string {
  return `${name}:${port.number ? port.number : (port.name ?? '')}`;
}

function endpointsText(
  { name, port: wanted }: IngressServiceBackend,
  namespace: string,
  source: IngressSource,
): string {
  const service = source.services.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  if (service === undefined) return `<error: services "${name}" not found>`;
  const ports = service.spec?.ports ?? [];
  const port = ports.find((one) => (wanted?.number ? one.port === wanted.number : one.name === wanted?.name));
  if (port !== undefined) return endpointsOf(service, port, source);
  return source.slices.some(({ metadata }) => metadata.labels?.[SERVICE_NAME_LABEL] === name) ? '' : '<none>';
}

/** The lines of `describe` about an IngressClass, without its events. */
export function describeIngressClass({ metadata, spec }: StoredKubeObject & IngressClass): string[] {
  const { controller = '', parameters } = spec ?? {};
  return [
    line(0, 'Name:', metadata.name),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'Controller:', controller),
    ...(parameters === undefined
      ? []
      : [
          line(0, 'Parameters:'),
          ...(parameters.apiGroup === undefined ? [] : [line(1, 'APIGroup:', parameters.apiGroup)]),
          line(1, 'Kind:', parameters.kind),
          line(1, 'Name:', parameters.name),
        ]),
  ];
}
