import { errorMessage } from '../../api/index.ts';
import type { RequestOptions } from 'node:https';
import type { Readable, Writable } from 'node:stream';
// Only these two parts: the whole package is twice as large.
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { PortForward } from '@kubernetes/client-node/dist/portforward.js';

/** A cluster of the user's kubeconfig: where it is, and how to be let in. */
export interface ClusterAccess {
  /** The name of the context. */
  readonly context: string;
  /** The URL of the API server. */
  readonly server: string;
  /** The namespace that the context names. */
  readonly namespace: string | undefined;
  /** Credentials, TLS and proxy for one request. Tokens of plugins are renewed when they have expired. */
  readonly requestOptions: () => Promise<RequestOptions>;
  /** Connects a port of a Pod with two streams. Resolves when connected, with a function that ends the connection. */
  readonly forward: (target: ForwardTarget, streams: ForwardStreams) => Promise<() => void>;
}

export interface ForwardTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

export interface ForwardStreams {
  /** Gets the bytes of the Pod. */
  readonly output: Writable;
  /** Supplies the bytes for the Pod. */
  readonly input: Readable;
  /** Called when the connection has ended. */
  readonly onEnd: () => void;
}

/** The answer of `openAccess`: no error class of podrun is known here, since this file is a bundle of its own. */
export type AccessOutcome =
  | { readonly ok: true; readonly access: ClusterAccess }
  | { readonly ok: false; readonly error: string; readonly contexts: readonly string[] };

/**
 * Reads the kubeconfig as kubectl does: the file, else the files in $KUBECONFIG, else ~/.kube/config.
 * @param context its name; empty: the current one
 */
export function openAccess({
  kubeconfig,
  context,
}: {
  readonly kubeconfig: string | undefined;
  readonly context: string;
}): AccessOutcome {
  const config = new KubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    return { ok: false, error: errorMessage(error), contexts: [] };
  }
  const contexts = config.getContexts().map(({ name }) => name);
  const name = context === '' ? config.getCurrentContext() : context;
  config.setCurrentContext(name);
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) return { ok: false, error: `the kubeconfig has no context "${name}"`, contexts };
  const access: ClusterAccess = {
    context: name,
    server,
    namespace: config.getContextObject(name)?.namespace,
    requestOptions: async () => {
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      return options;
    },
    forward: async ({ namespace, pod, port }, { output, input, onEnd }) => {
      const socket = await new PortForward(config).portForward(namespace, pod, [port], output, null, input);
      const opened = typeof socket === 'function' ? socket() : socket;
      opened?.on('close', onEnd);
      opened?.on('error', onEnd);
      return () => opened?.close();
    },
  };
  return { ok: true, access };
}
