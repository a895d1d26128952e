import { goQuote, podFullName, type StoredMeta } from '../../api/index.ts';

// The messages of CreateContainerConfigError. Those about volumes are errors of FailedMount, too.

/** Source: staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go NewNotFound. */
export function objectNotFound(resource: 'configmap' | 'secret' | 'persistentvolumeclaim', name: string): string {
  return `${resource} "${name}" not found`;
}

/** Source: pkg/kubelet/kubelet_pods.go makeEnvironmentVariables. */
export function keyNotFound(key: string, kind: 'ConfigMap' | 'Secret', namespace: string, name: string): string {
  return `couldn't find key ${key} in ${kind} ${namespace}/${name}`;
}

/** Source: pkg/fieldpath/fieldpath.go ExtractFieldPathAsString. */
export function unsupportedFieldPath(fieldPath: string): string {
  return `unsupported fieldPath: ${fieldPath}`;
}

/** Source: pkg/api/v1/resource/helpers.go ExtractResourceValueByContainerName. */
export function containerNotFound(name: string): string {
  return `container ${name} not found`;
}

/** Source: pkg/api/v1/resource/helpers.go ExtractContainerResourceValue. */
export function unsupportedResource(resource: string): string {
  return `unsupported container resource : ${resource}`;
}

/** Source: pkg/kubelet/kubelet_pods.go makeEnvironmentVariables. */
export const NO_SERVICE_LINKS = 'nil pod.spec.enableServiceLinks encountered, cannot construct envvars';

/** podrun's own: a kubelet would run out of memory. */
export function expandsTooFar(maxMiB: number): string {
  return (
    `the references $(NAME) in env, command and args expand to more than ${maxMiB} MiB: ` +
    'no program can start with so much. Variables that refer to each other several times grow with each step'
  );
}

// The errors of fileKeyRef. Source: pkg/kubelet/kubelet_pods.go makeEnvironmentVariables.
export function envVolumeNotFound(volume: string): string {
  return `cannot find the volume "${volume}" referenced by FileKeyRef`;
}

export const ENV_FILE_UNREADABLE = "couldn't parse env file";

export function envKeyNotFound(key: string, file: string): string {
  return `environment variable key "${key}" not found in file "${file}"`;
}

// The errors of volumeMounts. Source: pkg/kubelet/kubelet_pods.go makeMounts; for subPathExpr
// pkg/kubelet/container/helpers.go.
export function volumeNotFound(volume: string, container: string): string {
  return `cannot find volume ${goQuote(volume)} to mount into container ${goQuote(container)}`;
}

/** @param problem not usable: the path leads out of the volume, or through a file */
export function subPathFailed(problem: 'not usable' | 'not made', volume: string, container: string): string {
  const failed = problem === 'not usable' ? 'prepare subPath' : 'create subPath directory';
  return `failed to ${failed} for volumeMount ${goQuote(volume)} of container ${goQuote(container)}`;
}

/** podrun's own: system calls accept no path with a NUL. */
export function unusableMountPath(mountPath: string): string {
  return `volumeMounts: mountPath ${goQuote(mountPath)}: invalid argument`;
}

export function missingValues(names: Iterable<string>): string {
  return `missing value for ${[...names].toSorted().join(', ')}`;
}

export function absoluteSubPath(subPath: string): string {
  return `error SubPath \`${subPath}\` must not be an absolute path`;
}

export function climbingSubPath(subPath: string): string {
  return `unable to provision SubPath \`${subPath}\`: must not contain '..'`;
}

/** The error of targetContainerName. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go getTargetID. */
export function noTarget(container: string): string {
  return `unable to find target container ${container}`;
}

// The errors of runAsNonRoot. Source: pkg/kubelet/kuberuntime/security_context.go verifyRunAsNonRoot.
export function breaksNonRoot(pod: StoredMeta, container: string): string {
  return `container's runAsUser breaks non-root policy ${podAndContainer(pod, container)}`;
}

export function runsAsRoot(pod: StoredMeta, container: string): string {
  return `container has runAsNonRoot and image will run as root ${podAndContainer(pod, container)}`;
}

export function cannotVerifyUser(user: string, pod: StoredMeta, container: string): string {
  const why = `container has runAsNonRoot and image has non-numeric user (${user}), cannot verify user is non-root`;
  return `${why} ${podAndContainer(pod, container)}`;
}

function podAndContainer(pod: StoredMeta, container: string): string {
  return `(pod: "${podFullName(pod)}", container: ${container})`;
}

// The errors of FailedMount, besides those in config-errors.ts.

/** Source: pkg/volume/configmap/configmap.go MakePayload, pkg/volume/secret/secret.go MakePayload. */
export function missingKey(kind: 'configmap' | 'secret', key: string): string {
  return kind === 'configmap'
    ? `configmap references non-existent config key: ${key}`
    : `references non-existent secret key: ${key}`;
}

/** Source: pkg/volume/hostpath/host_path.go checkTypeInternal. */
export function invalidHostPathType(type: string): string {
  return `${type} is an invalid volume type`;
}

/**
 * Source: pkg/volume/hostpath/host_path.go checkTypeInternal. @param kind the kubelet's name for the missing kind of
 * file
 */
export function hostPathMismatch(path: string, kind: string): string {
  return `hostPath type check failed: ${path} is not a ${kind}`;
}

/** Source: pkg/volume/emptydir/empty_dir.go SetUpAt. */
export function unknownMedium(medium: string): string {
  return `unknown storage medium ${goQuote(medium)}`;
}

/** The error of a hostPath volume inside podrun's state folder, which containers must not see. podrun's own. */
export function hostPathInState(path: string): string {
  return `hostPath ${path} lies in podrun's state folder, which containers cannot see: use another folder`;
}

/** The path of a local PersistentVolume is missing. Source: pkg/volume/local/local.go SetUpAt. */
export function localPathMissing(path: string): string {
  return `path "${path}" does not exist`;
}
