// What follows from rows: ratios, promises that are kept or not, and how they compare with what was recorded.

/** How much worse than recorded a ratio may be before it counts. */
export const WORSE_AT_MOST = 1.25;

/** How many times worse one figure is than another: 2 for double the time, or half of the throughput. */
export function timesWorse(row, one, other) {
  return row.better === 'less' ? one.median / other.median : other.median / one.median;
}

/**
 * @param {import('./shape.mjs').Row} row
 * @returns {Array<{ text: string, missedBy: number }>} what is promised in words, and by which factor it is missed: at
 *   most 1 is kept; 0 when the peer is not here
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

/** By how much the promise that is missed most is missed; at most 1 when all are kept. */
export function worstMiss(row) {
  return Math.max(0, ...promisesOf(row).map(({ missedBy }) => missedBy));
}

/**
 * How many times worse a row's ratio to the floor is than a recorded one, in processor time; undefined where there is
 * nothing to compare. On the clock, ratios of two runs on an idle machine differ by a third.
 *
 * @param {import('./shape.mjs').Row} row
 * @param {import('./shape.mjs').Row | undefined} recorded
 */
export function worseThanRecorded(row, recorded) {
  const [now, then] = [cpuRatio(row), recorded && cpuRatio(recorded)];
  return now === undefined || then === undefined ? undefined : now / then;
}

/** podrun / floor in processor time, or undefined where that was not measured. */
export function cpuRatio({ podrun, floor }) {
  return podrun.cpuMs === undefined || floor?.cpuMs === undefined ? undefined : podrun.cpuMs / floor.cpuMs;
}

/**
 * Of two measurements of the same rows, for each row the better one: a busy machine only makes things worse.
 *
 * @param {(row: import('./shape.mjs').Row) => number} badness
 */
export function betterOf(first, second, badness) {
  return first.map((row) => {
    const again = second.find(({ name }) => name === row.name);
    return again !== undefined && badness(again) < badness(row) ? again : row;
  });
}
