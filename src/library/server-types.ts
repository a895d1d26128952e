import type { RunOptions } from './base/types.ts';

/** The options of a server. Those of `run` mean the same for its Pods. */
export interface KubernetesServerOptions extends Pick<
  RunOptions,
  | 'backoff'
  | 'config'
  | 'cwd'
  | 'images'
  | 'imageSource'
  | 'ingressPorts'
  | 'isolate'
  | 'network'
  | 'networkHostAccess'
  | 'onWarning'
  | 'proxy'
  | 'runtime'
  | 'stateDir'
> {
  /** The port to listen at, on 127.0.0.1; 0: a free one. Default: the last one of `stateDir`, if it is free. */
  readonly port?: number;
  /** `rbac`: users and Pods may do what Roles permit. `always-allow`: everything. Default: `rbac`. */
  readonly authorization?: 'rbac' | 'always-allow';
  /** A file for a line of JSON about each request. Default: none. */
  readonly auditLog?: string;
}

/** A server of the Kubernetes API, with one node: this process. */
export interface KubernetesServer extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** The certificate of the CA of the server, PEM. */
  readonly ca: string;
  /** The token of the administrator. */
  readonly token: string;
  /** The path of a kubeconfig, for `KUBECONFIG`. */
  readonly kubeconfig: string;
  /** Ends all Pods gracefully, and the server. */
  close(): Promise<void>;
}
