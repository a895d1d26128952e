// The messages of containers that cannot be made from their image, in the words of containerd.

/** Source: containerd, internal/cri/opts/spec_opts.go WithProcessArgs. */
export function noCommand(id: string): string {
  return `failed to generate container "${id}" spec: failed to generate spec: no command specified`;
}

/** Source: containerd, pkg/oci/spec_opts.go ErrNoUsersFound. */
export const NO_USERS_FOUND = 'failed to create containerd container: no users found';
