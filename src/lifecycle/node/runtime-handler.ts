import type { RuntimeClass, StoredPod } from '../../api/index.ts';
import type { SourceChoice } from '../base/image-types.ts';
import { handlerNeedsNamespaces, noRuntimeFor, noRuntimeClass } from '../texts/runtime-handlers.ts';

/** The isolation of containers: plain processes, namespaces, or namespaces and an OCI runtime in them. */
export const HANDLER_TYPES = ['process', 'namespace', 'oci'] as const;
/** The handlers that every podrun has. */
export const BUILT_IN_HANDLERS = ['process', 'namespace'] as const;
/** OCI runtimes that are handlers without an entry in podrun.yaml, where they are installed. */
export const OCI_RUNTIMES = ['crun', 'runc'] as const;
/** The networks that a handler may choose: this machine's network, or one for each Pod. */
export const HANDLER_NETWORKS = ['host', 'pod'] as const;

/** The way to run Pods that a RuntimeClass names: a combination of podrun.yaml, or the type of this name. */
export interface RuntimeHandler {
  readonly type: (typeof HANDLER_TYPES)[number];
  /** The choice between programs of this machine and images. Undefined: the user's choice. */
  readonly images?: SourceChoice;
  /** The network of its Pods. Undefined: the network of the run. */
  readonly network?: (typeof HANDLER_NETWORKS)[number];
  /** The absolute path of an OCI runtime, or its name along PATH. */
  readonly path?: string;
}

/** The handlers of this machine. */
export interface HandlerFacts {
  /** The handlers of podrun.yaml, by name. */
  readonly own: Readonly<Record<string, RuntimeHandler>>;
  /** The isolation of Pods without a RuntimeClass. */
  readonly tier: (typeof BUILT_IN_HANDLERS)[number];
  /** Finds a RuntimeClass. Undefined: there is none of this name. */
  readonly classNamed: (name: string) => RuntimeClass | undefined;
}

/** The way to run a Pod's containers, or the reason why its sandbox cannot be created. */
export type HandlerOutcome = ({ readonly ok: true } & RuntimeHandler) | { readonly ok: false; readonly error: string };

/**
 * Finds the handler of a Pod. Source: pkg/kubelet/runtimeclass/runtimeclass_manager.go LookupRuntimeHandler;
 * containerd's getSandboxRuntime.
 */
export function podHandler({ metadata, spec }: StoredPod, { own, tier, classNamed }: HandlerFacts): HandlerOutcome {
  const { runtimeClassName: name } = spec;
  if (!name) return { ok: true, type: tier };
  const handler = classNamed(name)?.handler;
  if (handler === undefined) return { ok: false, error: noRuntimeClass(name) };
  const resolved = handlerNamed(handler, own);
  if (resolved === undefined) return { ok: false, error: noRuntimeFor(metadata.uid, handler) };
  if (resolved.type !== 'process' && tier === 'process') return { ok: false, error: handlerNeedsNamespaces(handler) };
  return { ok: true, ...resolved };
}

function handlerNamed(name: string, own: HandlerFacts['own']): RuntimeHandler | undefined {
  const builtIn = BUILT_IN_HANDLERS.find((type) => type === name);
  if (builtIn !== undefined) return { type: builtIn };
  if (Object.hasOwn(own, name)) return own[name];
  return OCI_RUNTIMES.some((runtime) => runtime === name) ? { type: 'oci', path: name } : undefined;
}
