import { PodrunError } from '../../api/errors.ts';
import { obstacleText } from '../../machine/obstacle.ts';
import type { NetworkFacts } from '../../runtime/linux/network/detect.ts';

/**
 * The tools for private networks on this machine.
 * @param userPath PATH of the user
 * @throws {PodrunError} (usage) where private networks are not possible
 */
export async function privateNetworks(userPath: string | undefined): Promise<NetworkFacts> {
  // Loaded late: execa takes as long as a quarter of a start.
  const { detectNetworks } = await import('../../runtime/linux/network/detect.ts');
  const detection = await detectNetworks(userPath);
  if (detection.ok) return detection.facts;
  throw new PodrunError(
    'Unsupported',
    `podrun cannot give Pods their own networks here: ${obstacleText(detection.why)}`,
    {
      hint: 'Nothing was started. --network host works on every machine; podrun doctor shows what this one permits.',
    },
  );
}
