import { describe, expect, it } from 'vitest';
import { parseJsonPath } from '../../src/api/json-path/index.ts';

const POD = {
  metadata: { name: 'web', labels: { 'app.kubernetes.io/name': 'shop' } },
  spec: {
    containers: [
      { name: 'a', image: 'one' },
      { name: 'b', image: 'two' },
    ],
  },
  status: {
    phase: 'Running',
    startTime: null,
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Initialized', status: 'False', reason: 'Odd (and more)' },
    ],
    containerStatuses: [
      { ready: true, restartCount: 3 },
      { ready: false, restartCount: 0 },
    ],
  },
};

describe('parseJsonPath()', () => {
  it.each<[path: string, found: unknown[]]>([
    ['{.status.phase}', ['Running']],
    ['{ .status.phase }', ['Running']],
    ['.status.phase', ['Running']],
    ['status.phase', ['Running']],
    ['{$.status.phase}', ['Running']],
    ['{.status.startTime}', [null]],
    ['{.status.nothing}', []],
    ['{.status.nothing.more[0]}', []],
    ['{.status.phase.more}', []],
    ['{..restartCount}', [3, 0]],
    ['{.spec.containers[0:1].name}', ['a']],
    ['{.spec.containers[0,1].name}', ['a', 'b']],
    ['{.spec.containers[?(@.name>"a")].name}', ['b']],
    ['{.spec.containers[1].image}', ['two']],
    ['{.spec.containers[-1].image}', ['two']],
    ['{.spec.containers[*].name}', ['a', 'b']],
    ['{.metadata.labels.*}', ['shop']],
    [String.raw`{.metadata.labels.app\.kubernetes\.io/name}`, ['shop']],
    [String.raw`{.metadata.labels['app\.kubernetes\.io/name']}`, ['shop']],
    ["{.metadata.labels['app.kubernetes.io/name']}", []],
    ["{['metadata']['name']}", ['web']],
    ['{.status.conditions[?(@.type=="Ready")].status}', ['True']],
    ["{.status.conditions[?(@.type == 'Initialized')].status}", ['False']],
    ['{.status.conditions[?(@.type!="Ready")].type}', ['Initialized']],
    ['{.status.conditions[?(@.reason)].type}', ['Initialized']],
    ['{.status.containerStatuses[?(@.ready==true)].restartCount}', [3]],
    ['{.status.containerStatuses[?(@.restartCount==0)].ready}', [false]],
  ])('%s finds %j', (path, found) => {
    expect(parseJsonPath(path)(POD)).toEqual(found);
  });

  it.each([
    { path: '{.metadata.name} {.status.phase}', why: "unexpected path string, expected a 'name1.name2'" },
    { path: '{.status.phase', why: 'unexpected path string' },
    { path: '{}', why: 'unexpected path string' },
    { path: '', why: 'unexpected path string' },
    { path: '{.status.conditions[0}', why: 'unterminated array' },
    { path: '{.a[?(@.b=="c" && @.d=="e")]}', why: "unrecognized character in action: U+0026 '&'" },
  ])('refuses $path', ({ path, why }) => {
    expect(() => parseJsonPath(path)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(why) as string }),
    );
  });

  it.each([
    { path: '{.spec.containers[2].image}', why: 'array index out of bounds: index 2, length 2' },
    { path: '{.status.phase[0]}', why: 'string is not array or slice' },
    { path: '{.status.conditions[?(@.status==1)]}', why: 'incompatible types for comparison' },
  ])('explains the error in $path', ({ path, why }) => {
    expect(() => parseJsonPath(path)(POD)).toThrow(expect.objectContaining({ exitCode: 1, message: why }));
  });
});
