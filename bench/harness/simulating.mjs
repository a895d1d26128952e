// Runs Pods in the simulator, and prints the time and the memory as JSON. The benchmark bundles this file.
//
//   node --expose-gc simulating.mjs SEEDS PODS EARLY

import { PodSimulation } from '../../test/simulation/pod-simulation.ts';
import { PODS } from '../../test/simulation/pods.ts';
import { Search } from '../../test/simulation/search.ts';
import { ScenarioRun } from '../../test/simulation/scenario/scenario-run.ts';
import { memory } from './memory.mjs';

const [seeds, pods, early] = process.argv.slice(2).map(Number);
const ONE_SHOT = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['true'] }] };

let simulatedMs = 0;
const search = new Search(PODS);
const scenarios = Array.from({ length: seeds }, (_, seed) => search.scenarioOf(seed + 1));
const beganMs = performance.now();
for (const scenario of scenarios) {
  let lastMs = 0;
  await new ScenarioRun(scenario, ({ atMs }) => (lastMs = atMs)).live();
  simulatedMs += lastMs;
}
const scenariosMs = performance.now() - beganMs;

const podsBeganMs = performance.now();
await oneShots(early);
const before = memory();
await oneShots(pods - early);
const podsMs = performance.now() - podsBeganMs;
process.stdout.write(JSON.stringify({ simulatedMs, scenariosMs, podsMs, before, after: memory() }));

async function oneShots(count) {
  for (let index = 0; index < count; index++) {
    const pod = await new PodSimulation({ spec: ONE_SHOT, behave: () => ({ exitAfterMs: 100 }) }).start();
    await pod.clock.run(1000);
    if (pod.status.phase !== 'Succeeded') throw new Error(`a Pod is ${pod.status.phase} in the end`);
  }
}
