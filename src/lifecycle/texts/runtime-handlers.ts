/** The errors of a sandbox whose handler this machine does not have. */

/** Source: the error of client-go's lister for RuntimeClasses. */
export function noRuntimeClass(name: string): string {
  return `runtimeclass.node.k8s.io "${name}" not found`;
}

/** Source: containerd, internal/cri/server/podsandbox, as the kubelet passes it on. */
export function noRuntimeFor(sandbox: string, handler: string): string {
  const error = `unable to get OCI runtime for sandbox "${sandbox}": no runtime for "${handler}" is configured`;
  return `rpc error: code = Unknown desc = ${error}`;
}

/** podrun's own: the OCI runtime of a handler cannot be used on this machine. */
export function ociRuntimeUnusable(why: string): string {
  return `rpc error: code = Unknown desc = the OCI runtime of the handler cannot be used here: ${why}`;
}

/** podrun's own: a network of its own for the Pods of a handler cannot be made on this machine. */
export function handlerNetworkUnusable(why: string): string {
  return `the network of the handler cannot be made here: ${why}`;
}

/** podrun's own: a node has the same isolation for every Pod. */
export function handlerNeedsNamespaces(handler: string): string {
  return (
    `the handler "${handler}" needs namespaces, and this podrun runs containers as plain processes: ` +
    "use --runtime namespace; 'podrun doctor' says whether this machine permits it"
  );
}
