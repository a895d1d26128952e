// The rows of a benchmark. A file of bench/rows exports
//
//   export const isFast = true;              its rows are part of the check in CI, with fewer rounds
//   export async function measure(context)   Context in, Row[] out
//
// bench/run.mjs reads the folder: no list names the files.

/**
 * The figures of one contestant over all rounds, in the unit of the row.
 *
 * @typedef {object} Samples
 * @property {number} median
 * @property {number} low   first quartile
 * @property {number} high  third quartile
 * @property {number} runs  the number of samples
 * @property {number} [cpuMs] for commands: the mean of their processor time
 */

/**
 * A promise of podrun about a row. "Times better" and "times worse" are ratios of medians: 2 times better than podman
 * is half of its time, or double its throughput.
 *
 * @typedef {object} Bar
 * @property {string} [against]            'floor', or a peer of the row; undefined for the figure itself
 * @property {number} [timesWorseAtMost]   with `against`
 * @property {number} [timesBetterAtLeast] with `against`
 * @property {number} [atMost]             for the figure itself, in the unit of the row
 * @property {number} [atLeast]            for the figure itself, in the unit of the row
 */

/**
 * @typedef {object} Row
 * @property {string} name                          unique, and begins with the name of its file: `cold-start.version`
 * @property {string} what                          the task of all contestants, in words
 * @property {string} unit                          `ms`, `MB/s`, `%`
 * @property {'less' | 'more'} better
 * @property {Samples} podrun
 * @property {Samples} [floor]                      the best possible figures on this machine
 * @property {string} [floorIs]                     the program behind the floor: `node -e 0`
 * @property {Record<string, Samples | string>} [peers] by name; a text is the reason for a missing figure: 'not here'
 * @property {Bar[]} [promises]
 * @property {string} [note]                        further facts: a count, a maximum
 * @property {string} [node]                        version of Node; the harness fills it in
 */

/**
 * @typedef {object} Podrun  The measured podrun.
 * @property {string} node     path of the Node that runs it
 * @property {string} version  version of the Node: `v20.20.2`
 * @property {number} major    major version of the Node: 20
 * @property {string} program  path of bin/podrun.js
 * @property {string} root     path of the project with the build
 */

/**
 * @typedef {object} Context
 * @property {Podrun} podrun
 * @property {import('../peers/peers.mjs').Peers} peers
 * @property {string} folder   an empty folder for the row; removed afterwards
 * @property {boolean} isFast  a fast run as in CI: about 10 seconds for all rows of a file
 */

/** Throws when the rows of a file in bench/rows do not have this shape. */
export function checkRows(file, rows) {
  const names = new Set();
  for (const row of rows) {
    const isNamed = typeof row.name === 'string' && row.name.startsWith(`${file}.`) && !names.has(row.name);
    const isWhole = typeof row.what === 'string' && typeof row.unit === 'string' && /^(less|more)$/.test(row.better);
    if (!isNamed || !isWhole) throw new Error(`${file}: no such row can be shown: ${JSON.stringify(row)}`);
    for (const samples of [row.podrun, row.floor ?? row.podrun]) {
      if (!Number.isFinite(samples?.median)) throw new Error(`${row.name}: no median in ${JSON.stringify(samples)}`);
    }
    names.add(row.name);
  }
}
