// Prepares podman, as far as a machine permits it. The image is made of this machine's busybox: podman pulls nothing,
// and keeps everything in its own folders.

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const IMAGE = 'localhost/bench:1';
const APPLETS = ['chroot', 'sh', 'true', 'sleep', 'echo', 'cat', 'seq', 'yes', 'head', 'nc', 'date'];
/** Runtimes and storages in the order of trial, the fastest first: on some machines crun fails to start a container. */
const CHOICES = ['crun', 'runc'].flatMap((runtime) => ['overlay', 'vfs'].map((storage) => ({ runtime, storage })));

/**
 * @typedef {object} Podman
 * @property {(...args: string[]) => string[]} command  makes a command line of podman
 * @property {NodeJS.ProcessEnv} env                    its environment
 * @property {string} image                             the name of an image of busybox, with a PATH
 * @property {string} how                               the runtime and the storage that work here
 */

/**
 * @param {'play' | 'run'} trial what it must be able to do: to play Pods, or only to run a container
 * @returns {Podman | string}
 */
export function preparePodman(folder, trial = 'play') {
  const busybox = ['/bin/busybox', '/usr/bin/busybox'].find((file) => existsSync(file));
  if (busybox === undefined) return 'no busybox to make an image of';
  mkdirSync(folder, { recursive: true });
  const tar = imageOf(realpathSync(busybox), folder);
  let why = '';
  for (const { runtime, storage } of CHOICES) {
    const podman = podmanWith(path.join(folder, `${runtime}-${storage}`), { runtime, storage });
    why = firstError(podman, tar, trial);
    if (why === undefined) return podman;
  }
  return `does not run here: ${why.trim().split('\n').at(-1)}`;
}

function podmanWith(folder, { runtime, storage }) {
  mkdirSync(folder, { recursive: true });
  const config = path.join(folder, 'containers.conf');
  // podman raises the limits of open files and processes, which needs CAP_SYS_RESOURCE.
  const limits = ['nofile=10000:10000', 'nproc=10000:10000'];
  const engine = `[engine]\nruntime = "${runtime}"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n`;
  writeFileSync(config, `[containers]\ndefault_ulimits = ${JSON.stringify(limits)}\n${engine}`);
  // For networks, podman mounts a folder below /run, and leaves it there.
  if (!hasNetworksFolder()) process.prependOnceListener('exit', () => spawnSync('umount', [NETWORKS]));
  // Unmounts the overlay: otherwise its folder could not be removed.
  process.prependOnceListener('exit', () => spawnSync('umount', [path.join(folder, 'root/overlay')]));
  const flags = ['--root', path.join(folder, 'root'), '--runroot', path.join(folder, 'run')];
  return {
    command: (...args) => ['podman', ...flags, '--storage-driver', storage, ...args],
    env: { ...process.env, CONTAINERS_CONF: config },
    image: IMAGE,
    how: `${runtime}, ${storage}`,
  };
}

const NETWORKS = '/run/netns';

function hasNetworksFolder() {
  return readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${NETWORKS} `);
}

/** Imports the image, and plays a Pod or runs a container. Returns the first error. */
function firstError(podman, tar, trial) {
  const manifest = `${tar}.yaml`;
  const containers = [{ name: 'main', image: IMAGE, command: ['true'] }];
  const spec = { hostNetwork: true, restartPolicy: 'Never', containers };
  writeFileSync(manifest, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe' }, spec }));
  const trials = {
    play: [
      ['kube', 'play', manifest],
      ['kube', 'down', manifest],
    ],
    run: [['run', '--rm', '--network', 'slirp4netns', IMAGE, 'true']],
  };
  for (const args of [['import', '--quiet', '--change', 'ENV PATH=/bin', tar, IMAGE], ...trials[trial]]) {
    const [program, ...rest] = podman.command(...args);
    const { status, stderr, error } = spawnSync(program, rest, { env: podman.env, encoding: 'utf8', timeout: 60_000 });
    if (status !== 0) return error?.message ?? stderr;
  }
  return undefined;
}

/** A tar archive of busybox and its libraries. */
function imageOf(busybox, folder) {
  const root = path.join(folder, 'image');
  for (const name of ['bin', 'tmp', 'etc', 'proc', 'sys', 'dev']) mkdirSync(path.join(root, name), { recursive: true });
  copyFileSync(busybox, path.join(root, 'bin/busybox'));
  for (const applet of APPLETS) symlinkSync('busybox', path.join(root, 'bin', applet));
  const libraries = spawnSync('ldd', [busybox], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? [];
  for (const library of libraries.filter((file) => existsSync(file))) {
    mkdirSync(path.join(root, path.dirname(library)), { recursive: true });
    copyFileSync(library, path.join(root, library));
  }
  const tar = path.join(folder, 'image.tar');
  execFileSync('tar', ['-C', root, '-cf', tar, '.']);
  return tar;
}
