import path from 'node:path';
import { describe, expect, it } from 'vitest';
import recorded from './folder-circles.json' with { type: 'json' };
import { importsOf, sourcesBelow } from './source.ts';

describe('circlesOf', () => {
  it('finds the folders that reach each other, over others too, and none that only one way leads to', () => {
    const imports = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: ['d'], f: ['a'] };
    expect(circlesOf(new Map(Object.entries(imports)))).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
  });
});

// Folders are in one circle when each imports the other, directly or through further folders. Imports of types count.
describe('circles of folders', () => {
  const circles = circlesOf(folderGraph());

  it('are in no folder that is not on record: let it import one way only', () => {
    const known = new Set(recorded.flat());
    expect(circles.flat().filter((folder) => !known.has(folder))).toEqual([]);
  });

  it('join no circles that are apart on record', () => {
    const circleOf = new Map(recorded.flatMap((circle, index) => circle.map((folder) => [folder, index])));
    const joined = circles.filter((circle) => new Set(circle.map((folder) => circleOf.get(folder))).size > 1);
    expect(joined).toEqual([]);
  });

  it('are all that is on record: what is gone is taken from test/architecture/folder-circles.json', () => {
    expect(recorded).toEqual(circles);
  });
});

/** The folders of src that the files of each folder import. */
function folderGraph(): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const file of sourcesBelow('src').filter(({ path }) => path.endsWith('.ts'))) {
    const from = path.posix.dirname(file.path);
    const targets = importsOf(file).filter(({ target }) => target.startsWith('src/'));
    const others = targets.map(({ target }) => path.posix.dirname(target)).filter((to) => to !== from);
    graph.set(from, [...(graph.get(from) ?? []), ...others]);
  }
  return graph;
}

/** The circles of a graph, sorted, each with its members sorted. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const folders = [...graph.keys()].toSorted();
  const reached = new Map(folders.map((folder) => [folder, reachedFrom(folder, graph)]));
  const reach = (from: string, to: string): boolean => reached.get(from)?.has(to) === true;
  return folders.flatMap((folder) => {
    const circle = folders.filter((other) => reach(folder, other) && reach(other, folder));
    return circle[0] === folder ? [circle] : [];
  });
}

function reachedFrom(start: string, graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const next = [...(graph.get(start) ?? [])];
  for (let folder = next.pop(); folder !== undefined; folder = next.pop()) {
    if (reached.has(folder)) continue;
    reached.add(folder);
    next.push(...(graph.get(folder) ?? []));
  }
  return reached;
}
