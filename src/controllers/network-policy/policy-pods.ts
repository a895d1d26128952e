import { DEFAULT_NAMESPACE, isSidecar, isTerminalPhase, type ObjectMeta, type Pod } from '../../api/index.ts';

export type PolicyProtocol = 'TCP' | 'UDP' | 'SCTP';

/** A container's port with a name. */
export interface NamedPort {
  readonly name: string;
  readonly protocol: PolicyProtocol;
  readonly number: number;
}

/** A Pod as NetworkPolicies see it. Plain data. */
export interface PolicyPod {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Empty while it has none. */
  readonly addresses: readonly string[];
  readonly ports: readonly NamedPort[];
  /** True with the network of the node: its connections are the node's, and no selector names it. */
  readonly isOnNode: boolean;
}

/** The Pod of an object. Undefined for a Pod that has ended: its address is no end of connections any more. */
export function policyPodOf({
  metadata,
  spec,
  status = {},
}: Pick<Pod, 'spec' | 'status'> & { readonly metadata: ObjectMeta }): PolicyPod | undefined {
  if (isTerminalPhase(status.phase)) return undefined;
  const addresses = (status.podIPs ?? []).flatMap(({ ip }) => ip || []);
  const { name = '', namespace = DEFAULT_NAMESPACE, labels = {} } = metadata;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)];
  return {
    namespace,
    name,
    labels,
    addresses: addresses.length === 0 && status.podIP ? [status.podIP] : addresses,
    ports: containers.flatMap(({ ports = [] }) =>
      ports.flatMap(({ name: port, protocol = 'TCP', containerPort }) =>
        port ? [{ name: port, protocol, number: containerPort }] : [],
      ),
    ),
    isOnNode: spec?.hostNetwork === true,
  };
}

/** The DNS server of a cluster: it is judged as the Pod that it is in a cluster. */
export function dnsPod(address: string): PolicyPod {
  return {
    namespace: 'kube-system',
    name: 'kube-dns',
    labels: { 'k8s-app': 'kube-dns' },
    addresses: [address],
    ports: [
      { name: 'dns', protocol: 'UDP', number: 53 },
      { name: 'dns-tcp', protocol: 'TCP', number: 53 },
    ],
    isOnNode: false,
  };
}
