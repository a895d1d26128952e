import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../architecture/source.ts';
import { NODE_MAJORS, nodeFor } from '../nodes.ts';
import { copyThatLoadsAll, doubtfulLoads, outcomeOf, SCRIPTS } from './late-parts.ts';

const copy = mkdtempSync(path.join(tmpdir(), 'podrun-late-parts-'));
beforeAll(() => copyThatLoadsAll(copy));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The program of the command line, and the files that it loads. */
const PROGRAM = ['clusters.cjs', 'podrun.cjs', 'server.cjs'] as const;

/** Runs a program of the copy, with an open standard input: the puller of images ends with it. */
async function load(program: string, args: readonly string[]): Promise<ReturnType<typeof outcomeOf>> {
  const env = { PATH: process.env['PATH'], HOME: copy, XDG_CACHE_HOME: path.join(copy, 'cache') };
  const { stdout } = await promisify(execFile)(program, args, { env, cwd: copy });
  return outcomeOf(stdout);
}

const fileIn = (...parts: readonly string[]): string => path.join(copy, ...parts);

it.each(SCRIPTS)('%s loads nothing in a way that its runners may not have', (name) => {
  expect(doubtfulLoads(name)).toEqual([]);
});

describe.each(NODE_MAJORS)('every part that is loaded late can be loaded, with Node.js %i', (major) => {
  it('in the program, the server and the client of clusters', async (context) => {
    const node = nodeFor(context, major);
    const { loaded, failed } = await load(node, [fileIn('bin/podrun.js'), 'version']);
    expect({ loaded: loaded.toSorted(), failed }).toEqual({ loaded: [...PROGRAM], failed: [] });
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

// The build has the code caches of one version of Node.js: with another one, the executable gets its own.
it.for(NODE_MAJORS)('every part can be loaded in the single executable of Node.js %i', async (major, context) => {
  const node = nodeFor(context, major);
  execFileSync(node, [path.join(root, 'bin/executable/build.mjs'), fileIn('dist')], { stdio: 'ignore' });
  const program = fileIn('dist/executable/podrun');
  const { loaded, failed } = await load(program, ['version']);
  expect({ loaded: loaded.toSorted(), failed }).toEqual({ loaded: [...PROGRAM], failed: [] });
  for (const name of ['network-helper.cjs', 'image-puller.cjs']) {
    expect(await load(program, ['__run', name, copy])).toEqual({ loaded: [name], failed: [] });
  }
});
