import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { parseWaitCondition } from '../../../src/lifecycle/requests/wait-condition.ts';

const web: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', generation: 2 },
  status: {
    phase: 'Running',
    observedGeneration: 2,
    podIP: '10.0.0.7',
    containerStatuses: [{ restartCount: 0 }, { restartCount: 1 }],
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Ready', status: 'False' },
      { type: 'Initialized', status: 'False', observedGeneration: 2 },
      { type: 'PodScheduled', status: 'True', observedGeneration: 1 },
    ],
  },
};

function isMet(text: string, object = web): boolean {
  const condition = parseWaitCondition(text);
  if (condition.type !== 'state') throw new Error(`${text} asks for no state`);
  return condition.isMet(object);
}

describe('parseWaitCondition()', () => {
  it.each(['delete', 'create', 'Delete'])('%s is about existence', (text) => {
    expect(parseWaitCondition(text)).toEqual({ type: text.toLowerCase() });
  });

  it.each([
    { text: 'condition=Ready', met: true, because: 'it has that status' },
    { text: 'condition=ready=true', met: true, because: 'upper and lower case are the same' },
    { text: 'condition=Ready=False', met: false, because: 'the first condition of a type decides' },
    { text: 'condition=Initialized=False', met: true, because: 'any status can be waited for' },
    { text: 'condition=PodScheduled', met: false, because: 'it tells of an older spec' },
    { text: 'condition=Nope', met: false, because: 'there is none' },
    { text: 'jsonpath={.status.phase}=Running', met: true, because: 'the value is the same' },
    { text: 'jsonpath={.status.phase}="Running"', met: true, because: 'quotes around the value are dropped' },
    { text: 'jsonpath=.status.phase=Running', met: true, because: 'the braces may be left out' },
    { text: 'jsonpath={.status.phase}=Succeeded', met: false, because: 'the value is another' },
    { text: 'jsonpath={.status.podIP}', met: true, because: 'there is a value' },
    { text: 'jsonpath={.status.hostIP}', met: false, because: 'there is none' },
    { text: 'jsonpath={.metadata.generation}=2', met: true, because: 'numbers are compared as text' },
    {
      text: 'jsonpath={.status.conditions[?(@.type=="Initialized")].status}=False',
      met: true,
      because: 'filters have =',
    },
  ])('$text is $met: $because', ({ text, met }) => {
    expect(isMet(text)).toBe(met);
  });

  it('a condition of an object without generations counts', () => {
    const old: KubeObject = { ...web, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    expect(isMet('condition=Ready', old)).toBe(true);
    expect(isMet('condition=Ready', { apiVersion: 'v1', kind: 'Secret', metadata: {} })).toBe(false);
  });

  it.each([
    { text: 'foo', why: 'unrecognized condition: "foo"' },
    { text: '', why: 'unrecognized condition: ""' },
    { text: 'condition=', why: 'unrecognized condition: "condition="' },
    { text: 'jsonpath={.status.phase}=', why: 'jsonpath wait has to have a value after the equals sign' },
    { text: 'jsonpath={.status[0}', why: 'unterminated array' },
  ])('"$text" is wrong usage', ({ text, why }) => {
    expect(() => parseWaitCondition(text)).toThrow(expect.objectContaining({ exitCode: 2, message: why }));
  });

  it('a path to more than one value, or to no plain one, is an error at once', () => {
    expect(() => isMet('jsonpath={.status.containerStatuses[*].restartCount}=1')).toThrow(
      'given jsonpath expression matches more than one value',
    );
    expect(() => isMet('jsonpath={.status.containerStatuses}=1')).toThrow(
      'jsonpath leads to a nested object or list which is not supported',
    );
  });
});
