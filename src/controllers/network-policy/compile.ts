import { type Permissions, PolicyPermissions, united } from './permissions.ts';
import { addTo, PodIndex } from './pod-index.ts';
import type { PolicyPod, PolicyProtocol } from './policy-pods.ts';
import { type PlaceRange, type PolicyRange, policyRanges } from './ranges.ts';
import { isolates, type PolicyDirection, type PolicyObject, type PolicyWorld, type PortRange } from './rules.ts';

/**
 * Pods that are isolated in one direction, and the connections that all of their policies together permit. Plain data:
 * rules of the kernel and podrun's proxy are made of it. An end that is in no group permits everything on its side.
 * Connections with the node, and of a Pod with itself, are always permitted, and in no group.
 */
export interface PolicyGroup {
  readonly direction: PolicyDirection;
  /** The addresses of the Pods. */
  readonly members: readonly string[];
  /** The other ends that may use any port of any protocol, in order and without overlaps. */
  readonly anyPort: readonly PolicyRange[];
  /** Further permissions, by protocol and in the order of ports. No two have a port in common. */
  readonly allowances: readonly PolicyAllowance[];
}

/** Ports of a protocol at the destination, and the other ends that may use them, in order and without overlaps. */
export interface PolicyAllowance {
  readonly protocol: PolicyProtocol;
  readonly ports: PortRange;
  readonly peers: readonly PolicyRange[];
}

/** Compiles policies again after each change. What the change does not concern is the same value as before. */
export class PolicyCompiler {
  readonly #directions = { ingress: new DirectionCompiler('ingress'), egress: new DirectionCompiler('egress') };
  #index: PodIndex | undefined;

  /**
   * The groups of all isolated Pods. What any policy permits is permitted: policies have no order. A Pod without an
   * address is in no group, and no peer.
   * @param world unchanged policies are the same objects as before
   */
  compile(world: PolicyWorld): PolicyGroup[] {
    this.#index = new PodIndex(world, this.#index);
    const { ingress, egress } = this.#directions;
    return [...ingress.compile(world.policies, this.#index), ...egress.compile(world.policies, this.#index)];
  }
}

/** The policies that select the same Pods. */
interface SelectedAlike {
  /** The same for the same selector in all calls, and shorter. */
  readonly number: number;
  readonly policies: PolicyPermissions[];
  /** True when a policy depends on the named ports of each Pod. */
  dependOnPod: boolean;
}

/** The permissions of Pods with the same policies and named ports. */
interface UnitedPermissions {
  readonly parts: readonly Permissions[];
  readonly permits: Pick<PolicyGroup, 'anyPort' | 'allowances'>;
}

class DirectionCompiler {
  readonly #direction: PolicyDirection;
  #policies: ReadonlyMap<PolicyObject, PolicyPermissions> = new Map();
  /** By selector. */
  #selections: ReadonlyMap<string, SelectedAlike> = new Map();
  #next = 0;
  /** By the numbers of selections, and named ports. */
  #contents: ReadonlyMap<string, UnitedPermissions> = new Map();
  readonly #ranges = new WeakMap<readonly PlaceRange[], readonly PolicyRange[]>();

  constructor(direction: PolicyDirection) {
    this.#direction = direction;
  }

  compile(policies: readonly PolicyObject[], index: PodIndex): PolicyGroup[] {
    const isolating = policies.filter((policy) => isolates(policy, this.#direction));
    this.#policies = new Map(
      isolating.map((policy) => {
        return [policy, this.#policies.get(policy) ?? new PolicyPermissions(policy, this.#direction)];
      }),
    );
    for (const each of this.#policies.values()) each.refresh(index);
    const selections = this.#select();
    const selectionsOf = new Map<PolicyPod, SelectedAlike[]>();
    for (const selection of selections) {
      const [first] = selection.policies;
      for (const pod of first === undefined ? [] : index.select(first.namespace, first.selector))
        if (pod.addresses.length > 0) addTo(selectionsOf, pod, selection);
    }
    const contents = new Map<string, UnitedPermissions>();
    const members = new Map<string, string[]>();
    for (const [pod, own] of selectionsOf) {
      const dependOnPod = own.some((selection) => selection.dependOnPod);
      const key = `${own.map(({ number }) => number).join()} ${dependOnPod ? JSON.stringify(pod.ports) : ''}`;
      if (!contents.has(key)) contents.set(key, this.#contentOf(key, own, pod));
      for (const address of pod.addresses) addTo(members, key, address);
    }
    this.#contents = contents;
    return [...contents].map(([key, { permits }]) => {
      return { direction: this.#direction, members: members.get(key) ?? [], ...permits };
    });
  }

  #select(): readonly SelectedAlike[] {
    const selections = new Map<string, SelectedAlike>();
    for (const policy of this.#policies.values()) {
      const number = (): number => this.#selections.get(policy.selection)?.number ?? this.#next++;
      const own = selections.get(policy.selection) ?? { number: number(), policies: [], dependOnPod: false };
      own.policies.push(policy);
      own.dependOnPod ||= policy.dependOnPod;
      selections.set(policy.selection, own);
    }
    this.#selections = selections;
    return [...selections.values()];
  }

  #contentOf(key: string, selections: readonly SelectedAlike[], pod: PolicyPod): UnitedPermissions {
    const parts = selections.flatMap(({ policies }) => policies.map((policy) => policy.of(pod.ports)));
    const known = this.#contents.get(key);
    const isSame = known?.parts.length === parts.length && parts.every((part, at) => known.parts[at] === part);
    if (isSame) return known;
    const { anyPort, byPort } = united(parts);
    return {
      parts,
      permits: {
        anyPort: this.#rangesOf(anyPort),
        allowances: byPort.map((each) => ({ ...each, peers: this.#rangesOf(each.peers) })),
      },
    };
  }

  #rangesOf(places: readonly PlaceRange[]): readonly PolicyRange[] {
    const ranges = this.#ranges.get(places) ?? policyRanges(places);
    this.#ranges.set(places, ranges);
    return ranges;
  }
}
