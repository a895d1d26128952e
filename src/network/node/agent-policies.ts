import { errorMessage, type NetworkPolicy, type StoredKubeObject, type StoredPod } from '../../api/index.ts';
import { type Alarm, type Clock, nextEventLoopTurn } from '../../clock.ts';
import { dnsPod, PolicyCompiler, type PolicyGroup, type PolicyPod, policyPodOf } from '../../controllers/index.ts';
import { inBackground } from '../../defects.ts';
import { cannotEnforcePolicies, type EventDraft, policyNotEnforced } from '../../lifecycle/index.ts';
import { Informer, type InformerChange, type Store } from '../../store/index.ts';
import { CLUSTER_DNS } from '../base/service-addresses.ts';
import type { Refusal } from '../linux/nft-policies.ts';

type StoredPolicy = Omit<NetworkPolicy, 'apiVersion' | 'kind' | 'metadata'> & StoredKubeObject;

/** The rules that enforce compiled policies. */
export interface PolicyEnforcer {
  /**
   * Replaces the rules. Rejects when they stay unchanged.
   * @param groups the groups of the agent's Pods
   * @param all the groups of all Pods: they may be clients of the agent's Services
   */
  update(groups: readonly PolicyGroup[], all: readonly PolicyGroup[]): Promise<void>;
  /** The connections that the rules have refused. */
  refusals(): Promise<readonly Refusal[]>;
}

export interface AgentPoliciesOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** The address of a Pod of this agent in its network. Undefined: the Pod is not of this agent, or has none. */
  readonly addressOf: (pod: StoredPod) => string | undefined;
  readonly enforcer: PolicyEnforcer;
  /** Records an event about a NetworkPolicy. */
  readonly record: (about: StoredKubeObject, event: EventDraft) => void;
  /** Called with all connections that the rules have refused so far, when there are new ones. */
  readonly onRefused: (refusals: readonly Refusal[], pods: readonly StoredPod[]) => void;
}

const RETRY_MS = 1000;
/** The period of looks at the counters of refused connections: a look takes 10 ms of processor time. */
const LOOK_EVERY_MS = 5000;

/**
 * Enforces the NetworkPolicies of the store for the Pods of an agent. A policy, a Pod and a namespace act as soon as
 * the store has them; several changes of one turn act together.
 */
export class AgentPolicies {
  readonly #options: AgentPoliciesOptions;
  readonly #policies: Informer<StoredPolicy>;
  /** Undefined until there is a policy: most runs have none. */
  #pods: Informer<StoredPod> | undefined;
  #namespaces: Informer<StoredKubeObject> | undefined;
  readonly #compiler = new PolicyCompiler();
  #groups: readonly PolicyGroup[] = [];
  /** The update that has not begun. It sees all that happens until then. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  /** Undefined: no Pod has come while there was no policy. */
  #begun: Promise<void> | undefined;
  #retry: Alarm | undefined;
  #look: Alarm | undefined;
  #refusals = '';
  /** The policies by uid, with the message of the event that each has. */
  readonly #recorded = new Map<string, string>();
  #isClosed = false;

  constructor(options: AgentPoliciesOptions) {
    this.#options = options;
    this.#policies = new Informer({ store: options.store, resource: 'networkpolicies' }, (change) => {
      if (change.type !== 'MODIFIED' || textOf(change.before?.spec) !== textOf(change.object.spec)) this.#plan();
    });
  }

  /**
   * Closes the network of a new Pod, before its first process, and opens other Pods to it.
   * @throws {Error} when the Pod is isolated, and the rules for it do not hold
   */
  async admit(pod: StoredPod): Promise<void> {
    if (!this.#isNeeded) return this.#begin();
    try {
      await this.#update();
    } catch (error) {
      const address = this.#options.addressOf(pod) ?? '';
      const isIsolated = this.#groups.some(({ members }) => members.includes(address));
      if (isIsolated) throw new Error(cannotEnforcePolicies(errorMessage(error)), { cause: error });
    }
  }

  /** Removes the rules of a former process of the agent, once: without a policy, none of them holds any more. */
  #begin(): Promise<void> {
    if (this.#begun === undefined && !this.#isClosed) {
      const { enforcer } = this.#options;
      // Without nft there are none.
      this.#begun = this.#last.then(() => enforcer.update([], []).catch(() => undefined));
      this.#last = this.#begun;
    }
    return this.#begun ?? this.#last;
  }

  /** Takes a Pod that has ended out of the rules. */
  left(): void {
    if (this.#isNeeded) this.#plan();
  }

  close(): void {
    this.#isClosed = true;
    for (const each of [this.#policies, this.#pods, this.#namespaces]) each?.close();
    for (const alarm of [this.#retry, this.#look]) alarm?.cancel();
  }

  get #isNeeded(): boolean {
    return !this.#isClosed && (this.#pods !== undefined || this.#policies.kept.size > 0);
  }

  #plan(): void {
    inBackground(this.#update().catch(() => undefined));
  }

  /** Resolves when rules hold that were computed after this call. */
  #update(): Promise<void> {
    this.#next ??= this.#last.then(() => new Promise<void>(nextEventLoopTurn)).then(() => this.#enforce());
    this.#last = this.#next.catch(() => undefined);
    return this.#next;
  }

  async #enforce(): Promise<void> {
    this.#next = undefined;
    if (this.#isClosed) return;
    this.#retry?.cancel();
    this.#followPods();
    const { own, all } = this.#compile();
    this.#groups = own;
    try {
      await this.#options.enforcer.update(own, all);
    } catch (error) {
      this.#failed(errorMessage(error));
      throw error;
    }
    this.#recorded.clear();
    if (this.#groups.length > 0) this.#look ??= this.#after(LOOK_EVERY_MS, () => inBackground(this.#count()));
  }

  #followPods(): void {
    const { store } = this.#options;
    this.#pods ??= new Informer({ store, resource: 'pods' }, (change) => {
      if (decides(change)) this.#plan();
    });
    this.#namespaces ??= new Informer({ store, resource: 'namespaces' }, () => this.#plan());
  }

  /** The groups of the Pods of this agent, and of the Pods of all agents. */
  #compile(): { readonly own: readonly PolicyGroup[]; readonly all: readonly PolicyGroup[] } {
    const policies = this.#policies.all;
    if (policies.length === 0) return { own: [], all: [] };
    const own = new Set<string>();
    const pods = (this.#pods?.all ?? []).flatMap((pod): PolicyPod[] => {
      const address = this.#options.addressOf(pod);
      const known = policyPodOf(pod);
      if (known === undefined || address === undefined || known.isOnNode) return known === undefined ? [] : [known];
      own.add(address);
      return [{ ...known, addresses: [address] }];
    });
    const world = { policies, pods: [...pods, dnsPod(CLUSTER_DNS)], namespaces: this.#namespaces?.all ?? [] };
    const all = this.#compiler.compile(world);
    const ofAgent = all.flatMap((group) => {
      const members = group.members.filter((member) => own.has(member));
      return members.length === 0 ? [] : [{ ...group, members }];
    });
    return { own: ofAgent, all };
  }

  /** The former rules hold. */
  #failed(why: string): void {
    if (this.#isClosed) return;
    const event = policyNotEnforced(why);
    for (const policy of this.#policies.all) {
      if (this.#recorded.get(policy.metadata.uid) === event.message) continue;
      this.#recorded.set(policy.metadata.uid, event.message);
      this.#options.record(policy, event);
    }
    this.#retry = this.#after(RETRY_MS, () => this.#plan());
  }

  /** Tells of refused connections, and looks again later while Pods are isolated. */
  async #count(): Promise<void> {
    this.#look = undefined;
    const refusals = await this.#options.enforcer.refusals().catch(() => []);
    if (this.#isClosed) return;
    const pods = this.#pods?.all ?? [];
    // A Pod may have no address in its status yet when its first connection is refused.
    const addresses = new Set(pods.map(({ status }) => status.podIP));
    const text = JSON.stringify(refusals.map((each) => [each, addresses.has(each.from), addresses.has(each.to)]));
    if (refusals.length > 0 && text !== this.#refusals) this.#options.onRefused(refusals, pods);
    this.#refusals = text;
    if (this.#groups.length > 0) this.#look = this.#after(LOOK_EVERY_MS, () => inBackground(this.#count()));
  }

  #after(ms: number, run: () => void): Alarm {
    const { clock } = this.#options;
    return clock.wakeAt(clock.now().monotonicMs + ms, run);
  }
}

/** True for a change of a Pod that policies may see. Most are of its containers. */
function decides({ type, object, before }: InformerChange<StoredPod>): boolean {
  if (type !== 'MODIFIED' || before === undefined) return true;
  const { labels } = object.metadata;
  const { podIP, phase } = object.status;
  const isSame = before.status.podIP === podIP && before.status.phase === phase;
  return !isSame || textOf(before.metadata.labels) !== textOf(labels);
}

function textOf(value: object | undefined): string {
  return JSON.stringify(value) ?? '';
}
