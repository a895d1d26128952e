import { NODE_TIMING } from '../../controllers/index.ts';
import { createLease, deletePod } from '../../apiserver/index.ts';
import { reportTrouble } from '../../defects.ts';
import type { Agent } from '../../kubelet/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import { NodesLoop } from '../../workloads/index.ts';
import type { RunOwner } from './begin-runs.ts';
import type { RunInput } from './run-input.ts';

interface NodesOptions extends Pick<RunInput, 'store' | 'clock' | 'owner' | 'listener'> {
  readonly agent: Agent;
  readonly settings: Pick<AgentSettings, 'terminatedPodGCThreshold'>;
}

/** The controllers of the nodes of a state folder, beside the Pods of an agent. */
export function openNodes({ agent, owner, store, clock, listener, settings }: NodesOptions): NodesLoop {
  const onTrouble = (error: unknown): void => reportTrouble(error, ({ message }) => listener.onTrouble(message));
  return new NodesLoop({
    store,
    clock,
    onEvent: listener.onEvent,
    onTrouble,
    timing: { ...NODE_TIMING, endedPodsMax: settings.terminatedPodGCThreshold ?? NODE_TIMING.endedPodsMax },
    machine: () => agent.nodes.machine,
    claim: () => claimNodes(store, owner),
    deletePod: ({ metadata: { namespace, name } }, graceSeconds) =>
      void deletePod({ store, clock, namespace, name, graceSeconds }).catch(onTrouble),
  });
}

/** The Lease of the process that runs the controllers of nodes, as on a cluster with several control planes. */
const LEASE = { namespace: 'kube-system', name: 'kube-controller-manager' };

/** Undefined: another process has the Lease. */
function claimNodes(store: FileStore, { command, agent }: RunOwner): (() => void) | undefined {
  if (store.get('leases', LEASE.namespace, LEASE.name) === undefined) createLease(store, { metadata: LEASE });
  const claim = store.owners.claim('leases', LEASE, command, agent);
  return claim.ok ? claim.release : undefined;
}
