import {
  type Ingress,
  type IngressClass,
  type IngressRule,
  type NetworkPolicy,
  selectorText,
} from '../../api/index.ts';
import { AGE, NAME } from './common-columns.ts';
import type { Column, TableObject } from './table-printer.ts';

/** The width to which an address is cut. With `-o wide` it is not. */
const ADDRESS_WIDTH = 16;
const HOSTS_MAX = 3;

const INGRESS: readonly Column<TableObject & Ingress>[] = [
  NAME,
  { heading: 'CLASS', cell: ({ spec }) => spec?.ingressClassName ?? '<none>' },
  { heading: 'HOSTS', cell: ({ spec }) => hostsText(spec?.rules ?? []) },
  {
    heading: 'ADDRESS',
    cell: (ingress) => {
      const address = ingressAddress(ingress);
      return address.length > ADDRESS_WIDTH ? `${address.slice(0, ADDRESS_WIDTH - 3)}...` : address;
    },
  },
  { heading: 'PORTS', cell: ({ spec }) => ((spec?.tls ?? []).length > 0 ? '80, 443' : '80') },
  AGE,
];

const INGRESS_CLASS: readonly Column<TableObject & IngressClass>[] = [
  NAME,
  { heading: 'CONTROLLER', cell: ({ spec }) => spec?.controller ?? '' },
  { heading: 'PARAMETERS', cell: parametersText },
  AGE,
];

const NETWORK_POLICY: readonly Column<TableObject & NetworkPolicy>[] = [
  NAME,
  { heading: 'POD-SELECTOR', cell: ({ spec }) => selectorText(spec?.podSelector ?? {}) },
  AGE,
];

/** The addresses in the status of an Ingress. */
export function ingressAddress({ status }: Ingress): string {
  const places = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
  return [...new Set(places.filter((place) => place !== ''))].toSorted().join(',');
}

/** Source: formatHosts. The number behind `+` counts the rules left out, also rules without a host. */
function hostsText(rules: readonly IngressRule[]): string {
  const hosts = rules.flatMap(({ host }) => host || []);
  const first = hosts.slice(0, HOSTS_MAX).join(',');
  const full = rules.findIndex((_, index) => hostsIn(rules.slice(0, index)) === HOSTS_MAX);
  if (first === '') return '*';
  return full < 0 ? first : `${first} + ${rules.length - HOSTS_MAX} more...`;
}

function hostsIn(rules: readonly IngressRule[]): number {
  return rules.filter(({ host }) => host).length;
}

function parametersText({ spec }: IngressClass): string {
  if (spec?.parameters === undefined) return '<none>';
  const { apiGroup, kind, name } = spec.parameters;
  return `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`;
}

/** The columns of the group networking.k8s.io. Source: pkg/printers/internalversion/printers.go. */
export const NETWORKING_COLUMNS: Readonly<Record<string, readonly Column<never>[]>> = {
  ingresses: INGRESS,
  ingressclasses: INGRESS_CLASS,
  networkpolicies: NETWORK_POLICY,
};
