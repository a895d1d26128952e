import { readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NODE_MAJORS, nodeFor } from '../nodes.ts';
import { copyForFile, doubtfulLoads, ETCD, PROGRAM, SCRIPTS } from './late-parts.ts';

const { fileIn, load, copy } = copyForFile();

it.each(SCRIPTS)('%s loads nothing in a way that its runners may not have', (name) => {
  expect(doubtfulLoads(name)).toEqual([]);
});

describe.each(NODE_MAJORS)('every part that is loaded late can be loaded, with Node.js %i', (major) => {
  it('in the program, the server and the client of clusters', async (context) => {
    const node = nodeFor(context, major);
    const { loaded, failed } = await load(node, [fileIn('bin/podrun.js'), 'version']);
    expect({ loaded: loaded.toSorted(), failed }).toEqual({ loaded: [...PROGRAM], failed: [] });
  });

  it('in the etcd of envtest', async (context) => {
    const node = nodeFor(context, major);
    const { loaded, failed } = await load(node, [fileIn('bin/podrun.js'), ...ETCD.args]);
    expect({ loaded: loaded.toSorted(), failed }).toEqual({ loaded: ETCD.loads, failed: [] });
  });

  it.for(['network-helper.cjs', 'image-puller.cjs'])('in %s', async (name, context) => {
    const node = nodeFor(context, major);
    const { loaded, failed } = await load(node, [fileIn('dist', name), copy]);
    expect({ loaded, failed }).toEqual({ loaded: [name], failed: [] });
  });

  it('in the library, with the names that its users ask for', async (context) => {
    const node = nodeFor(context, major);
    const modules = readdirSync(fileIn('dist/library')).filter((name) => name.endsWith('.js'));
    const program = fileIn('load-library.mjs');
    // esbuild exports only `default` of a CommonJS package that is imported late.
    const code = `
      const failed = [], loaded = [];
      for (const name of ${JSON.stringify(modules)}) {
        try {
          const names = Object.keys(await import('./dist/library/' + name));
          if (names.join() === 'default') failed.push(name + ' exports only a default');
          loaded.push(name);
        } catch (error) { failed.push(name + ': ' + error.message); }
      }
      console.log('LATE PARTS ' + JSON.stringify({ loaded, failed }));
      process.exit();`;
    writeFileSync(program, code);
    expect(await load(node, [program])).toEqual({ loaded: modules, failed: [] });
  });
});
