import type { Obstacle } from '../../../machine/abilities.ts';
import { Cluster } from './cluster.ts';
import type { NetworkMode } from './cluster-commands.ts';
import { holdNetwork } from './holder.ts';
import { findNetworkTools, type NetworkTools } from './tools.ts';

/** The ways in which podrun can make private networks here, as plain data. */
export interface NetworkFacts {
  readonly tools: NetworkTools;
  readonly mode: NetworkMode;
}

export type NetworkDetection =
  | { readonly ok: true; readonly facts: NetworkFacts }
  /** The reason why there are none. */
  | { readonly ok: false; readonly why: Obstacle };

/** An address for the trial, visible only inside it. */
const TRIED_ADDRESS = '10.93.1.1';

/** Makes a network. Returns the error of the program that failed; undefined after success. */
type Trial = (facts: NetworkFacts) => Promise<string | undefined>;

const TRIALS: Readonly<Record<'pod' | 'cluster', Trial>> = {
  pod: async ({ tools, mode }) => {
    const outcome = await holdNetwork(tools, { mode, address: TRIED_ADDRESS, outlivesPodrun: false });
    if (!outcome.ok) return outcome.error;
    await outcome.network.end();
    return undefined;
  },
  cluster: async (facts) => {
    let cluster: Cluster | undefined;
    try {
      cluster = await Cluster.open({ ...facts, outlivesPodrun: false });
      await (await cluster.addPod(TRIED_ADDRESS)).end();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      cluster?.close();
    }
  },
};

/**
 * Makes a private network once, and removes it (`pod` 10 ms, `cluster` 40 ms).
 * @param userPath PATH of the user
 */
export async function detectNetworks(
  kind: keyof typeof TRIALS,
  userPath: string | undefined,
): Promise<NetworkDetection> {
  const { platform } = process;
  if (platform !== 'linux') return { ok: false, why: { type: 'platform', platform } };
  const found = findNetworkTools(userPath);
  if (!found.ok) return { ok: false, why: { type: 'missingPrograms', programs: found.missing } };
  const { tools } = found;
  const errors: string[] = [];
  for (const mode of process.getuid?.() === 0 ? (['root', 'user'] as const) : (['user'] as const)) {
    const error = await TRIALS[kind]({ tools, mode });
    if (error === undefined) return { ok: true, facts: { tools, mode } };
    errors.push(error);
  }
  const said = [...new Set(errors)].join('; ');
  return { ok: false, why: { type: 'refused', doing: 'make network namespaces', said, confinedBy: [] } };
}
