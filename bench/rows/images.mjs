// Images of a registry on loopback: pulled and unpacked, shared with another image, started from.
//
// PODRUN_BENCH_IMAGE=full takes 56,000 files of 620 MB in place of 5,600 files of 62 MB.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { oneShotYaml, podYaml, written } from '../harness/manifests.mjs';
import { costOf, started } from '../harness/processes.mjs';
import { compared, samplesOf, single } from '../harness/samples.mjs';
import { isHere } from '../peers/peers.mjs';

const FULL = process.env.PODRUN_BENCH_IMAGE === 'full';
const SHAPE = { files: FULL ? 56_000 : 5600, bytes: 11_000 };
const REGISTRY = path.join(import.meta.dirname, '../harness/image-registry.mjs');
const LOOP_DELAY = path.join(import.meta.dirname, '../harness/loop-delay.cjs');
const NOT_HERE = 'not here';

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, peers, folder }) {
  if (process.platform !== 'linux' || !existsSync('/bin/busybox')) return [];
  const registry = started([process.execPath, REGISTRY, path.join(folder, 'registry'), SHAPE.files, SHAPE.bytes], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const host = await new Promise((resolve) =>
      registry.child.stdout.once('data', (text) => resolve(`${text}`.trim())),
    );
    const run = { podrun, peers, folder, host };
    const rows = [await pulls(run), shared(run), await starts(run)].flat();
    return [...rows, await present(run), await loopDelay(run)];
  } finally {
    await registry.stop();
  }
}

/** The environment of a podrun with a store of its own. */
function envOf(folder, store) {
  const own = { PODRUN_IMAGE_DIR: path.join(folder, store), PODRUN_STATE_DIR: path.join(folder, 'state') };
  return { ...process.env, ...own, DOCKER_CONFIG: path.join(folder, 'no-docker'), PODRUN_IMAGES: 'auto' };
}

async function pulls({ podrun, peers, folder, host }) {
  const image = `${host}/app:first`;
  const podman = isHere(peers.podmanRun) ? peers.podmanRun : undefined;
  const unpacked = path.join(folder, 'umoci');
  const copy = `skopeo copy -q --src-tls-verify=false docker://${image} oci:${unpacked}/image:1`;
  const hasUmoci = ['skopeo', 'umoci'].every((name) => spawnSync(name, ['--version']).status === 0);
  const medians = await compared(
    {
      podrun: () => {
        rmSync(path.join(folder, 'cold'), { recursive: true, force: true });
        return costOf([podrun.node, podrun.program, 'pull', image], { env: envOf(folder, 'cold') });
      },
      podman:
        podman &&
        (() => {
          spawnSync(...argvOf(podman.command('rmi', '--force', image)), { env: podman.env });
          return costOf(podman.command('pull', '-q', '--tls-verify=false', image), { env: podman.env });
        }),
      umoci: hasUmoci
        ? () => {
            rmSync(unpacked, { recursive: true, force: true });
            mkdirSync(unpacked);
            return costOf(['sh', '-c', `${copy} && umoci unpack --image ${unpacked}/image:1 ${unpacked}/bundle`]);
          }
        : undefined,
    },
    { rounds: FULL ? 3 : 5 },
  );
  rmSync(unpacked, { recursive: true, force: true });
  return {
    name: 'images.pull',
    what: `an image of ${SHAPE.files} files, ${Math.round((SHAPE.files * SHAPE.bytes) / 1e6)} MB, pulled and unpacked`,
    unit: 'ms',
    better: 'less',
    podrun: medians.podrun,
    peers: { podman: medians.podman ?? String(peers.podmanRun), umoci: medians.umoci ?? NOT_HERE },
    promises: [{ against: 'podman', timesBetterAtLeast: 1 / 0.7 }],
  };
}

function argvOf([program, ...args]) {
  return [program, args];
}

/** The layers that a second image adds to the store of the first. */
function shared({ podrun, folder, host }) {
  const layers = path.join(folder, 'cold/layers');
  const count = () => readdirSync(layers).flatMap((kind) => readdirSync(path.join(layers, kind))).length;
  const before = count();
  const env = envOf(folder, 'cold');
  const cost = costOf([podrun.node, podrun.program, 'pull', `${host}/app:second`], { env });
  return {
    name: 'images.shared',
    what: 'the layers that are fetched for another image with the same lower layers',
    unit: 'layers',
    better: 'less',
    podrun: single(count() - before),
    promises: [{ atMost: 1 }],
    note: `${Math.round(cost.ms)} ms`,
  };
}

async function starts({ podrun, folder, host }) {
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: `${host}/app:first` }] };
  const ofImage = written(folder, 'image.yaml', podYaml('image', spec));
  const ofHost = written(folder, 'host.yaml', oneShotYaml('host'));
  const env = envOf(folder, 'cold');
  const apply = (file) => costOf([podrun.node, podrun.program, 'apply', file, '--runtime', 'namespace'], { env });
  const medians = await compared({ image: () => apply(ofImage), host: () => apply(ofHost) }, { rounds: 15 });
  return {
    name: 'images.start',
    what: 'podrun apply of a Pod whose image is there, from start to end',
    unit: 'ms',
    better: 'less',
    podrun: medians.image,
    floor: medians.host,
    floorIs: 'a program of this machine',
    promises: [{ against: 'floor', timesWorseAtMost: 1.15 }],
  };
}

/** The look-up that IfNotPresent needs before each start. */
async function present({ podrun, folder, host }) {
  const outfile = path.join(folder, 'image-store.cjs');
  const entry = path.join(podrun.root, 'src/images/store/image-store.ts');
  await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'cjs', outfile, logLevel: 'error' });
  const { ImageStore } = await import(outfile).then((module) => module.default);
  const store = new ImageStore(path.join(folder, 'cold'));
  const name = `${host}/app:first`;
  const times = Array.from({ length: 200 }, () => {
    const beganMs = performance.now();
    if (store.find(name) === undefined) throw new Error('the image is not there');
    return performance.now() - beganMs;
  });
  return {
    name: 'images.present',
    what: 'the look-up of an image that is there',
    unit: 'ms',
    better: 'less',
    podrun: samplesOf(times),
    promises: [{ atMost: 1 }],
  };
}

async function loopDelay({ podrun, folder, host }) {
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: `${host}/app:first` }] };
  const file = written(folder, 'pulled.yaml', podYaml('pulled', spec));
  const argv = [podrun.node, '-r', LOOP_DELAY, podrun.program, 'apply', file, '--runtime', 'namespace'];
  const agent = started(argv, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], env: envOf(folder, 'fresh') });
  const ask = (question) =>
    new Promise((resolve) => {
      agent.child.once('message', resolve);
      agent.child.send(question);
    });
  const seen = async (pattern) => {
    for await (const text of agent.child.stdout.iterator({ destroyOnReturn: false })) if (pattern.test(text)) return;
  };
  await seen(/ulling/);
  await ask('begin');
  await seen(/main +started/);
  const { p99Ms } = await ask('end');
  await agent.stop();
  return {
    name: 'images.loop-delay',
    what: "the delay of podrun's event loop during a pull, 99th percentile",
    unit: 'ms',
    better: 'less',
    podrun: single(p99Ms),
    promises: [{ atMost: 10 }],
  };
}
