import { type LabelSelector, matchesSelector, type NetworkPolicy, type NetworkPolicyPort } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { labelsText, loose, type LooseText, missing, type SelectablePods } from './selectable-pods.ts';

/** The Pods of the policy's namespace. */
interface NearPods {
  readonly templates: readonly SelectablePods[];
  /** True: nothing else exists anywhere. */
  readonly isAll: boolean;
}

/**
 * The selector of a NetworkPolicy that selects no Pod, and its names of ports that no Pod at the destination has.
 * Peers may be Pods of other manifests and namespaces: a port is looked up only at Pods of this namespace.
 */
export function looseInPolicy({ spec = {} }: Decoded<NetworkPolicy>, { templates, isAll }: NearPods): LooseText[] {
  if (templates.length === 0 && !isAll) return [];
  const selected = selectedBy(spec.podSelector, templates);
  if (selected.length === 0) return [loose('spec.podSelector', `selects no Pod: ${labelsText(templates)}`)];
  const inward = (spec.ingress ?? []).flatMap(({ ports = [] }, rule) =>
    loosePolicyPorts(`spec.ingress[${rule}].ports`, ports, selected),
  );
  const outward = (spec.egress ?? []).flatMap(({ to = [], ports = [] }, rule) => {
    const isNear = to.length > 0 && to.every((peer) => peer.podSelector && !peer.namespaceSelector && !peer.ipBlock);
    const targets = to.flatMap(({ podSelector }) => selectedBy(podSelector, templates));
    return isNear && targets.length > 0 ? loosePolicyPorts(`spec.egress[${rule}].ports`, ports, targets) : [];
  });
  return [...inward, ...outward];
}

function selectedBy(selector: Decoded<LabelSelector> = {}, templates: readonly SelectablePods[]): SelectablePods[] {
  return templates.filter(({ labels }) => matchesSelector(selector as LabelSelector, labels));
}

function loosePolicyPorts(
  path: string,
  ports: readonly Decoded<NetworkPolicyPort>[],
  targets: readonly SelectablePods[],
): LooseText[] {
  const named = targets.flatMap((target) => target.ports);
  return ports.flatMap(({ port, protocol = 'TCP' }, index) => {
    if (typeof port !== 'string') return [];
    const known = named.filter((each) => each.protocol === protocol).map(({ name }) => name);
    if (known.includes(port)) return [];
    return [missing(`${path}[${index}].port`, `no selected Pod has a ${protocol} port`, port, [...new Set(known)])];
  });
}
