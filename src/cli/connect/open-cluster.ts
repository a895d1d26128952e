import { PodrunError } from '../../api/index.ts';
import type { ClusterAccess } from '../../remote/index.ts';
import type { Cli } from '../base/cli.ts';

/** The flags that choose a cluster. */
export interface ClusterFlags {
  /** The context of the kubeconfig. Undefined: the current one. */
  readonly context?: string | undefined;
  /** The kubeconfig. Undefined: kubectl's. */
  readonly kubeconfig?: string | undefined;
}

/**
 * Finds the cluster of a context, and how to be let in.
 * @throws {PodrunError} (usage) when the kubeconfig has no such context
 */
export async function openCluster(cli: Cli, { context = '', kubeconfig }: ClusterFlags): Promise<ClusterAccess> {
  const { openAccess } = await import('../../remote/client/index.ts');
  const outcome = openAccess({ kubeconfig: kubeconfig && cli.pathOf(kubeconfig), context });
  if (outcome.ok) return outcome.access;
  const known = outcome.contexts.length === 0 ? undefined : `Its contexts are ${outcome.contexts.join(', ')}.`;
  throw new PodrunError('Usage', outcome.error, { hint: known });
}
