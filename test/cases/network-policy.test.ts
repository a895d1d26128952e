import { describe, expect, it } from 'vitest';
import type { NetworkPolicy, ObjectMeta, Pod } from '../../src/api/index.ts';
import { PolicyCompiler } from '../../src/controllers/network-policy/compile.ts';
import { endAt, judgeConnection, type PolicyEnd } from '../../src/controllers/network-policy/judge.ts';
import { PolicyGate } from '../../src/controllers/network-policy/policy-gate.ts';
import { type PolicyPod, policyPodOf, type PolicyProtocol } from '../../src/controllers/network-policy/policy-pods.ts';
import type { PolicyObject, PolicyWorld } from '../../src/controllers/network-policy/rules.ts';
import { readCases } from './cases.ts';

type Labels = Readonly<Record<string, string>>;

interface CasePod {
  readonly namespace: string;
  readonly labels: Labels;
  readonly ip: string;
  readonly ips?: readonly string[];
  readonly ports: NonNullable<NonNullable<Pod['spec']>['containers'][number]['ports']>;
  readonly hostNetwork?: boolean;
  readonly phase?: string;
}

interface CaseService {
  readonly ports: ReadonlyArray<{ readonly port: number; readonly targetPort: number; readonly protocol: string }>;
  readonly endpoints: readonly string[];
}

interface Case {
  readonly id: number;
  readonly title: string;
  readonly from: string;
  readonly to: string;
  readonly port: number;
  readonly protocol: PolicyProtocol;
  readonly allowed: boolean;
  readonly changes?: {
    readonly podLabels?: Readonly<Record<string, Labels>>;
    readonly namespaceLabels?: Readonly<Record<string, Labels>>;
  };
}

interface PolicyCases {
  readonly namespaces: Readonly<Record<string, Labels>>;
  readonly pods: Readonly<Record<string, CasePod>>;
  readonly services: Readonly<Record<string, CaseService>>;
  readonly policySets: ReadonlyArray<{ readonly title: string; readonly policies: readonly NetworkPolicy[] }>;
  readonly cases: readonly Case[];
}

const { data, options } = readCases<PolicyCases>('network-policy-cases.json');
const NODE = '10.93.0.1';
const [cases, sets] = [data?.cases ?? [], data?.policySets ?? []];

describe('connections under NetworkPolicies', options, () => {
  it.each(sets.map(({ title }) => title))('%s', (title) => {
    const own = cases.filter((each) => each.title === title);
    const wanted = own.map(({ id, allowed }) => ({ id, judged: allowed, compiled: allowed }));
    expect(own.map(outcomeOf)).toEqual(wanted);
  });

  it('have a set of policies in each case', () => {
    const titles = new Set(sets.map(({ title }) => title));
    expect(cases.filter(({ title }) => !titles.has(title))).toEqual([]);
  });
});

/** The verdicts about a case: of the policies themselves, and of what is compiled from them. */
function outcomeOf(one: Case): { readonly id: number; readonly judged: boolean; readonly compiled: boolean } {
  const world = worldOf(one);
  const { to, port } = destination(one);
  const { protocol } = one;
  const [from, target] = [endOf(one.from, world), endOf(to, world)];
  const { allowed: judged } = judgeConnection(world, { from, to: target, protocol, port });
  const gate = new PolicyGate(new PolicyCompiler().compile(world), [NODE]);
  const compiled = gate.permits({ from: addressOf(from), to: addressOf(target), protocol, port });
  return { id: one.id, judged, compiled };
}

function worldOf({ title, changes = {} }: Case): PolicyWorld {
  const { pods = {}, namespaces = {} } = data ?? {};
  const policies = (sets.find((set) => set.title === title)?.policies ?? []) as readonly PolicyObject[];
  const labelled = Object.entries({ ...namespaces, ...changes.namespaceLabels });
  return {
    policies,
    pods: Object.entries(pods).flatMap(([key, pod]) => podOf(key, pod, changes.podLabels?.[key]) ?? []),
    namespaces: labelled.map(([name, labels]): { metadata: ObjectMeta } => ({ metadata: { name, labels } })),
  };
}

function podOf(key: string, pod: CasePod, labels: Labels = pod.labels): PolicyPod | undefined {
  const { namespace, ip, ips = [ip], ports, hostNetwork = false, phase = 'Running' } = pod;
  return policyPodOf({
    metadata: { name: key.slice(namespace.length + 1), namespace, labels },
    spec: { containers: [{ name: 'main', ports }], hostNetwork },
    status: { phase: phase as 'Running', podIP: ip, podIPs: ips.map((each) => ({ ip: each })) },
  });
}

/** The Pod behind the address of a Service, and its port there. */
function destination({ to, port, protocol }: Case): { readonly to: string; readonly port: number } {
  if (!to.startsWith('svc:')) return { to, port };
  const service = data?.services[to.slice('svc:'.length)];
  const served = service?.ports.find((each) => each.port === port && each.protocol === protocol);
  return { to: service?.endpoints[0] ?? to, port: served?.targetPort ?? port };
}

function endOf(text: string, { pods }: PolicyWorld): PolicyEnd {
  if (text === 'node') return { kind: 'node' };
  if (text.startsWith('ip:')) return endAt(text.slice('ip:'.length), pods, [NODE]);
  const pod = pods.find(({ namespace, name }) => text === `${namespace}/${name}`);
  // The address of a Pod that has ended is no Pod's.
  const ended = data?.pods[text];
  if (pod === undefined && ended !== undefined) return { kind: 'address', address: ended.ip };
  if (pod === undefined) throw new Error(`there is no Pod ${text}`);
  return { kind: 'pod', pod };
}

function addressOf(end: PolicyEnd): string {
  if (end.kind === 'node') return NODE;
  return end.kind === 'address' ? end.address : (end.pod.addresses[0] ?? '');
}
