import type { Service } from '../../api/generated/types.ts';
import { lookUp, type Decoded } from '../base/decoded.ts';

const OLD_TOPOLOGY = 'service.kubernetes.io/topology-aware-hints';
const TOPOLOGY = 'service.kubernetes.io/topology-mode';

/** Settings of a Service that have no effect. Source: pkg/api/service/warnings.go. */
export function serviceWarnings({ metadata, spec = {} }: Decoded<Service>): string[] {
  const { type, externalName, loadBalancerIP, sessionAffinity, trafficDistribution } = spec;
  const hasExternalIPs = (spec.externalIPs ?? []).length > 0;
  const isHeadless = type === 'ClusterIP' && spec.clusterIP === 'None';
  const rules: readonly (readonly [boolean, string])[] = [
    [
      lookUp(metadata?.annotations, OLD_TOPOLOGY) !== undefined,
      `annotation ${OLD_TOPOLOGY} is deprecated, please use ${TOPOLOGY} instead`,
    ],
    [isHeadless && Boolean(loadBalancerIP), 'spec.loadBalancerIP is ignored for headless services'],
    [isHeadless && hasExternalIPs, 'spec.externalIPs is ignored for headless services'],
    [isHeadless && sessionAffinity !== 'None', 'spec.SessionAffinity is ignored for headless services'],
    [type === 'ExternalName' && hasExternalIPs, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
    [
      type !== 'ExternalName' && Boolean(externalName),
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
    [
      trafficDistribution === 'PreferClose',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ];
  return rules.filter(([applies]) => applies).map(([, text]) => text);
}
