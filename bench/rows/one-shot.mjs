// A one-shot Pod, from the command to its exit, and a Pod with two init containers, until its main container runs.

import { Beats } from '../harness/beats.mjs';
import { written } from '../harness/manifests.mjs';
import { costOf } from '../harness/processes.mjs';
import { compared, interleaved, oneIn, samplesOf } from '../harness/samples.mjs';
import {
  applyOf,
  concurrentlyOf,
  container,
  foreground,
  forPodman,
  loopOf,
  onePod,
  podmanPlay,
  podmanUpAndDown,
  upAndDown,
} from '../peers/contestants.mjs';
import { peerSamples } from '../peers/peers.mjs';

export const isFast = true;

const TRUE = ['true'];

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure(context) {
  return [...(await oneShots(context)), ...(context.isFast ? [] : [await behindInits(context)])];
}

async function oneShots({ podrun, peers, folder, isFast }) {
  const manifest = written(folder, 'true.yaml', onePod('bench', [TRUE]));
  const concurrently = concurrentlyOf(podrun, peers, [TRUE]);
  const medians = await compared(
    {
      bare: () => costOf([podrun.node, '-e', '0']),
      loop: () => costOf(loopOf(podrun, 'all', [TRUE])),
      plain: () => costOf(applyOf(podrun, manifest, '--runtime', 'process')),
      ...(!isFast && {
        apart: () => costOf(applyOf(podrun, manifest, '--runtime', 'auto')),
        concurrently: concurrently && (() => costOf(concurrently)),
        podman: oneIn(3, podmanPlay(peers, written(folder, 'podman.yaml', onePod('bench', [TRUE], forPodman(peers))))),
      }),
    },
    { rounds: isFast ? 11 : 31 },
  );
  const common = { unit: 'ms', better: 'less', floor: medians.bare, floorIs: 'node -e 0' };
  const others = peerSamples(peers, medians, ['podman', 'concurrently']);
  const thanPodman = { against: 'podman', timesBetterAtLeast: 1.5 };
  const rows = [
    {
      ...common,
      name: 'one-shot.true',
      what: 'podrun apply of a Pod that runs true, without namespaces, from start to end',
      podrun: medians.plain,
      peers: { loop: medians.loop, ...(!isFast && others) },
      promises: [
        { against: 'floor', timesWorseAtMost: 5 },
        ...(isFast ? [] : [thanPodman, { against: 'concurrently', timesBetterAtLeast: 1 }]),
      ],
    },
  ];
  if (isFast) return rows;
  const what = 'the same as podrun apply does it by itself: with namespaces where they can be had';
  return [...rows, { ...common, name: 'one-shot.auto', what, podrun: medians.apart, peers: others }];
}

/** Measures init containers. Only podman has them; a loop runs the programs one after the other. */
async function behindInits({ podrun, peers, folder }) {
  const beats = new Beats(folder);
  try {
    const inits = (image, shared) => [0, 1].map((index) => container(`init-${index}`, TRUE, image, shared));
    const pod = (more) => onePod('inits', [beats.sayUp], { ...more, initContainers: inits(more.image, more.shared) });
    const manifest = written(folder, 'inits.yaml', pod({ image: 'busybox' }));
    const forPeer = written(folder, 'podman-inits.yaml', pod({ ...forPodman(peers), shared: folder }));
    const once = (run) => run && upAndDown(beats, 1, run);
    const measured = await interleaved(
      {
        loop: once(foreground(loopOf(podrun, 'ordered', [TRUE, TRUE, beats.sayUp]))),
        podrun: once(foreground(applyOf(podrun, manifest, '--runtime', 'process'))),
        podman: oneIn(3, once(podmanUpAndDown(peers, forPeer))),
      },
      { rounds: 15 },
    );
    const of = (name) => samplesOf(measured[name].map(({ upMs }) => upMs));
    return {
      name: 'one-shot.inits',
      what: 'a Pod with two init containers, until its main container runs, without namespaces',
      unit: 'ms',
      better: 'less',
      podrun: of('podrun'),
      floor: of('loop'),
      floorIs: 'loop, one after another',
      peers: peerSamples(peers, measured.podman && { podman: of('podman') }, ['podman']),
      promises: [{ against: 'podman', timesBetterAtLeast: 6 }],
    };
  } finally {
    beats.close();
  }
}
