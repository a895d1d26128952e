import { InvalidArgumentError } from 'commander';

/** Beyond this, a millisecond of this machine, the shortest wait, is several seconds. */
const FASTEST = 3600;

/** Reads `--speed`: `60x` or `60`. */
export function speedFactor(text: string): number {
  const factor = /^\d+(\.\d+)?x?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (factor >= 1 && factor <= FASTEST) return factor;
  throw new InvalidArgumentError(`Write it as 60x. It may be from 1x to ${FASTEST}x.`);
}
