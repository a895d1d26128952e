// Many containers at once: the time until all have ended, or until all run, and the time to stop running containers,
// which handle SIGTERM.

import { Beats } from '../harness/beats.mjs';
import { written } from '../harness/manifests.mjs';
import { costOf } from '../harness/processes.mjs';
import { compared, interleaved, oneIn, samplesOf } from '../harness/samples.mjs';
import {
  applyOf,
  concurrentlyOf,
  foreground,
  forPodman,
  loopOf,
  manyPods,
  onePod,
  pm2UpAndDown,
  podmanPlay,
  podmanUpAndDown,
  upAndDown,
} from '../peers/contestants.mjs';
import { peerSamples } from '../peers/peers.mjs';

export const isFast = true;

const MANY = 50;
const LOOP = { unit: 'ms', better: 'less', floorIs: 'loop of the same processes' };
const THAN_PODMAN = { against: 'podman', timesBetterAtLeast: 8 };

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure(context) {
  const ofMany = { make: onePod, promises: [THAN_PODMAN] };
  const fiftyInOne = await untilGone(context, {
    ...ofMany,
    name: 'pod-of-50',
    what: `one Pod of ${MANY} containers that run true`,
    count: MANY,
  });
  if (context.isFast) return [fiftyInOne];
  return [
    await untilGone(context, {
      make: onePod,
      promises: [],
      name: 'pod-of-10',
      what: 'one Pod of 10 containers that run true',
      count: 10,
    }),
    fiftyInOne,
    await untilGone(context, {
      make: manyPods,
      promises: [THAN_PODMAN],
      name: 'pods-50',
      what: `${MANY} Pods that run true`,
      count: MANY,
    }),
    ...(await upAndGone(context)),
  ];
}

/** Measures from the command to its end; with podman, until everything is started. */
async function untilGone({ podrun, peers, folder, isFast }, { name, what, count, make, promises }) {
  const commands = times(count, ['true']);
  const manifest = written(folder, `${name}.yaml`, make(name, commands));
  const concurrently = isFast ? undefined : concurrentlyOf(podrun, peers, commands);
  const podman = () =>
    podmanPlay(peers, written(folder, `${name}-podman.yaml`, make(name, commands, forPodman(peers))));
  const medians = await compared(
    {
      loop: () => costOf(loopOf(podrun, 'all', commands)),
      podrun: () => costOf(applyOf(podrun, manifest, '--runtime', 'process')),
      concurrently: concurrently && (() => costOf(concurrently)),
      podman: isFast ? undefined : oneIn(4, podman()),
    },
    { rounds: isFast ? 5 : 13 },
  );
  return {
    ...LOOP,
    name: `many.${name}`,
    what: `${what}, without namespaces, from start to end`,
    podrun: medians.podrun,
    floor: medians.loop,
    peers: isFast ? {} : peerSamples(peers, medians, ['podman', 'concurrently']),
    promises: isFast ? [] : promises,
  };
}

/** Measures containers that run on: until all run, and from the request to end until all have ended. */
async function upAndGone({ podrun, peers, folder }) {
  const beats = new Beats(folder);
  const commands = times(MANY, beats.untilSignal);
  const once = (run) => run && upAndDown(beats, MANY, run);
  const concurrently = concurrentlyOf(podrun, peers, commands);
  const forPeer = { ...forPodman(peers), shared: folder };
  const pm2 = pm2UpAndDown(podrun, peers, { folder, commands });
  try {
    await pm2?.prepare();
    const measured = await interleaved(
      {
        loop: once(foreground(loopOf(podrun, 'all', commands))),
        podrun: once(foreground(applyProcess(podrun, written(folder, 'up.yaml', manyPods('up', commands))))),
        concurrently: once(concurrently && foreground(concurrently)),
        podman: oneIn(4, once(podmanUpAndDown(peers, written(folder, 'up2.yaml', manyPods('up', commands, forPeer))))),
        pm2: oneIn(4, once(pm2)),
      },
      { rounds: 9 },
    );
    return rowsOf(peers, measured);
  } finally {
    beats.close();
    await pm2?.close();
  }
}

function rowsOf(peers, measured) {
  const samples = (figure) =>
    Object.fromEntries(
      Object.entries(measured).map(([name, runs]) => [name, samplesOf(runs.map((run) => run[figure]))]),
    );
  const [up, down] = [samples('upMs'), samples('downMs')];
  const others = (medians) => peerSamples(peers, medians, ['podman', 'concurrently', 'pm2']);
  const byes = Object.entries(measured).map(([name, runs]) => `${name} ${Math.min(...runs.map((run) => run.byes))}`);
  const rows = [
    {
      ...LOOP,
      name: 'many.pods-50-running',
      what: `${MANY} Pods, without namespaces, from the start of the command until all of them run`,
      podrun: up.podrun,
      floor: up.loop,
      peers: others(up),
      promises: [THAN_PODMAN],
    },
    {
      ...LOOP,
      name: 'many.stop',
      what: `${MANY} Pods that trap SIGTERM, from being told to end until everything has ended`,
      podrun: down.podrun,
      floor: down.loop,
      peers: others(down),
      promises: [{ atMost: 300 }],
      note: `traps that ran, at least: ${byes.join(', ')}`,
    },
  ];
  const lost = measured.podrun.find(({ byes: count }) => count < MANY);
  if (lost !== undefined) throw new Error(`podrun let only ${lost.byes} of ${MANY} traps run`);
  return rows;
}

function times(count, command) {
  return Array.from({ length: count }, () => command);
}

function applyProcess(podrun, manifest) {
  return applyOf(podrun, manifest, '--runtime', 'process');
}
