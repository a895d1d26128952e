import { expect, it, vi } from 'vitest';
import type { KubeObject, StoredPod } from '../../../src/api/base/objects.ts';
import type { PolicyGroup } from '../../../src/controllers/network-policy/compile.ts';
import { AgentPolicies } from '../../../src/network/node/agent-policies.ts';
import type { Refusal } from '../../../src/network/linux/nft-policies.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../../src/simulation/memory-store.ts';
import { PATIENT } from '../../patience.ts';

const ADDRESSES: Readonly<Record<string, string>> = { web: '10.93.1.1', friend: '10.93.1.2', far: '10.93.1.3' };

const policyOf = (app: string, peer: string): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: app, namespace: 'default' },
  spec: {
    podSelector: { matchLabels: { app } },
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ podSelector: { matchLabels: { app: peer } } }] }],
  },
});

/** An agent that runs all Pods but `far`, and rules that may fail. */
class Room {
  readonly clock = new ManualClock(0);
  readonly store = new MemoryStore(this.clock);
  /** The groups of each update that has succeeded, in short form. */
  readonly enforced: string[][] = [];
  readonly events: string[] = [];
  readonly refused: (readonly Refusal[])[] = [];
  refusals: readonly Refusal[] = [];
  trouble: string | undefined;
  readonly policies = new AgentPolicies({
    store: this.store,
    clock: this.clock,
    addressOf: ({ metadata: { name } }) => (name === 'far' ? undefined : ADDRESSES[name]),
    enforcer: {
      update: async (groups) => {
        if (this.trouble !== undefined) throw new Error(this.trouble);
        this.enforced.push(groups.map(shortGroup));
      },
      refusals: async () => this.refusals,
    },
    record: ({ metadata }, { reason, message }) => this.events.push(`${metadata.name} ${reason}: ${message}`),
    onRefused: (refusals) => this.refused.push(refusals),
  });

  addPod(name: string, app: string, podIP?: string): StoredPod {
    const versions = { uid: '', resourceVersion: '', creationTimestamp: '' };
    const metadata = { ...versions, name, namespace: 'default', labels: { app } };
    const status = podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] };
    const spec = { containers: [{ name: 'main', image: 'a' }] };
    return this.store.create('pods', { apiVersion: 'v1', kind: 'Pod', metadata, spec, status });
  }

  addPolicy(app: string, peer: string): void {
    this.store.create('networkpolicies', policyOf(app, peer));
  }
}

function shortGroup({ members, anyPort }: PolicyGroup): string {
  return `${members.join()} from ${anyPort.map(({ first, last }) => `${first}-${last}`).join()}`;
}

it('without a policy, only the rules of a former process are removed', async () => {
  const room = new Room();
  await room.policies.admit(room.addPod('web', 'web'));
  await room.policies.admit(room.addPod('friend', 'friend'));
  room.policies.left();
  expect(room.enforced).toEqual([[]]);
  room.policies.close();
});

it('a Pod is closed when it is admitted, to all but its peers of any agent', async () => {
  const room = new Room();
  room.addPolicy('web', 'friend');
  room.addPod('far', 'friend', ADDRESSES['far']);
  const [web, friend] = [room.addPod('web', 'web'), room.addPod('friend', 'friend')];
  await Promise.all([room.policies.admit(web), room.policies.admit(friend)]);
  expect(room.enforced.at(-1)).toEqual(['10.93.1.1 from 10.93.1.2-10.93.1.3']);
  // All of a turn act together.
  expect(room.enforced.length).toBeLessThanOrEqual(2);
  room.policies.close();
});

it('a policy, a label and a deletion act when they happen', async () => {
  const room = new Room();
  room.addPod('web', 'web');
  room.addPod('friend', 'friend');
  room.addPolicy('web', 'friend');
  const latest = (): readonly string[] | undefined => room.enforced.at(-1);
  await vi.waitFor(() => expect(latest()).toEqual(['10.93.1.1 from 10.93.1.2-10.93.1.2']), PATIENT);
  const key = { namespace: 'default', name: 'friend' };
  room.store.change<StoredPod>('pods', key, 'object', (pod) => {
    return { ...pod, metadata: { ...pod.metadata, labels: { app: 'stranger' } } };
  });
  await vi.waitFor(() => expect(latest()).toEqual(['10.93.1.1 from ']), PATIENT);
  room.store.delete('networkpolicies', 'default', 'web');
  await vi.waitFor(() => expect(latest()).toEqual([]), PATIENT);
  room.policies.close();
});

it('a Pod whose rules cannot be set does not begin; the rest does, and the rules are tried again', async () => {
  const room = new Room();
  room.addPolicy('web', 'friend');
  room.trouble = 'nft has failed';
  const why = 'cannot enforce the NetworkPolicies of the Pod: nft has failed';
  await expect(room.policies.admit(room.addPod('web', 'web'))).rejects.toThrow(why);
  await room.policies.admit(room.addPod('friend', 'friend'));
  const event = 'web PolicyNotEnforced: the former rules hold, and podrun tries again: nft has failed';
  expect(room.events).toEqual([event]);
  room.trouble = undefined;
  room.clock.advance(1000);
  await vi.waitFor(() => expect(room.enforced.at(-1)).toEqual(['10.93.1.1 from 10.93.1.2-10.93.1.2']), PATIENT);
  expect(room.events).toEqual([event]);
  room.policies.close();
});

it('refused connections are reported when there are more', async () => {
  const room = new Room();
  room.addPolicy('web', 'friend');
  await room.policies.admit(room.addPod('web', 'web'));
  const refusal = { direction: 'ingress', from: '10.93.1.9', to: '10.93.1.1', protocol: 'TCP', port: 80 } as const;
  room.refusals = [{ ...refusal, count: 1 }];
  await room.clock.run(5000);
  await room.clock.run(5000);
  expect(room.refused).toEqual([[{ ...refusal, count: 1 }]]);
  room.refusals = [{ ...refusal, count: 2 }];
  await room.clock.run(5000);
  expect(room.refused.at(-1)).toEqual([{ ...refusal, count: 2 }]);
  // The client has its address in its status later.
  room.addPod('late', 'late', refusal.from);
  await room.clock.run(5000);
  expect(room.refused).toHaveLength(3);
  room.policies.close();
});
