import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/manifest/read/json-reader.ts';
import { locate, type SourceNode } from '../../../src/manifest/read/source-node.ts';

const TEXT = JSON.stringify({
  metadata: { annotations: { 'a.b/c': 1, a: { 'b/c': 2 } }, 'x[0]': 5 },
  spec: { containers: [{ name: 'app', resources: { limits: { memory: '1Gi' } } }, { name: 'b' }] },
});

function textAt(path: string): string {
  const [root] = readJson(TEXT) as [SourceNode];
  return TEXT.slice(locate(root, path), locate(root, path) + 8);
}

describe('locate()', () => {
  it.each([
    ['', '{"metada'],
    ['spec', '{"contai'],
    ['spec.containers[0].name', '"app","r'],
    ['spec.containers[1]', '{"name":'],
    ['spec.containers[0].resources.limits[memory]', '"1Gi"}}}'],
    ['spec.containers[0].resources.limits.memory', '"1Gi"}}}'],
    ['metadata.annotations[a.b/c]', '1,"a":{"'],
    ['metadata.annotations.a.b/c', '1,"a":{"'],
    ['metadata.x[0]', '5},"spec'],
  ])('finds %s', (path, text) => {
    expect(textAt(path)).toBe(text);
  });

  it.each([
    ['spec.containers[0].image', '{"name":'],
    ['spec.containers[7].name', '[{"name"'],
    ['spec.containersX', '{"contai'],
    ['status.phase', '{"metada'],
    ['spec.containers.name', '[{"name"'],
    ['[]', '{"metada'],
  ])('finds the nearest parent of %s', (path, text) => {
    expect(textAt(path)).toBe(text);
  });
});
