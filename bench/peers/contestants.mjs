// The same containers, run by podrun and by each of its peers: as command lines, and as runs that go on until they are
// told to end.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { manyYaml, podYaml } from '../harness/manifests.mjs';
import { started, timeOf } from '../harness/processes.mjs';
import { isHere } from './peers.mjs';

const LOOP = path.join(import.meta.dirname, 'loop.cjs');

/** The YAML of one Pod with all the commands as containers. */
export function onePod(name, commands, more = {}) {
  const { image = 'busybox', shared, ...spec } = more;
  const containers = commands.map((command, index) => container(`c${index}`, command, image, shared));
  return podYaml(name, { restartPolicy: 'Never', ...sharing(shared), containers, ...spec });
}

/** The YAML of a Pod for each command. */
export function manyPods(name, commands, more = {}) {
  return manyYaml(commands.map((command, index) => onePod(`${name}-${index}`, [command], more)));
}

/** A container that sees a folder of the machine where it is. */
export function container(name, command, image, shared) {
  const volumeMounts = [{ name: 'shared', mountPath: shared }];
  return { name, image, command, ...(shared !== undefined && { volumeMounts }) };
}

/** What a Pod has more where podman runs it. */
export function forPodman({ podman }) {
  return { hostNetwork: true, image: podman.image };
}

function sharing(shared) {
  return shared === undefined ? {} : { volumes: [{ name: 'shared', hostPath: { path: shared } }] };
}

/** @returns {string[]} podrun apply of a manifest, with flags; each file has a state folder of its own */
export function applyOf(podrun, manifest, ...flags) {
  return [podrun.node, podrun.program, 'apply', manifest, '--state-dir', `${manifest}.state`, ...flags];
}

/** @returns {string[]} a bare loop over the commands */
export function loopOf(podrun, how, commands) {
  return [podrun.node, LOOP, how, ...commands.map((command) => JSON.stringify(command))];
}

/** @returns {string[]} concurrently with the commands; undefined where it is not here */
export function concurrentlyOf(podrun, peers, commands) {
  if (!isHere(peers.concurrently)) return undefined;
  return [podrun.node, peers.concurrently, ...commands.map((argv) => argv.map(quoted).join(' '))];
}

function quoted(text) {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Milliseconds until `podman kube play` has returned, which is when everything runs, and init containers have ended.
 * Undefined where podman cannot be had.
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

/** On a busy machine, podman may fail to remove a Pod that is just about to end. */
function removeAll(podman) {
  const [program, ...args] = podman.command('pod', 'rm', '--force', '--time', '0', '--all');
  const removed = () => spawnSync(program, args, { env: podman.env, stdio: 'ignore' }).status === 0;
  if (!removed() && !removed() && !removed()) throw new Error('podman cannot remove its Pods');
}

/**
 * A run until all say that they run, and from being told to end until everything has: a contestant of `interleaved`
 * that answers both in milliseconds, and how many said good bye.
 *
 * @param {import('../harness/beats.mjs').Beats} beats
 * @param {number} count how many programs there are
 * @param {{ start: () => { end: () => Promise<unknown> } | Promise<{ end: () => Promise<unknown> }> }} run
 */
export function upAndDown(beats, count, { start }) {
  return async () => {
    beats.reset();
    const beganMs = performance.now();
    const { end } = await start();
    await beats.up(count);
    const upMs = performance.now() - beganMs;
    const toldMs = performance.now();
    await end();
    const downMs = performance.now() - toldMs;
    // What was said last may not have been read yet.
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

/** podman kube play, and kube down. */
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

/** pm2 with its daemon, which has been started before: start, and delete. Call `close` in the end. */
export function pm2UpAndDown(podrun, peers, { folder, commands }) {
  if (!isHere(peers.pm2)) return undefined;
  // By itself it would send SIGINT, which a program that waits for SIGTERM does not know.
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
