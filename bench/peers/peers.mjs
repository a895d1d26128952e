// The peers: programs that a user could take instead of podrun. A peer that is missing on this machine is a text with
// the reason, and a row shows that text in place of a figure. No peer is a dependency of podrun:
//
//   podman                Debian's packages: apt-get install podman runc
//   pm2, concurrently     on the PATH, or from npm in a cache folder: npm run bench -- --with-peers

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { preparePodman } from './podman.mjs';

const NOT_HERE = 'not here';
const FROM_NPM = { pm2: '7.0.4', concurrently: '9.2.5' };

/**
 * @typedef {object} Peers
 * @property {string} concurrently  path of the program, or 'not here'
 * @property {string} pm2           path of the program, or 'not here'
 * @property {import('./podman.mjs').Podman | string} podman ready to play Pods, or the reason why not
 * @property {import('./podman.mjs').Podman | string} podmanRun ready to run containers, or the reason why not
 */

/**
 * Finds the peers. Prepares podman in `folder` at its first use.
 * @returns {Peers}
 */
export function findPeers(folder) {
  let podman;
  let podmanRun;
  const prepared = (trial) =>
    find('podman') === undefined ? NOT_HERE : preparePodman(path.join(folder, trial), trial);
  return {
    concurrently: find('concurrently') ?? NOT_HERE,
    pm2: find('pm2') ?? NOT_HERE,
    get podman() {
      podman ??= prepared('play');
      return podman;
    },
    get podmanRun() {
      podmanRun ??= prepared('run');
      return podmanRun;
    },
  };
}

/** Installs the peers of npm into the cache folder. */
export function installPeers() {
  mkdirSync(cache(), { recursive: true });
  const packages = Object.entries(FROM_NPM).map(([name, version]) => `${name}@${version}`);
  execFileSync('npm', ['install', '--prefix', cache(), '--no-audit', '--no-fund', ...packages], { stdio: 'inherit' });
}

/** True when a peer is present: a path or an object. Any other text is the reason for its absence. */
export function isHere(peer) {
  return typeof peer === 'object' || path.isAbsolute(peer);
}

function find(program) {
  const folders = [path.join(cache(), 'node_modules/.bin'), ...(process.env.PATH ?? '').split(':')];
  return folders.map((folder) => path.resolve(folder, program)).find((file) => existsSync(file));
}

function cache() {
  const caches = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');
  return process.env.PODRUN_BENCH_PEERS ?? path.join(caches, 'podrun-bench');
}

/**
 * The peers of a row, each with its samples or with the reason why there are none.
 *
 * @param {Peers} peers
 * @param {Record<string, import('../harness/shape.mjs').Samples>} [measured]
 * @param {string[]} names of the peers of the row
 */
export function peerSamples(peers, measured, names) {
  return Object.fromEntries(names.map((name) => [name, measured?.[name] ?? String(peers[name])]));
}
