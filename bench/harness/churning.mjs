// Runs one-shot Pods with the library, so many at a time, and prints what that took, as JSON.
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

/** Each of those that are under way makes room for another when it is gone. */
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
