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

/** The error of a hostPath volume inside podrun's state folder, which containers must not see. podrun's own. */
export function hostPathInState(path: string): string {
  return `hostPath ${path} lies in podrun's state folder, which containers cannot see: use another folder`;
}

/** The path of a local PersistentVolume is missing. Source: pkg/volume/local/local.go SetUpAt. */
export function localPathMissing(path: string): string {
  return `path "${path}" does not exist`;
}
