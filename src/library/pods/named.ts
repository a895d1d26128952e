import { type StoredPod, usage, type Workload } from '../../api/index.ts';
import { firstLoggedPod, podRoot, type Root } from '../../lifecycle/index.ts';

/** A root that is a workload. */
type WorkloadRoot = Root & { readonly object: Workload };

/** All Pods of a run: of the manifests, and of the workloads at the moment. */
export function podsOf(roots: readonly Root[]): readonly StoredPod[] {
  return [...new Map(roots.flatMap(({ pods }) => pods.map((pod) => [pod.metadata.uid, pod]))).values()];
}

export function workloadsOf(roots: readonly Root[]): WorkloadRoot[] {
  return roots.filter((root): root is WorkloadRoot => root.object.kind !== 'Pod');
}

/**
 * Finds a Pod by `NAME` or `NAMESPACE/NAME`. `deployment/web` names one of the Pods of a workload: the one whose log
 * kubectl would show. Without a name: the only Pod of the run.
 * @throws {PodrunError} (usage) when no Pod or several Pods have the name
 */
export function podNamed(roots: readonly Root[], name: string | undefined): StoredPod {
  const workload = name === undefined ? undefined : workloadsOf(roots).find((root) => isNamed(root, name));
  if (workload !== undefined) return podOfWorkload(workload);
  const all = podsOf(roots);
  const isMeant = ({ metadata }: StoredPod): boolean =>
    name === undefined || name === metadata.name || name === `${metadata.namespace}/${metadata.name}`;
  const [first, ...others] = all.filter(isMeant);
  if (first === undefined && name === undefined) throw usage('this run has no Pods now');
  if (first === undefined) throw usage(`this run has no pod ${JSON.stringify(name)}: it has ${namesIn(roots)}`);
  if (others.length > 0) {
    const example = JSON.stringify(nameIn(first));
    throw usage(
      `this run has several Pods: name one of ${namesIn(roots)}`,
      `Pass the name: get(${example}), or as an option: logs('main', { pod: ${example} }).`,
    );
  }
  return first;
}

/**
 * The roots of a name: a Pod, or a workload as `deployment/web`. Without a name: all.
 * @throws {PodrunError} (usage) when nothing has the name
 */
export function rootsNamed(roots: readonly Root[], name: string | undefined): readonly Root[] {
  if (name === undefined) return roots;
  const workload = workloadsOf(roots).find((root) => isNamed(root, name));
  return [workload ?? podRoot(podNamed(roots, name))];
}

/**
 * Finds a workload, as `deployment/web`. Without a name: the only one of the run.
 * @throws {PodrunError} (usage) when no workload or several of them have the name
 */
export function workloadNamed(roots: readonly Root[], name: string | undefined): Workload {
  const all = workloadsOf(roots);
  const [first, ...others] = all.filter((root) => name === undefined || isNamed(root, name));
  const names = all.map(nameOf).join(', ') || 'none';
  if (first === undefined) throw usage(`this run has no workload ${JSON.stringify(name ?? '')}: it has ${names}`);
  if (others.length > 0) throw usage(`this run has several workloads: name one of ${names}`);
  return first.object;
}

function podOfWorkload(root: WorkloadRoot): StoredPod {
  const pod = firstLoggedPod(root.pods);
  if (pod === undefined) throw usage(`${nameOf(root)} has no Pods now`);
  return pod;
}

function isNamed(root: WorkloadRoot, name: string): boolean {
  return name === nameOf(root) || name === `${root.object.metadata.namespace}/${nameOf(root)}`;
}

function nameOf({ object: { kind, metadata } }: WorkloadRoot): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}

function nameIn({ metadata }: StoredPod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function namesIn(roots: readonly Root[]): string {
  return [...podsOf(roots).map(nameIn), ...workloadsOf(roots).map(nameOf)].join(', ');
}
