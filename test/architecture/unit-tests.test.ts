import path from 'node:path';
import { expect, it } from 'vitest';
import { BEYOND_PURE, PURE, THOROUGH } from '../../vitest.config.ts';
import { filesBelow, readText } from './source.ts';

/** Imports and re-exports that load a file. Those of types alone do not. */
const LOADING = /^(?:import|export) (?!type )(?:[^;]*? from )?'(\.[^']+\.ts)'/gm;

const thorough = new RegExp(`/(${THOROUGH.join('|').replaceAll('*', '[^/]*')})\\.test\\.ts$`);
const unitTests = PURE.flatMap((folder) => filesBelow(`test/${folder}`, /\.test\.ts$/)).filter(
  (file) => !BEYOND_PURE.includes(file) && !thorough.test(file),
);

it('unit tests load the faces of pure rooms only: each worker loads all that they import', () => {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const [, target = ''] of readText(file).matchAll(LOADING)) load(path.join(path.dirname(file), target));
  };
  unitTests.forEach(load);
  const faces = [...loaded].flatMap((file) => /^src\/(\w+)\/index\.ts$/.exec(file)?.[1] ?? []);
  const pure = ['api', 'controllers', 'history', 'lifecycle', 'machine', 'manifest', 'print'];
  expect(unitTests.length).toBeGreaterThan(200);
  expect(faces.toSorted()).toEqual(pure);
});
