import type { ManifestSource } from './types.ts';

/** The options of an API server for a test suite. */
export interface EnvtestOptions {
  /**
   * The parts of a cluster behind the API server. `api`: none, as in envtest. `controllers`: all controllers, but no
   * node. `run`: controllers, and this machine as a node that runs Pods. Default: `PODRUN_ENVTEST`, else `api`.
   */
  readonly mode?: 'api' | 'controllers' | 'run';
  /** The version of Kubernetes to stand for: `1.34`, `1.34.1`. Default: `PODRUN_ENVTEST_VERSION`, else the newest. */
  readonly version?: string;
  /** CustomResourceDefinitions. Their kinds are served when the call resolves. Of folders, the rest is left alone. */
  readonly crds?: ManifestSource;
  /** MutatingWebhookConfigurations and ValidatingWebhookConfigurations, which lead to `webhookServer`. */
  readonly webhooks?: ManifestSource;
  /** Users beside the administrator. */
  readonly users?: ReadonlyArray<{ readonly name: string; readonly groups?: readonly string[] }>;
  /** The folder that relative paths start from. Default: the process's own. */
  readonly cwd?: string;
  /** Is called with each warning, and with each line that the server reports. */
  readonly onWarning?: (text: string) => void;
}

/** A user of an API server for a test suite: a certificate that its CA has signed. */
export interface EnvtestUser {
  readonly name: string;
  readonly groups: readonly string[];
  /** PEM. */
  readonly certificate: string;
  /** The private key, PEM. */
  readonly key: string;
  /** The path of a kubeconfig with both, for `KUBECONFIG`. */
  readonly kubeconfig: string;
}

/** The place at which the API server looks for webhooks, for `https.createServer` and `listen` of Node.js. */
export interface WebhookServer {
  readonly host: string;
  /** A port that was free at the start. */
  readonly port: number;
  /** The certificate, PEM. */
  readonly cert: string;
  /** The private key, PEM. */
  readonly key: string;
}

/** An API server for a test suite. */
export interface Envtest extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** The certificate of the CA of the server and of its users, PEM. */
  readonly ca: string;
  /** The token of the administrator. */
  readonly token: string;
  /** The path of the kubeconfig of the administrator, for `KUBECONFIG`. */
  readonly kubeconfig: string;
  readonly webhookServer: WebhookServer;
  /** The user of this name: of the options, of `addUser`, or `admin`. */
  user(name: string): EnvtestUser;
  /** Makes another user, whom the server knows at once. */
  addUser(name: string, groups?: readonly string[]): Promise<EnvtestUser>;
  /** Ends the server, with the Pods that it runs, and removes its files. */
  close(): Promise<void>;
}
