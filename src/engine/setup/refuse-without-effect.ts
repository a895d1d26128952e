import { allContainers, type KubeObject, refusedStart } from '../../api/index.ts';
import { hasApiServer, isApiServer } from '../../apiserver/index.ts';
import {
  apiServerNotices,
  type DisplacedMount,
  displacedMounts,
  judgeSecurity,
  looksUpServices,
  NO_SERVICE_FILES,
  policyHasNoEffect,
} from '../../lifecycle/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import { type PrivateNetworks, withoutPolicies } from '../../network/index.ts';
import { unmetText } from '../../machine/index.ts';
import type { RuntimeFeatures } from '../../runtime/index.ts';
import { readOwnRights } from '../../settings/index.ts';
import { type FileStore, podPaths } from '../../store/index.ts';
import type { ChosenRuntime, PlannedPod } from './open-runtime.ts';

/** The run that `--strict` is about. */
interface StrictRun {
  readonly store: FileStore;
  readonly features: RuntimeFeatures;
  /** All objects of the manifests. */
  readonly objects: readonly KubeObject[];
}

/**
 * Refuses Pods, for `--strict`, that podrun cannot run here as they ask.
 * @throws {PodrunError} with all such settings, or all containers that need an API server
 */
export function refuseWithoutEffect(pods: readonly PlannedPod[], { store, features, objects }: StrictRun): void {
  refuseSecurity(pods, features);
  if (features.tier === 'process') refuseVolumes(pods, store);
  if (!hasApiServer(store) && !objects.some(isApiServer)) refuseApiServer(pods);
}

/**
 * Says of each NetworkPolicy of the manifests that it restricts nothing in the networks of the run.
 * @param networks undefined: the network of this machine
 */
export function idlePolicies(
  manifests: readonly Pick<ManifestObject, 'object' | 'file'>[],
  networks: PrivateNetworks | undefined,
): string[] {
  const why = withoutPolicies(networks);
  const policies = manifests.filter(({ object }) => object.kind === 'NetworkPolicy');
  if (why === undefined) return [];
  return policies.map(
    ({ file, object: { metadata } }) => `${file}: NetworkPolicy "${metadata.name}": ${policyHasNoEffect(why).message}`,
  );
}

/**
 * Refuses NetworkPolicies, for `--strict`, that restrict nothing in the networks of the run.
 * @throws {PodrunError} (Unsupported) with all of them
 */
export function refuseIdlePolicies(...[manifests, networks]: Parameters<typeof idlePolicies>): void {
  const problems = idlePolicies(manifests, networks).map((problem) => `error: ${problem}`);
  if (problems.length === 0) return;
  throw refusedStart(problems.join('\n'), 'Without --strict, this becomes an event of the policy.');
}

/**
 * Refuses Pods whose security settings podrun cannot fulfil here, for `--strict`.
 * @throws {PodrunError} (usage) with all such settings
 */
function refuseSecurity(pods: readonly PlannedPod[], features: RuntimeFeatures): void {
  const rights = readOwnRights(features);
  const problems = pods.flatMap(({ kind, name, spec, file }) => {
    const complaints = allContainers(spec).flatMap((container) => {
      const { refusals, notices } = judgeSecurity(spec, container, rights);
      return [...refusals, ...notices];
    });
    return complaints.map(({ path, note }) => `error: ${file}: ${kind} "${name}": ${path}: ${note}`);
  });
  if (problems.length === 0) return;
  throw refusedStart(
    [...new Set(problems)].join('\n'),
    'Without --strict, settings that leave a container fewer rights become events.',
  );
}

/**
 * Refuses Pods with volumes that are not at their mountPath, for `--strict`.
 * @throws {PodrunError} (Unsupported) with all such Pods
 */
function refuseVolumes(pods: readonly PlannedPod[], store: FileStore): void {
  const problems = pods.flatMap((pod) => {
    const displaced = displacedVolumes(pod, store.root);
    return displaced === undefined ? [] : [`error: ${pod.file}: ${pod.kind} "${pod.name}": ${displaced}`];
  });
  if (problems.length === 0) return;
  throw refusedStart(
    problems.join('\n'),
    "'podrun doctor' shows how to get namespaces. Without --strict, this is a warning.",
  );
}

/**
 * Refuses Pods that name a variable of the API server, for `--strict`: podrun has none.
 * @throws {PodrunError} (Unsupported) with all such containers
 */
function refuseApiServer(pods: readonly PlannedPod[]): void {
  const problems = pods.flatMap(({ kind, name, spec, file }) =>
    apiServerNotices({ spec }).map(({ message }) => `error: ${file}: ${kind} "${name}": ${message}`),
  );
  if (problems.length === 0) return;
  throw refusedStart(problems.join('\n'), 'Without --strict, this becomes the event NoApiServer.');
}

/**
 * Lines about the requests of these Pods that this machine does not fulfil: one about all of them, and one or two about
 * each Pod whose programs will look at the wrong place. Empty where the user has chosen to run plain processes.
 * @param stateDir the state folder of the run
 */
export function unmetRequests(
  { lack }: ChosenRuntime,
  pods: readonly PlannedPod[],
  stateDir: string,
): readonly string[] {
  if (lack === undefined || pods.length === 0) return [];
  const ofAll = unmetText(lack, pods);
  const ofEach = lack.of === 'namespaces' ? pods.flatMap((pod) => withoutNamespaces(pod, stateDir)) : [];
  return [...(ofAll === undefined ? [] : [ofAll]), ...ofEach];
}

function withoutNamespaces(pod: PlannedPod, stateDir: string): string[] {
  const { kind, name, spec } = pod;
  const about = `${kind.toLowerCase()}/${name}`;
  const volumes = displacedVolumes(pod, stateDir);
  return [
    ...(volumes === undefined ? [] : [`${about}: ${volumes}`]),
    ...(looksUpServices(spec) ? [`${about}: names of Services do not resolve in it: ${NO_SERVICE_FILES}`] : []),
  ];
}

/**
 * A sentence about the paths at which a Pod finds this machine's own files in place of its volumes. Undefined: it has
 * no such path.
 */
function displacedVolumes(pod: PlannedPod, stateDir: string): string | undefined {
  // A runtime of its own may have mounts: events of the Pod say what it lacks.
  const mounts = pod.spec.runtimeClassName === undefined ? displacedMounts(pod.spec) : [];
  if (mounts.length === 0) return undefined;
  const paths = [...new Set(mounts.map(({ mountPath }) => mountPath))].join(', ');
  const isOne = !paths.includes(', ');
  const places = new Set(mounts.map((mount) => placeOf(mount, pod, stateDir)));
  return `${paths} ${isOne ? 'is a path' : 'are paths'} of this machine itself: ${[...places].join(', ')}`;
}

function placeOf({ volume, variable, place }: DisplacedMount, pod: PlannedPod, stateDir: string): string {
  const what = `volume "${volume}" is at`;
  if (place === 'elsewhere') return `${what} $${variable}`;
  // The names of the Pods of a workload are not known yet.
  const name = pod.kind === 'Pod' ? pod.name : `${pod.name}-*`;
  const folder =
    typeof place === 'object' ? place.hostPath : `${podPaths(stateDir, pod.namespace, name).volumes}/${volume}`;
  return `${what} ${folder} ($${variable})`;
}
