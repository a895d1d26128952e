// The networks that rootless container engines give to containers: slirp4netns, alone and as podman uses it. A client
// in one of them sends bytes to a server on this machine.

import { spawn, spawnSync } from 'node:child_process';
import { textOf } from '../harness/cluster-run.mjs';

/** The address of this machine's localhost in a network of slirp4netns. */
const MACHINE = '10.0.2.2';
const HERE = '127.0.0.1';

/**
 * Prepares the networks that this machine permits. `contestants` for `interleaved` return megabytes in a second;
 * `missing` has the reasons for all other networks. Call `close` at the end.
 *
 * @param {{ podrun: import('../harness/shape.mjs').Podrun, peers: import('./peers.mjs').Peers, load: string }} context
 */
export function rootlessNetworks({ podrun, peers, load }) {
  const children = [];
  const start = (program, args) => children.push(spawn(program, args, { stdio: 'ignore' }));
  start(podrun.node, [load, 'server', HERE]);
  const client = [podrun.node, load, 'upload', MACHINE];
  const contestants = {};
  const missing = {};
  const slirp = openSlirp(start, children);
  if (typeof slirp === 'string') missing.slirp4netns = slirp;
  else contestants.slirp4netns = () => Number(textOf([...slirp.enter, ...client]));
  const podman = peers.podmanRun;
  if (typeof podman === 'string') missing.podman = podman;
  else {
    const flags = ['--rm', '--network', 'slirp4netns:allow_host_loopback=true', '--volume', '/:/host:ro'];
    const words = podman.command('run', ...flags, podman.image, 'chroot', '/host', ...client);
    contestants.podman = () => Number(textOf(words, { env: podman.env }));
  }
  return { contestants, missing, close: () => children.forEach((child) => child.kill('SIGKILL')) };
}

/** A network with slirp4netns. Returns the command that enters it, or why there is none. */
function openSlirp(start, children) {
  if (spawnSync('slirp4netns', ['--version']).error !== undefined) return 'not here';
  start('unshare', ['--user', '--map-root-user', '--net', 'sleep', 'infinity']);
  const { pid } = children.at(-1);
  const enter = ['nsenter', '--target', `${pid}`, '--user', '--preserve-credentials', '--net', '--'];
  // unshare becomes sleep in its new namespaces.
  if (!works(['sh', '-c', `until readlink /proc/${pid}/exe | grep -q sleep; do sleep 0.05; done`]))
    return 'no namespaces';
  start('slirp4netns', ['--configure', '--mtu=65520', `${pid}`, 'tap0']);
  const isUp = works(['sh', '-c', `until grep -q ^tap0 /proc/${pid}/net/route; do sleep 0.05; done`]);
  return isUp ? { enter } : 'does not come up here';
}

function works([program, ...args]) {
  return spawnSync(program, args, { timeout: 5000 }).status === 0;
}
