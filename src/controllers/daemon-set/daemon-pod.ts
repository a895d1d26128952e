import { type Affinity, isSameJson, type PodSpec, type StoredPod, type Toleration } from '../../api/index.ts';
import { hasUntoleratedTaint, matchesNode, type NodeFacts } from '../../lifecycle/index.ts';
import { generatedName, podPrefix } from '../base/names.ts';
import { type NewPod, podFromTemplate } from '../base/pod-state.ts';
import type { StoredDaemonSet } from '../base/reconcile.ts';

/** The hash of the template that a Pod or a revision has. */
export const HASH_LABEL = 'controller-revision-hash';
const GENERATION_LABEL = 'pod-template-generation';
/** Counts the templates of a DaemonSet. Source: k8s.io/api/apps/v1 DeprecatedTemplateGeneration. */
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';

const NODE = 'node.kubernetes.io/';

/**
 * Tolerations of every daemon Pod. Source: pkg/controller/daemon/util/daemonset_util.go
 * AddOrUpdateDaemonPodTolerations.
 */
function daemonTolerations({ hostNetwork }: PodSpec): Toleration[] {
  const pressures = ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'];
  const noSchedule = hostNetwork === true ? [...pressures, 'network-unavailable'] : pressures;
  return [
    ...['not-ready', 'unreachable'].map((key) => toleration(key, 'NoExecute')),
    ...noSchedule.map((key) => toleration(key, 'NoSchedule')),
  ];
}

function toleration(key: string, effect: 'NoExecute' | 'NoSchedule'): Toleration {
  return { key: `${NODE}${key}`, operator: 'Exists', effect };
}

/** The spec of the Pods, for any node. */
function daemonSpec({ spec }: StoredDaemonSet): PodSpec {
  const own = spec.template.spec ?? { containers: [] };
  const known = own.tolerations ?? [];
  const added = daemonTolerations(own).filter((one) => !known.some((other) => isSameJson(one, other)));
  return { ...own, tolerations: [...known, ...added] };
}

/**
 * The Pod of a node: it can be bound to no other. Source: ReplaceDaemonSetPodNodeNameNodeAffinity, CreatePodTemplate.
 */
export function newDaemonPod(daemonSet: StoredDaemonSet, node: string, hash: string, suffix: string): NewPod {
  const prefix = podPrefix(daemonSet.metadata.name);
  const pod = podFromTemplate(daemonSet, daemonSet.spec.template, {
    name: generatedName(prefix, suffix),
    generateName: prefix,
  });
  const generation = generationOf(daemonSet);
  const own = { [HASH_LABEL]: hash, ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }) };
  const spec = daemonSpec(daemonSet);
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...own } },
    spec: { ...spec, affinity: onlyOn(node, spec.affinity) },
  };
}

function onlyOn(node: string, affinity: Affinity | undefined): Affinity {
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [node] }] }];
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
  return { ...affinity, nodeAffinity: { ...affinity?.nodeAffinity, ...required } };
}

/**
 * The node of a daemon Pod, also of one that is not bound yet. Source: daemonset_util.go GetTargetNodeName.
 */
export function targetNode({ spec }: StoredPod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields = [] }) => matchFields);
  const named = fields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In');
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

function generationOf({ metadata }: StoredDaemonSet): string | undefined {
  return metadata.annotations?.[GENERATION_ANNOTATION];
}

/** True for a Pod of the newest template. Source: daemonset_util.go IsPodUpdated. */
export function isUpdated(
  daemonSet: StoredDaemonSet,
  labels: Readonly<Record<string, string>> = {},
  hash: string,
): boolean {
  const generation = generationOf(daemonSet);
  return labels[HASH_LABEL] === hash || (generation !== undefined && labels[GENERATION_LABEL] === generation);
}

/** The verdict on a node: `shouldRun` when it is to have a Pod, `mayStay` when an existing Pod may stay. */
export interface NodeFit {
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
}

/** Source: pkg/controller/daemon/daemon_controller.go NodeShouldRunDaemonPod. */
export function nodeFit(daemonSet: StoredDaemonSet, node: NodeFacts): NodeFit {
  const spec = daemonSpec(daemonSet);
  const isNamed = !spec.nodeName || spec.nodeName === node.name;
  if (!isNamed || !matchesNode(spec, node)) return { shouldRun: false, mayStay: false };
  const taints = node.taints;
  return {
    shouldRun: !hasUntoleratedTaint(spec, taints, ['NoSchedule', 'NoExecute']),
    mayStay: !hasUntoleratedTaint(spec, taints, ['NoExecute']),
  };
}
