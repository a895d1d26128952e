import { type Container, type KubeObject, type PodrunError, refusedStart, usage } from '../../api/index.ts';
import { type EgressChoice, type NetworkChoice, obstacleText, type ProxyChoice } from '../../machine/index.ts';
import type { WithoutPolicies } from '../../lifecycle/index.ts';
import type { ClusterQuestion, NetworkFacts } from '../linux/detect.ts';
import { findWaysOut } from '../linux/tools.ts';
import { version } from '../../version.ts';
import { lowestPort } from '../base/service-listener.ts';
import { DNS_PORT } from '../base/service-addresses.ts';
import { whyCluster } from './why-cluster.ts';

/** The networks of Pods that do not use the host's, as plain data. */
export interface PrivateNetworks extends NetworkFacts {
  /** `pod`: each Pod alone. `cluster`: the Pods of an agent reach each other. */
  readonly kind: 'pod' | 'cluster';
  /** True when Pods of a cluster may reach servers on 127.0.0.1 of this machine, where there is a way out. */
  readonly hasHostAccess: boolean;
  /** The proxy for Services of a cluster. */
  readonly proxy: ProxyChoice;
}

/** The networks of a run. */
export interface ChosenNetworks {
  /** Undefined: the Pods share the host's network. */
  readonly networks: PrivateNetworks | undefined;
  /** A sentence about podrun's choice. Undefined: the user has chosen, or nothing speaks for a cluster. */
  readonly note: string | undefined;
}

export interface NetworkRequest {
  readonly choice: NetworkChoice;
  readonly proxy: ProxyChoice;
  /** Default: auto. */
  readonly egress?: EgressChoice | undefined;
  readonly hasHostAccess: boolean;
  /** True when containers may have files of their own, such as a resolv.conf. */
  readonly hasNamespaces: boolean;
  /** True for several nodes. */
  readonly hasNodes: boolean;
  /** The objects of the run. */
  readonly objects: readonly KubeObject[];
  /** True for a container that runs from its image. Default: none does. */
  readonly runsImage?: ((container: Container) => boolean) | undefined;
  /** A reason for a cluster that the objects do not tell. Default: none. */
  readonly reason?: string | undefined;
}

/** The reason for a cluster of Pods in the background, beside other runs in the same one. */
export const BESIDE_OTHERS = 'Pods in the background share one';
/** The reason for a cluster of a server: its objects come later. */
export const FOR_CLIENTS = 'clients create Services and replicas';

const HOST: ChosenNetworks = { networks: undefined, note: undefined };

const CANNOT = {
  pod: 'podrun cannot give Pods their own networks here',
  cluster: 'podrun cannot make a cluster network here',
} as const;

/**
 * Chooses the networks of a run, and finds out how this machine permits them (100 ms for a cluster, the first time).
 * @throws {PodrunError} (usage) where the networks that the user has chosen are not possible
 */
export async function chooseNetworks(
  {
    choice,
    egress = 'auto',
    hasHostAccess,
    hasNamespaces,
    hasNodes,
    proxy,
    objects,
    runsImage,
    reason,
  }: NetworkRequest,
  place: Omit<ClusterQuestion, 'version'>,
): Promise<ChosenNetworks> {
  refuseWithoutCluster(choice, proxy, egress);
  const needsDns = hasNamespaces && lowestPort() > DNS_PORT;
  const needs =
    whyCluster(objects, { needsDns, hasNodes, runsImage }) ??
    reason ??
    (egress === 'auto' ? undefined : `--egress ${egress} needs one`);
  const why = choice === 'auto' ? needs : undefined;
  if (choice === 'host' || (choice === 'auto' && why === undefined)) return HOST;
  const kind = choice === 'pod' ? 'pod' : 'cluster';
  // Loaded late: execa takes as long as a quarter of a start.
  const { detectCluster, detectNetworks } = await import('../linux/detect.ts');
  const detection = kind === 'pod' ? await detectNetworks(kind, place) : await detectCluster({ ...place, version });
  if (detection.ok) {
    const note = why && `network: cluster, because ${why}`;
    if (proxy === 'nft' && detection.facts.nft === undefined) throw withoutRules(detection.facts);
    const facts = withEgress(detection.facts, egress, place.userPath);
    return { networks: { ...facts, kind, hasHostAccess, proxy }, note };
  }
  const obstacle = obstacleText(detection.why);
  if (why !== undefined) {
    return { ...HOST, note: `network: host, although ${why}: podrun cannot make a cluster network here: ${obstacle}` };
  }
  throw refusedStart(
    `${CANNOT[kind]}: ${obstacle}`,
    '--network host works on every machine; podrun doctor shows what this one permits.',
  );
}

function withoutRules({ failedNft = 'nft is not installed (package nftables)' }: NetworkFacts): PodrunError {
  return refusedStart(
    `--proxy nft is not possible here: ${failedNft}`,
    '--proxy node works wherever a cluster network does.',
  );
}

/**
 * Why NetworkPolicies restrict nothing in the networks of a run. Undefined: they do, or no Pod reaches another one.
 * @param networks undefined: the network of this machine
 */
export function withoutPolicies(networks: PrivateNetworks | undefined): WithoutPolicies | undefined {
  if (networks === undefined) return { type: 'host' };
  const { kind, nft, failedNft, failedPolicies } = networks;
  if (kind === 'pod' || (nft !== undefined && failedPolicies === undefined)) return undefined;
  return { type: 'noRules', said: failedPolicies ?? failedNft };
}

/** @throws {PodrunError} (usage) for flags about a cluster where there is none */
function refuseWithoutCluster(choice: NetworkChoice, proxy: ProxyChoice, egress: EgressChoice): void {
  if (choice !== 'host' && choice !== 'pod') return;
  const given = [...(proxy === 'nft' ? ['--proxy nft'] : []), ...(egress === 'auto' ? [] : [`--egress ${egress}`])];
  if (given[0] !== undefined) throw usage(`${given[0]} does not go with --network ${choice}`, 'use --network cluster');
}

/**
 * The facts with the way out that the user asks for. An event of the run tells when it does not open.
 * @throws {PodrunError} (Unsupported) when it is not installed, or takes root
 */
function withEgress(facts: NetworkFacts, egress: EgressChoice, userPath: string | undefined): NetworkFacts {
  if (egress === 'auto' || facts.wayOut?.kind === egress) return facts;
  const wayOut = findWaysOut(userPath).find(({ kind }) => kind === egress);
  if (wayOut !== undefined) return { ...facts, wayOut };
  const needs =
    egress === 'nat' ? 'root, and the packages iproute2 and nftables' : `the packages ${PACKAGES[egress]} and nftables`;
  throw refusedStart(
    `--egress ${egress} is not possible here: it needs ${needs}`,
    'Without --egress, podrun takes what this machine permits; podrun doctor shows it.',
  );
}

const PACKAGES = { pasta: 'passt', slirp4netns: 'slirp4netns' } as const;
