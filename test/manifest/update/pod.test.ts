import { describe, expect, it } from 'vitest';
import { type KubeObject, MIRROR_ANNOTATION } from '../../../src/api/base/objects.ts';
import { container, pod } from '../objects.ts';
import { outcomeOf, respecified, stored, type Fields } from './changes.ts';

const FORBIDDEN =
  'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,' +
  '`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing ' +
  'tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n';

const appImage = (image: string): Fields => container({ image });
const required = (...terms: object[]): Fields => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
});
const expression = (key: string): object => ({ key, operator: 'Exists' });
const TERMS = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
const gated = { schedulingGates: [{ name: 'x/a' }, { name: 'x/b' }] };

describe('a Pod that is served', () => {
  const allowed: Array<{ what: string; before?: Fields; after: Fields }> = [
    { what: 'another image', after: { containers: [appImage('registry.example/app:2')] } },
    {
      what: 'another image of an init container',
      before: { initContainers: [container({ name: 'init' })] },
      after: { initContainers: [container({ name: 'init', image: 'i:2' })] },
    },
    { what: 'a deadline', after: { activeDeadlineSeconds: 5 } },
    { what: 'an earlier deadline', before: { activeDeadlineSeconds: 9 }, after: { activeDeadlineSeconds: 5 } },
    {
      what: 'more tolerations, and other seconds of an old one',
      before: { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }] },
      after: {
        tolerations: [
          { key: 'b', operator: 'Exists' },
          { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9 },
        ],
      },
    },
    { what: 'fewer gates', before: gated, after: { schedulingGates: [{ name: 'x/b' }] } },
    { what: 'no gates', before: gated, after: { schedulingGates: undefined } },
    {
      what: 'a narrower node selector while it is held back',
      before: { ...gated, nodeSelector: { a: '1' } },
      after: { nodeSelector: { a: '1', b: '2' } },
    },
    {
      what: 'a node affinity while it is held back',
      before: gated,
      after: { affinity: required({ matchExpressions: [expression('a')] }) },
    },
    {
      what: 'a narrower node affinity while it is held back',
      before: { ...gated, affinity: required({ matchExpressions: [expression('a')] }) },
      after: { affinity: required({ matchExpressions: [expression('a'), expression('b')], matchFields: [] }) },
    },
  ];

  it.each(allowed)('may get $what', ({ before = {}, after }) => {
    const old = stored(pod(before));
    const outcome = outcomeOf(old, respecified(old, after));
    expect(outcome).toMatchObject({ metadata: { generation: 2 } });
  });

  const same: Array<{ what: string; before?: Fields; after: Fields }> = [
    {
      what: 'the same fields in another order',
      before: { nodeSelector: { a: '1', b: '2' } },
      after: { nodeSelector: { b: '2', a: '1' } },
    },
    { what: 'empty lists and maps', after: { volumes: [], nodeSelector: {}, tolerations: [] } },
    { what: 'false for nothing', after: { hostNetwork: false } },
    {
      what: 'quantities written in another way',
      before: { containers: [container({ resources: { limits: { cpu: '1', memory: '1Gi' } } })] },
      after: {
        containers: [
          container({
            resources: { limits: { cpu: '1000m', memory: '1073741824' }, requests: { cpu: '1', memory: '1024Mi' } },
          }),
        ],
      },
    },
    { what: 'defaults left out', after: { restartPolicy: undefined, dnsPolicy: undefined, containers: [container()] } },
  ];

  it.each(same)('is unchanged by $what', ({ before = {}, after }) => {
    const old = stored(pod(before));
    expect(outcomeOf(old, respecified(old, after))).toBe(old);
  });

  const refused: Array<{ what: string; before?: Fields; after: Fields; lines: string[] }> = [
    {
      what: 'another command and another policy',
      after: { restartPolicy: 'Never', containers: [container({ command: ['x'] })] },
      lines: [`${FORBIDDEN}  spec.containers[0].command: unset -> ["x"]\n  spec.restartPolicy: "Always" -> "Never"`],
    },
    {
      what: 'an environment of which one variable differs, beside a new image',
      before: { containers: [container({ env: [{ name: 'A', value: '1' }] })] },
      after: { containers: [container({ image: 'other:1', env: [{ name: 'A', value: '2' }] })] },
      lines: [`${FORBIDDEN}  spec.containers[0].env[0].value: "1" -> "2"`],
    },
    {
      what: 'more containers, whatever else is wrong',
      after: { activeDeadlineSeconds: -1, containers: [container(), container({ name: 'b' })] },
      lines: [
        'spec.activeDeadlineSeconds: Invalid value: -1: must be between 1 and 2147483647, inclusive',
        'spec.containers: Forbidden: pod updates may not add or remove containers',
      ],
    },
    {
      what: 'fewer init containers',
      before: { initContainers: [container({ name: 'init' })] },
      after: { initContainers: undefined },
      lines: ['spec.initContainers: Forbidden: pod updates may not add or remove containers'],
    },
    {
      what: 'an image with blanks',
      after: { containers: [appImage(' x')] },
      lines: ['spec.containers[0].image: Invalid value: " x": must not have leading or trailing whitespace'],
    },
    {
      what: 'a later deadline',
      before: { activeDeadlineSeconds: 5 },
      after: { activeDeadlineSeconds: 6 },
      lines: ['spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value'],
    },
    {
      what: 'no deadline any more',
      before: { activeDeadlineSeconds: 5 },
      after: { activeDeadlineSeconds: undefined },
      lines: ['spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value'],
    },
    {
      what: 'a new gate',
      before: gated,
      after: { schedulingGates: [{ name: 'x/c' }] },
      lines: ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'x/c'"],
    },
    {
      what: 'another node selector while it is held back',
      before: { ...gated, nodeSelector: { a: '1' } },
      after: { nodeSelector: { a: '2' } },
      lines: [
        'spec.nodeSelector: Invalid value: {"a":"2"}: ' +
          'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    },
    {
      what: 'a node selector when nothing holds it back',
      after: { nodeSelector: { a: '1' } },
      lines: [`${FORBIDDEN}  spec.nodeSelector: unset -> {"a":"1"}`],
    },
    {
      what: 'another node affinity while it is held back',
      before: { ...gated, affinity: required({ matchExpressions: [expression('a')] }) },
      after: { affinity: required({ matchExpressions: [expression('b')] }) },
      lines: [
        `${TERMS}[0]: Invalid value: {"matchExpressions":[{"key":"b","operator":"Exists"}]}: ` +
          'only additions are allowed (no mutations or deletions)',
      ],
    },
    {
      what: 'more node selector terms while it is held back',
      before: { ...gated, affinity: required({ matchExpressions: [expression('a')] }) },
      after: { affinity: undefined },
      lines: [`${TERMS}: Invalid value: []: no additions/deletions to non-empty NodeSelectorTerms list are allowed`],
    },
    {
      what: 'an affinity to Pods, even while it is held back',
      before: gated,
      after: { affinity: { ...required({ matchExpressions: [expression('a')] }), podAffinity: {} } },
      lines: [`${FORBIDDEN}  spec.affinity: unset -> {"podAffinity":{}}`],
    },
    {
      what: 'ephemeral containers',
      after: { ephemeralContainers: [container({ name: 'debug' })] },
      lines: [`${FORBIDDEN}  spec.ephemeralContainers: unset -> [`],
    },
    {
      what: 'other resources',
      after: { containers: [container({ resources: { limits: { cpu: '1' } } })] },
      lines: [`${FORBIDDEN}  spec.containers[0].resources.limits: unset -> {"cpu":"1"}`],
    },
  ];

  it.each(refused)('may not get $what', ({ before = {}, after, lines }) => {
    const old = stored(pod(before));
    const outcome = outcomeOf(old, respecified(old, after)) as string[];
    expect(outcome.map((line, index) => line.slice(0, lines[index]?.length))).toEqual(lines);
  });

  it.each([
    ['get', {}, { [MIRROR_ANNOTATION]: 'a' }, 'may not add mirror pod annotation'],
    [
      'change',
      { [MIRROR_ANNOTATION]: 'a' },
      { [MIRROR_ANNOTATION]: 'b' },
      'may not remove or update mirror pod annotation',
    ],
    ['lose', { [MIRROR_ANNOTATION]: 'a' }, {}, 'may not remove or update mirror pod annotation'],
  ])('may not %s the mark of a mirror Pod', (_what, before, after, why) => {
    const old = stored(pod());
    const withAnnotations = (annotations: Record<string, string>): KubeObject => ({
      ...old,
      metadata: { ...old.metadata, annotations },
    });
    const outcome = outcomeOf(withAnnotations(before), withAnnotations(after));
    expect(outcome).toEqual([`metadata.annotations[${MIRROR_ANNOTATION}]: Forbidden: ${why}`]);
  });

  it('keeps the list of differences short', () => {
    const variables = (value: string): Fields[] =>
      Array.from({ length: 25 }, (_none, index) => ({ name: `V${index}`, value }));
    const old = stored(pod({ containers: [container({ env: variables('1') })] }));
    const after = respecified(old, { containers: [container({ env: variables('x'.repeat(500)) })] });
    const [text = ''] = outcomeOf(old, after) as string[];
    const lines = text.split('\n').slice(1);
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe(`  spec.containers[0].env[0].value: "1" -> "${'x'.repeat(199)}...`);
    expect(lines.at(-1)).toBe('  and 5 more');
  });

  it('keeps its status, and what only the server writes', () => {
    const old: KubeObject = { ...stored(pod()), status: { phase: 'Running', qosClass: 'BestEffort' } };
    const after: KubeObject = {
      ...old,
      metadata: {
        name: 'demo',
        namespace: 'default',
        generation: 99,
        resourceVersion: '1',
        creationTimestamp: '2000-01-01T00:00:00Z',
        labels: { a: '1' },
      },
      status: { phase: 'Failed' },
    };
    expect(outcomeOf(old, after)).toEqual({ ...old, metadata: { ...old.metadata, labels: { a: '1' } } });
  });

  it('drops fields of features that are off', () => {
    const old = stored(pod());
    const outcome = outcomeOf(old, respecified(old, { os: { name: 'linux' }, schedulingGroup: {} }));
    expect(outcome).toEqual([expect.not.stringContaining('schedulingGroup')]);
  });
});
