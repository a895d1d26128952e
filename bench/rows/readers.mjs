// The cost of reading a thousand manifests and a thousand recorded Pods, each beside a tenth of them: ten times as much
// should take no more than ten times as long.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { manyYaml, podYaml } from '../harness/manifests.mjs';
import { costOf, started } from '../harness/processes.mjs';
import { compared } from '../harness/samples.mjs';
import { storePods } from '../harness/stored-pods.mjs';

const MANY = 1000;
const FEW = MANY / 10;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  const [few, many] = [FEW, MANY].map((count) => storePods(podrun, folder, count));
  const [fewManifests, manyManifests] = [FEW, MANY].map((count) => written(folder, count));
  const run = (...args) => costOf([podrun.node, podrun.program, ...args]);
  const medians = await compared(
    {
      bare: () => costOf([podrun.node, '-e', '0']),
      validateFew: () => run('validate', fewManifests.file),
      validate: () => run('validate', manyManifests.file),
      validateFiles: () => run('validate', manyManifests.folder),
      getFew: () => run('get', '--state-dir', few),
      get: () => run('get', '--state-dir', many),
      watchFew: () => untilAllShown(podrun, few, FEW),
      watch: () => untilAllShown(podrun, many, MANY),
      describe: () => run('describe', 'pod', `bench-${MANY / 2}`, '--state-dir', many),
    },
    { rounds: 7 },
  );
  const row = (name, what, less) => ({
    name: `readers.${name}`,
    what,
    unit: 'ms',
    better: 'less',
    podrun: medians[name],
    floor: medians[less ?? 'bare'],
    floorIs: less === undefined ? 'node -e 0' : `of ${FEW}`,
    promises: less === undefined ? [] : [{ against: 'floor', timesWorseAtMost: 10 }],
  });
  return [
    row('validate', `podrun validate of ${MANY} manifests in one file`, 'validateFew'),
    row('validateFiles', `podrun validate of ${MANY} files`),
    row('get', `podrun get with ${MANY} Pods on record`, 'getFew'),
    row('watch', `podrun get -w until ${MANY} Pods are shown`, 'watchFew'),
    row('describe', `podrun describe of one Pod among ${MANY}`),
  ];
}

/** Measures from the start of `get -w` until it has printed all Pods. */
async function untilAllShown(podrun, state, count) {
  const beganMs = performance.now();
  const watch = started([podrun.node, podrun.program, 'get', '-w', '--no-headers', '--state-dir', state]);
  let lines = 0;
  for await (const chunk of watch.child.stdout) {
    lines += chunk.toString().split('\n').length - 1;
    if (lines >= count) break;
  }
  const ms = performance.now() - beganMs;
  await watch.stop('SIGKILL');
  return { ms };
}

/** Writes the same manifests as documents of one file, and as files of one folder. */
function written(folder, count) {
  const texts = Array.from({ length: count }, (_, index) =>
    podYaml(`web-${index}`, {
      initContainers: [{ name: 'init', image: 'busybox:1.36', command: ['sh', '-c', 'echo hello'] }],
      containers: [
        {
          name: 'web',
          image: 'nginx:1.27',
          ports: [{ name: 'http', containerPort: 8080 }],
          env: [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
          readinessProbe: { httpGet: { port: 'http', path: '/healthz' }, periodSeconds: 5 },
        },
      ],
    }),
  );
  const place = path.join(folder, `manifests-${count}`);
  mkdirSync(place);
  texts.forEach((text, index) => writeFileSync(path.join(place, `web-${index}.yaml`), text));
  const file = path.join(folder, `manifests-${count}.yaml`);
  writeFileSync(file, manyYaml(texts));
  return { folder: place, file };
}
