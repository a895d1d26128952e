import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../architecture/source.ts';
import { NODE_MAJORS, nodeFor } from '../nodes.ts';
import { copyForFile, ETCD, PROGRAM } from './late-parts.ts';

const { fileIn, load, copy } = copyForFile();

// The build has the code caches of one version of Node.js: with another one, the executable gets its own.
it.for(NODE_MAJORS)('every part can be loaded in the single executable of Node.js %i', async (major, context) => {
  const node = nodeFor(context, major);
  execFileSync(node, [path.join(root, 'bin/executable/build.mjs'), fileIn('dist')], { stdio: 'ignore' });
  const program = fileIn('dist/executable/podrun');
  const { loaded, failed } = await load(program, ['version']);
  expect({ loaded: loaded.toSorted(), failed }).toEqual({ loaded: [...PROGRAM], failed: [] });
  const etcd = await load(program, ETCD.args);
  expect({ ...etcd, loaded: etcd.loaded.toSorted() }).toEqual({ loaded: ETCD.loads, failed: [] });
  for (const name of ['network-helper.cjs', 'image-puller.cjs']) {
    expect(await load(program, ['__run', name, copy])).toEqual({ loaded: [name], failed: [] });
  }
});
