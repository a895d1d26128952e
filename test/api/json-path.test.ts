import { describe, expect, it } from 'vitest';
import { parseJsonPath } from '../../src/api/json-path.ts';

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
    ['{.spec.containers[1].image}', ['two']],
    ['{.spec.containers[-1].image}', ['two']],
    ['{.spec.containers[2].image}', []],
    ['{.spec.containers[*].name}', ['a', 'b']],
    ['{.metadata.labels.*}', ['shop']],
    [String.raw`{.metadata.labels.app\.kubernetes\.io/name}`, ['shop']],
    ["{.metadata.labels['app.kubernetes.io/name']}", ['shop']],
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
    '{.status.conditions[?(@.type=="Ready")]..status}',
    '{.spec.containers[0:1].name}',
    '{.metadata.name} {.status.phase}',
    '{.status.phase',
    '{}',
    '',
  ])('refuses %s', (path) => {
    expect(() => parseJsonPath(path)).toThrow(
      expect.objectContaining({ exitCode: 2, message: `error: invalid JSONPath ${JSON.stringify(path)}` }),
    );
  });
});
