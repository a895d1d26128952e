// The messages of containers that cannot be made from their image, in the words of containerd.

/** Source: containerd, internal/cri/opts/spec_opts.go WithProcessArgs. */
export function noCommand(id: string): string {
  return `failed to generate container "${id}" spec: failed to generate spec: no command specified`;
}

/** Source: containerd, pkg/oci/spec_opts.go ErrNoUsersFound. */
export const NO_USERS_FOUND = 'failed to create containerd container: no users found';

/** podrun's own: on a node every container has the files of its image. */
export function imageNeedsNamespaces(image: string): string {
  return (
    `image "${image}" has files of its own, which needs namespaces, and this podrun runs containers as plain ` +
    "processes: 'podrun doctor' says whether this machine permits namespaces"
  );
}
