import type { LoadBalancerIngress, Service, StoredKubeObject } from '../../../api/index.ts';
import { labelText } from '../../text/labels.ts';
import { optional } from '../align.ts';
import { line } from '../line.ts';
import { describeIdentity } from '../metadata.ts';
import { type EndpointsSource, endpointsOf } from './endpoints.ts';

/** The lines of `describe` about a Service, without its events. */
export function describeService(service: StoredKubeObject & Service, source: EndpointsSource): string[] {
  const { spec = {}, status } = service;
  const { ports = [], clusterIPs = [], ipFamilies = [], sessionAffinity = 'None' } = spec;
  const ingress = status?.loadBalancer?.ingress ?? [];
  return [
    ...describeIdentity(service),
    line(0, 'Selector:', labelText(spec.selector)),
    line(0, 'Type:', spec.type ?? 'ClusterIP'),
    ...optional('IP Family Policy:', spec.ipFamilyPolicy),
    line(0, 'IP Families:', ipFamilies.join(',') || '<none>'),
    line(0, 'IP:', spec.clusterIP ?? ''),
    line(0, 'IPs:', clusterIPs.join(',') || '<none>'),
    ...optional('External IPs:', spec.externalIPs?.join(',')),
    ...optional('Desired LoadBalancer IP:', spec.loadBalancerIP),
    ...optional('External Name:', spec.externalName),
    ...optional('LoadBalancer Ingress:', ingress.map(ingressText).join(', ')),
    ...ports.flatMap((port) => {
      const { name = '<unset>', protocol = 'TCP', targetPort = port.port, appProtocol, nodePort } = port;
      return [
        line(0, 'Port:', name, `${port.port}/${protocol}`),
        line(0, 'TargetPort:', `${targetPort}/${protocol}`),
        ...optional('AppProtocol:', appProtocol),
        ...(nodePort ? [line(0, 'NodePort:', name, `${nodePort}/${protocol}`)] : []),
        line(0, 'Endpoints:', endpointsOf(service, port, source)),
      ];
    }),
    line(0, 'Session Affinity:', sessionAffinity),
    ...optional('External Traffic Policy:', spec.externalTrafficPolicy),
    ...optional('Internal Traffic Policy:', spec.internalTrafficPolicy),
    ...optional('HealthCheck NodePort:', spec.healthCheckNodePort || undefined),
    ...optional('LoadBalancer Source Ranges:', spec.loadBalancerSourceRanges?.join(',')),
  ];
}

function ingressText({ ip, ipMode, hostname }: LoadBalancerIngress): string {
  if (!ip) return hostname ?? '';
  return ipMode === undefined ? ip : `${ip} (${ipMode})`;
}
