// The same containers, run by podrun and by each of its peers: as command lines, and as runs that last until they are
// stopped.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { manyYaml, podYaml } from '../harness/manifests.mjs';
import { started, timeOf } from '../harness/processes.mjs';
import { isHere } from './peers.mjs';

const LOOP = path.join(import.meta.dirname, 'loop.cjs');

/** The YAML of one Pod with a container for each command. */
export function onePod(name, commands, more = {}) {
  const { image = 'busybox', shared, ...spec } = more;
  const containers = commands.map((command, index) => container(`c${index}`, command, image, shared));
  return podYaml(name, { restartPolicy: 'Never', ...sharing(shared), containers, ...spec });
}

/** The YAML of a Pod for each command. */
export function manyPods(name, commands, more = {}) {
  return manyYaml(commands.map((command, index) => onePod(`${name}-${index}`, [command], more)));
}

/** A container with a folder of the machine, at the same path. */
export function container(name, command, image, shared) {
  const volumeMounts = [{ name: 'shared', mountPath: shared }];
  return { name, image, command, ...(shared !== undefined && { volumeMounts }) };
}

/** The fields that a Pod needs for podman. */
export function forPodman({ podman }) {
  return { hostNetwork: true, image: podman.image };
}

function sharing(shared) {
  return shared === undefined ? {} : { volumes: [{ name: 'shared', hostPath: { path: shared } }] };
}

/** @returns {string[]} podrun apply of a manifest, with flags; each file has its own state folder */
export function applyOf(podrun, manifest, ...flags) {
  return [podrun.node, podrun.program, 'apply', manifest, '--state-dir', `${manifest}.state`, ...flags];
}

/** @returns {string[]} a bare loop over the commands */
export function loopOf(podrun, how, commands) {
  return [podrun.node, LOOP, how, ...commands.map((command) => JSON.stringify(command))];
}

/** @returns {string[]} concurrently with the commands; undefined when it is not installed */
export function concurrentlyOf(podrun, peers, commands) {
  if (!isHere(peers.concurrently)) return undefined;
  return [podrun.node, peers.concurrently, ...commands.map((argv) => argv.map(quoted).join(' '))];
}

function quoted(text) {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Milliseconds until `podman kube play` returns: then everything runs, and init containers have ended. Undefined
 * without podman.
 */
export function podmanPlay(peers, manifest) {
  const { podman } = peers;
  if (!isHere(podman)) return undefined;
  return () => {
    try {
      return timeOf(podman.command('kube', 'play', manifest), { env: podman.env });
    } finally {
      removeAll(podman);
    }
  };
}

/** Removes all Pods. Tries again: on a busy machine, podman may fail to remove a Pod that is about to end. */
function removeAll(podman) {
  const [program, ...args] = podman.command('pod', 'rm', '--force', '--time', '0', '--all');
  const removed = () => spawnSync(program, args, { env: podman.env, stdio: 'ignore' }).status === 0;
  if (!removed() && !removed() && !removed()) throw new Error('podman cannot remove its Pods');
}

/**
 * A contestant of `interleaved` with two figures in milliseconds: the time until all programs run, and the time from
 * SIGTERM until all have ended. Also returns the number of programs that wrote `bye`.
 *
 * @param {import('../harness/beats.mjs').Beats} beats
 * @param {number} count the number of programs
 * @param {{ start: () => { end: () => Promise<unknown> } | Promise<{ end: () => Promise<unknown> }> }} run
 */
export function upAndDown(beats, count, { start }) {
  return async () => {
    beats.reset();
    const beganMs = performance.now();
    const { end } = await start();
    await beats.up(count);
    const upMs = performance.now() - beganMs;
    const signalledMs = performance.now();
    await end();
    const downMs = performance.now() - signalledMs;
    // The last messages may still be in the FIFO.
    await sleep(20);
    return { upMs, downMs, byes: beats.byes };
  };
}

/** A run in the foreground that SIGTERM ends. */
export function foreground(argv, options = {}) {
  return {
    start() {
      const run = started(argv, { stdio: 'ignore', ...options });
      return { end: async () => await run.stop('SIGTERM') };
    },
  };
}

/** podman kube play and podman kube down. */
export function podmanUpAndDown(peers, manifest) {
  const { podman } = peers;
  if (!isHere(podman)) return undefined;
  const run = (what) => started(podman.command('kube', what, manifest), { env: podman.env, stdio: 'ignore' });
  return {
    start() {
      const play = run('play');
      return {
        async end() {
          await play.ended;
          if ((await run('down').ended) !== 0) removeAll(podman);
        },
      };
    },
  };
}

/** pm2 start and pm2 delete, with a daemon that runs already. Call `close` at the end. */
export function pm2UpAndDown(podrun, peers, { folder, commands }) {
  if (!isHere(peers.pm2)) return undefined;
  // pm2 would send SIGINT, for which the programs have no handler.
  const env = { ...process.env, PM2_HOME: path.join(folder, 'pm2'), PM2_KILL_SIGNAL: 'SIGTERM' };
  const apps = commands.map(([script, ...args], index) => {
    return { name: `app-${index}`, script: `/bin/${script}`, args, interpreter: 'none', autorestart: false };
  });
  const file = path.join(folder, 'pm2.config.json');
  writeFileSync(file, JSON.stringify({ apps }));
  const run = (...args) => started([podrun.node, peers.pm2, ...args], { env, stdio: 'ignore' });
  return {
    prepare: async () => await run('ping').ended,
    start() {
      const start = run('start', file);
      return {
        async end() {
          await start.ended;
          await run('delete', 'all').ended;
        },
      };
    },
    close: async () => await run('kill').ended,
  };
}
