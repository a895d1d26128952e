// What a benchmark answers: rows. A file of bench/rows exports
//
//   export const isFast = true;              its rows are part of the check that CI makes, with fewer rounds
//   export async function measure(context)   Context in, Row[] out
//
// and nobody need be told of it: bench/run.mjs reads the folder.

/**
 * What one contestant took, over all rounds, in the unit of the row.
 *
 * @typedef {object} Samples
 * @property {number} median
 * @property {number} low   first quartile
 * @property {number} high  third quartile
 * @property {number} runs  how many there were
 * @property {number} [cpuMs] of commands: the mean of the processor time that they took
 */

/**
 * What podrun promises about a row. Times better and times worse are ratios of medians; which way round depends on
 * what is better, less or more: 2 times better than podman is half of its time, or double its throughput.
 *
 * @typedef {object} Bar
 * @property {string} [against]            'floor', or a peer of the row; nothing for the figure itself
 * @property {number} [timesWorseAtMost]   with `against`
 * @property {number} [timesBetterAtLeast] with `against`
 * @property {number} [atMost]             of the figure itself, in the unit of the row
 * @property {number} [atLeast]            of the figure itself, in the unit of the row
 */

/**
 * @typedef {object} Row
 * @property {string} name                          unique, and begins with the name of its file: `cold-start.version`
 * @property {string} what                          in words; what all contestants did
 * @property {string} unit                          `ms`, `MB/s`, `%`
 * @property {'less' | 'more'} better
 * @property {Samples} podrun
 * @property {Samples} [floor]                      what nobody on this machine can do better
 * @property {string} [floorIs]                     which program that was: `node -e 0`
 * @property {Record<string, Samples | string>} [peers] by name; a text says why there is no figure: 'not here'
 * @property {Bar[]} [promises]
 * @property {string} [note]                        what else was seen: a count, a maximum
 * @property {string} [node]                        version of Node; the harness fills it in
 */

/**
 * @typedef {object} Podrun  The podrun that is measured.
 * @property {string} node     path of the Node that runs it
 * @property {string} version  of that Node: `v20.20.2`
 * @property {number} major    of that Node: 20
 * @property {string} program  path of bin/podrun.js
 * @property {string} root     path of the project it was built in
 */

/**
 * @typedef {object} Context
 * @property {Podrun} podrun
 * @property {import('../peers/peers.mjs').Peers} peers
 * @property {string} folder   empty, for whatever the row needs; removed afterwards
 * @property {boolean} isFast  as CI checks it: about 10 seconds for all rows of a file
 */

/** Throws when what a file of bench/rows answers is not what is written here. */
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
