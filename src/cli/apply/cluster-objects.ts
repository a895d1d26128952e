import { apiNeeds, type ApiNeeds, unreadWarnings } from '../../apiserver/index.ts';
import type { KubeObject } from '../../api/index.ts';
import type { UnreadObject } from '../../manifest/index.ts';
import { type ClusterConnection, type ClusterRunOptions, foreignObjects } from '../../remote/index.ts';
import type { ObjectReader } from '../../store/index.ts';

/** The objects of a run on a cluster that podrun does not read: the cluster judges them. */
export interface UnreadOnCluster {
  /** Objects to create before the rest: definitions, roles. */
  readonly first: readonly KubeObject[];
  /** Objects to create after the rest: their programs are part of it. */
  readonly last: readonly KubeObject[];
  readonly custom: ClusterRunOptions['custom'];
  /** Sentences about objects of kinds that neither the run nor the cluster defines: they are left out. */
  readonly warnings: readonly string[];
}

/** Kinds that lead requests of the cluster to programs. */
const LED_TO_PROGRAMS: ReadonlySet<string> = new Set([
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

/**
 * Sorts the objects that podrun does not read, and asks the cluster for the kinds that no definition among them makes.
 * @throws {PodrunError} (InvalidManifest) when none may be left out because nothing defines it
 */
export async function unreadOnCluster(
  connection: ClusterConnection,
  store: ObjectReader,
  unread: readonly UnreadObject[],
  isStrict: boolean,
): Promise<UnreadOnCluster> {
  const needs = apiNeeds(store, unread, []);
  const known = needs.first.map(({ object }) => object);
  const given = unread.filter((each) => each.noMatch !== undefined);
  const custom = await foreignObjects(
    connection,
    given.map(({ object }) => object),
    known,
  );
  const isDefined = ({ object }: UnreadObject): boolean => custom.some((each) => each.object === object);
  const undefinedOnes: ApiNeeds = { ...needs, custom: [], undefined: given.filter((each) => !isDefined(each)) };
  const isLast = ({ kind }: KubeObject): boolean => LED_TO_PROGRAMS.has(kind);
  return {
    first: known.filter((object) => !isLast(object)),
    last: known.filter(isLast),
    custom,
    warnings: unreadWarnings(undefinedOnes, true, isStrict),
  };
}
