import { errorMessage } from '../../api/index.ts';
import type { Obstacle } from '../../machine/index.ts';
import type { Clock } from '../../clock.ts';
import { statQuietly } from '../../quietly.ts';
import { readCache, readPrivileges, writeCache } from '../../runtime/index.ts';
import { BridgeGuard } from './bridge-guard.ts';
import { Cluster } from './cluster.ts';
import type { NetworkMode } from './cluster-commands.ts';
import { holdNetwork } from './holder.ts';
import { forwardsPackets } from './nat-script.ts';
import { Nft } from './nft.ts';
import { NftServices } from './nft-services.ts';
import { findNetworkTools, findNft, findWaysOut, networkMarks, type NetworkTools } from './tools.ts';
import { WayOut } from './way-out.ts';
import type { WayOutTools } from './way-out-commands.ts';

/** The ways in which podrun can make private networks here, as plain data. */
export interface NetworkFacts {
  readonly tools: NetworkTools;
  readonly mode: NetworkMode;
  /** The way out of a cluster. Undefined: there is none, or podrun was asked about networks of single Pods. */
  readonly wayOut?: WayOutTools | undefined;
  /** The path of nft, where its rules work in a cluster. */
  readonly nft?: string | undefined;
  /** The message of an nft that is installed and cannot be used here. */
  readonly failedNft?: string | undefined;
  /** The message of an nft that cannot enforce NetworkPolicies here, although its rules work otherwise. */
  readonly failedPolicies?: string | undefined;
  /** The messages of programs that are installed and cannot be a way out here. */
  readonly failedWayOut?: string | undefined;
}

export type NetworkDetection =
  | { readonly ok: true; readonly facts: NetworkFacts }
  /** The reason why there are none. */
  | { readonly ok: false; readonly why: Obstacle };

/** An address for the trial, visible only inside it. */
const TRIED_ADDRESS = '10.93.1.1';

/** Makes a network. Throws an error with the messages of the programs. */
type Trial = (facts: NetworkFacts, question: NetworkQuestion) => Promise<NetworkFacts>;

const TRIALS: Readonly<Record<'pod' | 'cluster', Trial>> = {
  pod: async (facts) => {
    const outcome = await holdNetwork(facts.tools, {
      ...facts,
      address: TRIED_ADDRESS,
      sysctls: [],
      heldFor: undefined,
    });
    if (!outcome.ok) throw new Error(outcome.error);
    await outcome.network.end();
    return facts;
  },
  cluster: async (facts, question) => {
    const cluster = await Cluster.open({ ...facts, heldFor: undefined });
    try {
      await (await cluster.addPod(TRIED_ADDRESS, [])).end();
      const rules = await tryRules(cluster, question);
      return { ...facts, ...rules, ...(await findWayOut(facts.tools, cluster, question)) };
    } finally {
      cluster.close({ ends: true });
    }
  },
};

/** Tries rules of nftables: for Services, and for NetworkPolicies. */
async function tryRules(
  { join }: Cluster,
  { userPath }: NetworkQuestion,
): Promise<Pick<NetworkFacts, 'nft' | 'failedNft' | 'failedPolicies'>> {
  const nft = findNft(userPath);
  if (nft === undefined) return {};
  try {
    await new NftServices(nft, join, 'trial').update([]);
  } catch (error) {
    return { failedNft: errorMessage(error) };
  }
  try {
    const rules = new Nft(nft, join);
    await new BridgeGuard(rules).admit('trial', TRIED_ADDRESS);
    return { nft };
  } catch (error) {
    return { nft, failedPolicies: errorMessage(error) };
  }
}

/** The path of nft, where it can enforce NetworkPolicies. */
export function nftForPolicies({
  nft,
  failedPolicies,
}: Pick<NetworkFacts, 'nft' | 'failedPolicies'>): string | undefined {
  return failedPolicies === undefined ? nft : undefined;
}

const NOT_FORWARDED = 'nat: this machine forwards no packets, which --egress nat turns on';

/** Tries the ways out that are installed. Returns the first one that works. */
async function findWayOut(
  tools: NetworkTools,
  { join }: Cluster,
  { userPath, clock }: NetworkQuestion,
): Promise<Pick<NetworkFacts, 'wayOut' | 'failedWayOut'>> {
  const errors: string[] = [];
  for (const wayOut of findWaysOut(userPath)) {
    // podrun changes a setting of the whole machine only when the user asks for it.
    if (wayOut.kind === 'nat' && !forwardsPackets()) {
      errors.push(NOT_FORWARDED);
      continue;
    }
    try {
      const open = await WayOut.open({ tools, wayOut, cluster: join, hasHostAccess: true, clock, heldFor: undefined });
      open.close({ ends: true });
      return { wayOut };
    } catch (error) {
      errors.push(`${wayOut.kind}: ${errorMessage(error)}`);
    }
  }
  if (errors.length === 0) return {};
  const isOnly = errors.length === 1 && errors[0] === NOT_FORWARDED;
  return { failedWayOut: [...(isOnly ? ['pasta and slirp4netns are not installed'] : []), ...errors].join('; ') };
}

export interface NetworkQuestion {
  /** PATH of the user. */
  readonly userPath: string | undefined;
  readonly clock: Clock;
}

export interface ClusterQuestion extends NetworkQuestion {
  /** The state folder, which holds the cached result. */
  readonly stateDir: string;
  /** The version of podrun. A result is valid for one version. */
  readonly version: string;
  /** True: ignore the cached result, and cache a new one. */
  readonly ignoresCache?: boolean;
}

/** The device of a way out. Many machines permit it to root only. */
const TUN = '/dev/net/tun';

/** The same for a cluster. The result is cached until the machine, its programs or podrun's rights change. */
export async function detectCluster(question: ClusterQuestion): Promise<NetworkDetection> {
  const { stateDir, version, userPath, ignoresCache } = question;
  if (process.platform !== 'linux') return detectNetworks('cluster', question);
  const tun = statQuietly(TUN)?.mode ?? '-';
  const key = [version, networkMarks(userPath), readPrivileges().mark, tun, forwardsPackets()].join(' ');
  const known = ignoresCache === true ? undefined : readCache<NetworkDetection>(stateDir, 'cluster', key);
  if (known !== undefined) return known;
  const detection = await detectNetworks('cluster', question);
  writeCache(stateDir, 'cluster', key, detection);
  return detection;
}

/** Makes a private network once, and removes it (`pod` 10 ms, `cluster` 40 ms, and 50 ms for its way out). */
export async function detectNetworks(kind: keyof typeof TRIALS, question: NetworkQuestion): Promise<NetworkDetection> {
  const { platform } = process;
  if (platform !== 'linux') return { ok: false, why: { type: 'platform', platform } };
  const installed = findNetworkTools(question.userPath);
  if (!installed.ok) return { ok: false, why: { type: 'missingPrograms', programs: installed.missing } };
  const { tools } = installed;
  const errors: string[] = [];
  for (const mode of process.getuid?.() === 0 ? (['root', 'user'] as const) : (['user'] as const)) {
    try {
      return { ok: true, facts: await TRIALS[kind]({ tools, mode }, question) };
    } catch (error) {
      errors.push(errorMessage(error));
    }
  }
  const said = [...new Set(errors)].join('; ');
  const { isPrivileged, obstructive } = readPrivileges();
  const [setting] = isPrivileged ? [] : obstructive;
  if (setting !== undefined) return { ok: false, why: { type: 'setting', ...setting, said } };
  return { ok: false, why: { type: 'refused', doing: 'make network namespaces', said, confinedBy: [] } };
}
