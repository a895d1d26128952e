import type { IngressClass, NetworkPolicy, NetworkPolicyPort, NetworkPolicySpec } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent } from './fill.ts';

/** Defaults of the group networking.k8s.io. An Ingress has none. Source: pkg/apis/networking/v1/defaults.go. */

export function defaultNetworkPolicy(policy: Decoded<NetworkPolicy>): Decoded<NetworkPolicy> {
  return { ...policy, spec: defaultSpec(policy.spec ?? {}) };
}

function defaultSpec(spec: Decoded<NetworkPolicySpec>): Decoded<NetworkPolicySpec> {
  const { ingress, egress = [], policyTypes = [] } = spec;
  const types = egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  return {
    podSelector: {},
    ...spec,
    ...(ingress === undefined ? {} : { ingress: ingress.map((rule) => changeFields(rule, { ports: defaultPorts })) }),
    ...(spec.egress === undefined ? {} : { egress: egress.map((rule) => changeFields(rule, { ports: defaultPorts })) }),
    policyTypes: policyTypes.length > 0 ? policyTypes : types,
  };
}

function defaultPorts(ports: readonly Decoded<NetworkPolicyPort>[]): Decoded<NetworkPolicyPort>[] {
  return ports.map((port) => fillAbsent(port, { protocol: 'TCP' }));
}

export function defaultIngressClass(ingressClass: Decoded<IngressClass>): Decoded<IngressClass> {
  return changeFields(ingressClass, {
    spec: (spec) => changeFields(spec, { parameters: (reference) => fillAbsent(reference, { scope: 'Cluster' }) }),
  });
}
