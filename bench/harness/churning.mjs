// Runs one-shot Pods with the library, AT_ONCE at a time. Prints the time and the memory as JSON.
//
//   node --expose-gc churning.mjs ROOT FOLDER PODS AT_ONCE EARLY

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { memory } from './memory.mjs';

const [root, folder, ...numbers] = process.argv.slice(2);
const [pods, atOnce, early] = numbers.map(Number);
const { run } = await import(pathToFileURL(path.join(root, 'dist/library/index.js')).href);

let begun = 0;
const beganMs = performance.now();
await untilBegun(early);
const before = memory();
await untilBegun(pods);
const seconds = (performance.now() - beganMs) / 1000;
process.stdout.write(JSON.stringify({ seconds, before, after: memory() }));

/** Runs `atOnce` Pods at a time: an ended Pod makes room for the next one. */
async function untilBegun(count) {
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (begun < count) await oneShot(`bench-${begun++}`);
    }),
  );
}

async function oneShot(name) {
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['true'] }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
  const run1 = await run(pod, { runtime: 'process', config: false, stateDir: folder, timeout: '120s' });
  await run1.until('Succeeded');
  await run1.close();
}
