import type { Obstacle } from '../../../machine/abilities.ts';
import { holdNetwork } from './holder.ts';
import { findNetworkTools, type NetworkTools } from './tools.ts';

/** The ways in which podrun can make private networks here, as plain data. */
export interface NetworkFacts {
  readonly tools: NetworkTools;
  /** `root`: with CAP_SYS_ADMIN; `user`: in a user namespace. */
  readonly mode: 'root' | 'user';
}

export type NetworkDetection =
  | { readonly ok: true; readonly facts: NetworkFacts }
  /** The reason why there are none. */
  | { readonly ok: false; readonly why: Obstacle };

/** An address for the trial, visible only inside it. */
const TRIED_ADDRESS = '10.93.0.1';

/**
 * Makes a private network once, and removes it (10 ms).
 * @param userPath PATH of the user
 */
export async function detectNetworks(userPath: string | undefined): Promise<NetworkDetection> {
  const { platform } = process;
  if (platform !== 'linux') return { ok: false, why: { type: 'platform', platform } };
  const found = findNetworkTools(userPath);
  if (!found.ok) return { ok: false, why: { type: 'missingPrograms', programs: found.missing } };
  const { tools } = found;
  const errors: string[] = [];
  for (const mode of process.getuid?.() === 0 ? (['root', 'user'] as const) : (['user'] as const)) {
    const outcome = await holdNetwork(tools, { mode, address: TRIED_ADDRESS, outlivesPodrun: false });
    if (outcome.ok) {
      await outcome.network.end();
      return { ok: true, facts: { tools, mode } };
    }
    errors.push(outcome.error);
  }
  const said = [...new Set(errors)].join('; ');
  return { ok: false, why: { type: 'refused', doing: 'make network namespaces', said, confinedBy: [] } };
}
