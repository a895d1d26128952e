import { expect, it } from 'vitest';
import { RestartLoops } from '../../../src/cli/watch/restart-loops.ts';

it('a file that changes with each restart is not followed any more, and one that a person saves is', () => {
  const loops = new RestartLoops();
  expect([0, 500, 1000].map((atMs) => loops.restarts('app.log', atMs))).toEqual([false, false, true]);
  expect([0, 5000, 6000, 9000].map((atMs) => loops.restarts('app.js', atMs))).toEqual([false, false, false, false]);
  expect(['app.log', 'app.js'].filter((file) => loops.has(file))).toEqual(['app.log']);
});
