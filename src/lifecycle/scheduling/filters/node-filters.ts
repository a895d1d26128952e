import { allContainers, type PodSpec } from '../../../api/index.ts';
import { hostPorts, hostPortsCollide } from '../../node/host-ports.ts';
import { affinityNodeNames, matchesNode } from '../../node/node-affinity.ts';
import { isTooLarge, shortagesBeside } from '../../node/node-resources.ts';
import { CORDON, hasUntoleratedTaint } from '../../node/taints.ts';
import { insufficient, MISFIT } from '../../texts/scheduling.ts';
import { final, type FilterPlugin, PASSES, solvable } from '../base/plugin.ts';
import { heldRequests, podRequests } from '../base/pod-requests.ts';

/** Source: pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go. */
export const nodeUnschedulable: FilterPlugin = {
  name: 'NodeUnschedulable',
  prepare: ({ spec }) =>
    hasUntoleratedTaint(spec, [CORDON], ['NoSchedule'])
      ? {
          type: 'filters',
          filter: ({ node }) => (node.isCordoned === true ? final(MISFIT.cordoned) : undefined),
        }
      : PASSES,
};

/** Source: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go. */
export const taintToleration: FilterPlugin = {
  name: 'TaintToleration',
  prepare: ({ spec }) => ({
    type: 'filters',
    filter: ({ node }) =>
      hasUntoleratedTaint(spec, node.taints, ['NoSchedule', 'NoExecute']) ? final(MISFIT.taints) : undefined,
  }),
};

/** Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go. */
export const nodeAffinity: FilterPlugin = {
  name: 'NodeAffinity',
  prepare: ({ spec }) => {
    const only = affinityNodeNames(spec);
    if (only?.size === 0) return { type: 'rejects', reasons: [MISFIT.conflictingTerms] };
    return {
      type: 'filters',
      only,
      filter: ({ node }) => (matchesNode(spec, node) ? undefined : final(MISFIT.affinity)),
    };
  },
};

/** Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go. */
export const nodePorts: FilterPlugin = {
  name: 'NodePorts',
  prepare: ({ spec }) => {
    if (hostPorts(spec).length === 0) return PASSES;
    return {
      type: 'filters',
      filter: ({ pods }) =>
        hostPortsCollide(
          spec,
          pods.map((other) => other.spec),
        )
          ? solvable(MISFIT.hostPorts)
          : undefined,
    };
  },
};

/** Source: pkg/scheduler/framework/plugins/noderesources/fit.go. */
export const nodeResourcesFit: FilterPlugin = {
  name: 'NodeResourcesFit',
  prepare: (pod) => ({
    type: 'filters',
    filter: ({ node, pods }) => {
      const lacking = shortagesBeside(podRequests(pod), node, heldRequests(pods));
      if (lacking.length === 0) return undefined;
      const reasons = lacking.map(({ resource }) =>
        resource === 'pods' ? MISFIT.tooManyPods : insufficient(resource),
      );
      return { reasons, isFinal: lacking.some(isTooLarge) };
    },
  }),
};

/** Source: pkg/scheduler/framework/plugins/nodedeclaredfeatures; component-helpers/nodedeclaredfeatures/features. */
export const nodeDeclaredFeatures: FilterPlugin = {
  name: 'NodeDeclaredFeatures',
  prepare: ({ spec }) => {
    const needed = neededFeatures(spec);
    if (needed.length === 0) return PASSES;
    return {
      type: 'filters',
      filter: ({ node: { declaredFeatures = [] } }) =>
        needed.every((feature) => declaredFeatures.includes(feature)) ? undefined : final(MISFIT.features),
    };
  },
};

function neededFeatures(spec: PodSpec): string[] {
  const restartsAll = allContainers(spec).some(({ restartPolicyRules: rules = [] }) =>
    rules.some(({ action }) => action === 'RestartAllContainers'),
  );
  return [
    ...(restartsAll ? ['RestartAllContainersOnContainerExits'] : []),
    ...(spec.hostNetwork === true && spec.hostUsers === false ? ['UserNamespacesHostNetworkSupport'] : []),
  ];
}
