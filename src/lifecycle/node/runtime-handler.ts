import type { RuntimeClass } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { SourceChoice } from '../images/types.ts';
import { handlerNeedsNamespaces, noRuntimeFor, noRuntimeClass } from '../texts/runtime-handlers.ts';

/** The isolation of containers: plain processes, or namespaces. */
export const HANDLER_TYPES = ['process', 'namespace'] as const;

/** The way to run Pods that a RuntimeClass names: a combination of podrun.yaml, or the type of this name. */
export interface RuntimeHandler {
  readonly type: (typeof HANDLER_TYPES)[number];
  /** The choice between programs of this machine and images. Undefined: that of the user. */
  readonly images?: SourceChoice;
}

/** The handlers of this machine. */
export interface HandlerFacts {
  /** The handlers of podrun.yaml, by name. */
  readonly own: Readonly<Record<string, RuntimeHandler>>;
  /** The isolation of Pods without a RuntimeClass. */
  readonly tier: RuntimeHandler['type'];
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
  const builtIn = HANDLER_TYPES.find((type) => type === handler);
  const found = builtIn === undefined && Object.hasOwn(own, handler) ? own[handler] : undefined;
  const type = builtIn ?? found?.type;
  if (type === undefined) return { ok: false, error: noRuntimeFor(metadata.uid, handler) };
  if (type === 'namespace' && tier === 'process') return { ok: false, error: handlerNeedsNamespaces(handler) };
  return { ok: true, type, ...(found?.images !== undefined && { images: found.images }) };
}
