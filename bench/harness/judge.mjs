// Judges rows: ratios, promises, and comparisons with the records.

/** The factor by which a ratio may be worse than recorded. */
export const WORSE_AT_MOST = 1.25;

/** The factor by which a figure is worse than another: 2 for double the time, or half of the throughput. */
export function timesWorse(row, one, other) {
  return row.better === 'less' ? one.median / other.median : other.median / one.median;
}

/**
 * @param {import('./shape.mjs').Row} row
 * @returns {Array<{ text: string, missedBy: number }>} each promise in words, and the factor by which the row misses
 *   it: at most 1 when the row keeps it, 0 when the peer is not here
 */
export function promisesOf(row) {
  return (row.promises ?? []).map((bar) => {
    const { against, timesWorseAtMost, timesBetterAtLeast, atMost, atLeast } = bar;
    if (atMost !== undefined) return { text: `at most ${atMost} ${row.unit}`, missedBy: row.podrun.median / atMost };
    if (atLeast !== undefined)
      return { text: `at least ${atLeast} ${row.unit}`, missedBy: atLeast / row.podrun.median };
    const other = against === 'floor' ? row.floor : row.peers?.[against];
    const isHere = typeof other === 'object';
    const worse = isHere ? timesWorse(row, row.podrun, other) : 0;
    if (timesWorseAtMost !== undefined) {
      return { text: `at most ${timesWorseAtMost} x ${against}`, missedBy: worse / timesWorseAtMost };
    }
    return { text: `${timesBetterAtLeast} x better than ${against}`, missedBy: worse * timesBetterAtLeast };
  });
}

/** The factor by which a row misses a promise, of the worst one. At most 1 when the row keeps all promises. */
export function worstMiss(row) {
  return Math.max(0, ...promisesOf(row).map(({ missedBy }) => missedBy));
}

/**
 * The factor by which a row's ratio to the floor is worse than the recorded one. Undefined without a record. The ratios
 * are of processor time: ratios of wall-clock time differ by a third between two runs on an idle machine.
 *
 * @param {import('./shape.mjs').Row} row
 * @param {import('./shape.mjs').Row | undefined} recorded
 */
export function worseThanRecorded(row, recorded) {
  const [now, then] = [cpuRatio(row), recorded && cpuRatio(recorded)];
  return now === undefined || then === undefined ? undefined : now / then;
}

/** The ratio podrun / floor in processor time. Undefined where it was not measured. */
export function cpuRatio({ podrun, floor }) {
  return podrun.cpuMs === undefined || floor?.cpuMs === undefined ? undefined : podrun.cpuMs / floor.cpuMs;
}

/**
 * The better of two measurements, for each row: a busy machine makes figures worse, never better.
 *
 * @param {(row: import('./shape.mjs').Row) => number} badness
 */
export function betterOf(first, second, badness) {
  return first.map((row) => {
    const again = second.find(({ name }) => name === row.name);
    return again !== undefined && badness(again) < badness(row) ? again : row;
  });
}
