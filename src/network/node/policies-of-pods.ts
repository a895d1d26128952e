import type { StoredKubeObject, StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { EventDraft } from '../../lifecycle/index.ts';
import type { Store } from '../../store/index.ts';
import type { Refusal } from '../linux/nft-policies.ts';
import type { NetworkMaker } from './network-maker.ts';
import { type PrivateNetworks, withoutPolicies } from './private-networks.ts';

/** The NetworkPolicies of an agent's Pods, in force or without effect. */
export interface PodPolicies {
  /** Called when the Pod has its network and no process. Rejects when the Pod may not begin. */
  readonly admit: (pod: StoredPod) => Promise<void> | void;
  /** Called when a Pod has ended. Undefined: nothing is restricted. */
  readonly left?: () => void;
  readonly close: () => void;
}

/** The listeners for what becomes of NetworkPolicies. */
export interface PolicyEvents {
  /** Records an event about a NetworkPolicy. */
  readonly record: (about: StoredKubeObject, event: EventDraft) => void;
  /** Called with all connections that were refused so far, when there are new ones, and with all Pods. */
  readonly onRefused: (refusals: readonly Refusal[], pods: readonly StoredPod[]) => void;
}

interface PoliciesPlace {
  readonly store: Store;
  readonly clock: Clock;
  readonly policyEvents: PolicyEvents;
  readonly addressOf: (pod: StoredPod) => string | undefined;
}

/**
 * The NetworkPolicies of an agent's Pods. Undefined where no Pod reaches another one.
 * @param networks undefined: the Pods are in the network of this machine
 */
export async function policiesOfPods(
  networks: PrivateNetworks | undefined,
  maker: Promise<NetworkMaker> | undefined,
  { policyEvents, ...place }: PoliciesPlace,
): Promise<PodPolicies | undefined> {
  if (networks?.kind === 'pod') return undefined;
  const why = withoutPolicies(networks);
  if (why !== undefined || maker === undefined) {
    const { IdlePolicies } = await import('./idle-policies.ts');
    return new IdlePolicies({ ...place, ...policyEvents, why: why ?? { type: 'host' } });
  }
  const [{ AgentPolicies }, made] = await Promise.all([import('./agent-policies.ts'), maker]);
  const enforcer = { update: made.enforce.bind(made), refusals: made.refusals.bind(made) };
  return new AgentPolicies({ ...place, ...policyEvents, enforcer });
}
