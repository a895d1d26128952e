import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '../../../src/api/generated/types.ts';
import { affinityNodeNames, matchesNode, missingLabels } from '../../../src/lifecycle/node/node-affinity.ts';
import { node } from '../base-objects.ts';

function requiring(...nodeSelectorTerms: NodeSelectorTerm[]): PodSpec {
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { containers: [], affinity: { nodeAffinity } };
}

const label = (key: string, operator: NodeSelectorRequirement['operator'], ...values: string[]): NodeSelectorTerm => {
  return { matchExpressions: [{ key, operator, values }] };
};
const nodeName = (operator: NodeSelectorRequirement['operator'], ...values: string[]): NodeSelectorTerm => {
  return { matchFields: [{ key: 'metadata.name', operator, values }] };
};

describe('matchesNode()', () => {
  it.each<[string, NodeSelectorTerm, boolean]>([
    ['In: one of the values', label('disk', 'In', 'hdd', 'ssd'), true],
    ['In: none of the values', label('disk', 'In', 'hdd'), false],
    ['In: no such label', label('zone', 'In', 'a'), false],
    ['In: no values', label('disk', 'In'), false],
    ['NotIn: none of the values', label('disk', 'NotIn', 'hdd'), true],
    ['NotIn: one of the values', label('disk', 'NotIn', 'hdd', 'ssd'), false],
    ['NotIn: no such label', label('zone', 'NotIn', 'a'), true],
    ['NotIn: a value that no label can have', label('disk', 'NotIn', 'not a label'), false],
    ['Exists: there is such a label', label('disk', 'Exists'), true],
    ['Exists: there is none', label('zone', 'Exists'), false],
    ['Exists: not a property of all objects', label('constructor', 'Exists'), false],
    ['DoesNotExist: there is none', label('zone', 'DoesNotExist'), true],
    ['DoesNotExist: there is one', label('disk', 'DoesNotExist'), false],
    ['Gt: greater', label('cores', 'Gt', '7'), true],
    ['Gt: equal', label('cores', 'Gt', '8'), false],
    ['Gt: compares numbers, not text', label('cores', 'Gt', '10'), false],
    ['Gt: the label is no number', label('rank', 'Gt', '1'), false],
    ['Gt: the value is no number', label('cores', 'Gt', 'many'), false],
    ['Gt: no such label', label('zone', 'Gt', '0'), false],
    ['Lt: less', label('cores', 'Lt', '10'), true],
    ['Lt: equal', label('cores', 'Lt', '8'), false],
    ['Lt: the value does not fit 64 bits', label('cores', 'Lt', '9223372036854775808'), false],
    ['the name of the node', nodeName('In', 'node-1'), true],
    ['another name', nodeName('In', 'node-2'), false],
    ['not another name', nodeName('NotIn', 'node-2'), true],
    ['not the name of the node', nodeName('NotIn', 'node-1'), false],
    ['names know no other operator', nodeName('Exists'), false],
    ['an empty term', {}, false],
    ['all requirements of a term must hold', { ...label('disk', 'Exists'), ...nodeName('In', 'node-2') }, false],
  ])('%s', (_name, term, want) => {
    expect(matchesNode(requiring(term), node)).toBe(want);
  });

  it('is content with one of several terms', () => {
    expect(matchesNode(requiring(label('zone', 'Exists'), label('disk', 'Exists')), node)).toBe(true);
    expect(matchesNode(requiring(), node)).toBe(false);
  });

  it('asks for every label of the nodeSelector, and for the affinity as well', () => {
    const spec = requiring(label('cores', 'Gt', '4'));
    expect(matchesNode({ ...spec, nodeSelector: { disk: 'ssd' } }, node)).toBe(true);
    expect(matchesNode({ ...spec, nodeSelector: { disk: 'ssd', 'kubernetes.io/os': 'windows' } }, node)).toBe(false);
    expect(matchesNode({ ...requiring({}), nodeSelector: { disk: 'ssd' } }, node)).toBe(false);
    expect(matchesNode({ containers: [] }, node)).toBe(true);
  });

  it('holds for In exactly where it does not hold for NotIn', () => {
    const values = fc.array(fc.constantFrom('ssd', 'hdd', 'nvme'), { minLength: 1 });
    fc.assert(
      fc.property(fc.constantFrom('disk', 'zone'), values, (key, list) => {
        const isIn = matchesNode(requiring(label(key, 'In', ...list)), node);
        expect(matchesNode(requiring(label(key, 'NotIn', ...list)), node)).toBe(!isIn);
      }),
    );
  });

  it('orders numbers: less, equal or greater', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (bound) => {
        const less = matchesNode(requiring(label('cores', 'Lt', String(bound))), node);
        const greater = matchesNode(requiring(label('cores', 'Gt', String(bound))), node);
        // A label cannot begin with a minus sign: the scheduler cannot parse such a bound.
        expect([less, greater]).toEqual(bound < 0n ? [false, false] : [bound > 8n, bound < 8n]);
      }),
    );
  });
});

describe('missingLabels()', () => {
  it('lists the labels that the node lacks or has with another value', () => {
    const nodeSelector = { disk: 'ssd', zone: 'a', cores: '16', 'kubernetes.io/os': 'linux', constructor: '' };
    expect(missingLabels({ containers: [], nodeSelector }, node)).toEqual([
      { key: 'zone', value: 'a', actual: undefined },
      { key: 'cores', value: '16', actual: '8' },
      { key: 'constructor', value: '', actual: undefined },
    ]);
    expect(missingLabels({ containers: [] }, node)).toEqual([]);
  });
});

describe('affinityNodeNames()', () => {
  it.each<[string, PodSpec, string[] | undefined]>([
    ['no affinity', { containers: [] }, undefined],
    ['names of all terms together', requiring(nodeName('In', 'a'), nodeName('In', 'b')), ['a', 'b']],
    ['one term that does not go by name', requiring(nodeName('In', 'a'), label('disk', 'Exists')), undefined],
    ['a name that is excluded only', requiring(nodeName('NotIn', 'a')), undefined],
    [
      'a term that contradicts itself',
      requiring({ matchFields: ['a', 'b'].map((name) => ({ key: 'metadata.name', operator: 'In', values: [name] })) }),
      [],
    ],
  ])('%s', (_name, spec, want) => {
    const names = affinityNodeNames(spec);
    expect(names === undefined ? undefined : [...names]).toEqual(want);
  });
});
