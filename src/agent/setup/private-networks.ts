import { PodrunError } from '../../api/errors.ts';
import type { NetworkChoice } from '../../machine/network-choice.ts';
import { obstacleText } from '../../machine/obstacle.ts';
import type { NetworkFacts } from '../../runtime/linux/network/detect.ts';

/** The networks of Pods that do not use the host's, as plain data. */
export interface PrivateNetworks extends NetworkFacts {
  /** `pod`: each Pod alone. `cluster`: the Pods of an agent reach each other. */
  readonly kind: Exclude<NetworkChoice, 'host'>;
}

const CANNOT = {
  pod: 'podrun cannot give Pods their own networks here',
  cluster: 'podrun cannot make a cluster network here',
} as const;

/**
 * The networks of this kind on this machine. Undefined for the host's.
 * @param userPath PATH of the user
 * @throws {PodrunError} (usage) where such networks are not possible
 */
export async function privateNetworks(
  kind: NetworkChoice,
  userPath: string | undefined,
): Promise<PrivateNetworks | undefined> {
  if (kind === 'host') return undefined;
  // Loaded late: execa takes as long as a quarter of a start.
  const { detectNetworks } = await import('../../runtime/linux/network/detect.ts');
  const detection = await detectNetworks(kind, userPath);
  if (detection.ok) return { ...detection.facts, kind };
  throw new PodrunError('Unsupported', `${CANNOT[kind]}: ${obstacleText(detection.why)}`, {
    hint: 'Nothing was started. --network host works on every machine; podrun doctor shows what this one permits.',
  });
}
