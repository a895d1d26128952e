import { describe, expect, it } from 'vitest';
import { container, linesOf, pod, podOf } from './objects.ts';

const C = 'spec.containers[0].resources';

interface Row {
  readonly name: string;
  readonly limits?: Record<string, string>;
  readonly requests?: Record<string, string>;
  readonly want: readonly string[];
}

describe('resources of a container', () => {
  it.each<Row>([
    {
      name: 'huge pages without anything else',
      limits: { 'hugepages-2Mi': '4Mi' },
      want: ['Forbidden: HugePages require cpu or memory'],
    },
    {
      name: 'pages of no size',
      limits: { cpu: '1', 'hugepages-x': '1' },
      want: ['limits', 'requests'].map(
        (list) => `${list}[hugepages-x]: Invalid value: "1": 1 is not positive integer multiple of hugepages-x`,
      ),
    },
    {
      name: 'a device without a limit',
      requests: { 'example.com/dongle': '1' },
      want: ['limits: Required value: Limit must be set for non overcommitable resources'],
    },
    {
      name: 'a name that only quotas know',
      limits: { pods: '1.5' },
      want: ['limits', 'requests'].flatMap((list) => [
        `${list}[pods]: Invalid value: "pods": must be a standard resource for containers`,
        `${list}[pods]: Invalid value: "1500m": must be an integer`,
      ]),
    },
    {
      name: 'a request just above its limit, compared exactly',
      limits: { memory: '1Gi' },
      requests: { memory: '1073741825' },
      want: ['requests: Invalid value: "1073741825": must be less than or equal to memory limit of 1Gi'],
    },
    {
      name: 'names that objects have by nature',
      limits: { constructor: '1' },
      want: ['limits', 'requests'].flatMap((list) =>
        ['must be a standard resource type or fully qualified', 'must be a standard resource for containers'].map(
          (text) => `${list}[constructor]: Invalid value: "constructor": ${text}`,
        ),
      ),
    },
  ])('refuses $name', ({ limits, requests, want }) => {
    const resources = { ...(limits && { limits }), ...(requests && { requests }) };
    const expected = want.map((line) => (line.startsWith('Forbidden') ? `${C}: ${line}` : `${C}.${line}`));
    expect(linesOf(podOf({ resources }))).toEqual(expected);
  });

  it.each([
    { limits: { cpu: '1', 'hugepages-2Mi': '4Mi' } },
    { limits: { 'example.com/dongle': '2' } },
    { requests: { 'ephemeral-storage': '1Gi' } },
    { limits: { cpu: '0' }, requests: { cpu: '0' } },
  ])('takes %j', (resources) => {
    expect(linesOf(podOf({ resources }))).toEqual([]);
  });

  it('may claim what the Pod has claimed, once', () => {
    const resourceClaims = [
      { name: 'gpu', resourceClaimName: 'mine' },
      { name: 'nic', resourceClaimName: 'other' },
    ];
    const claims = [
      { name: 'gpu' },
      { name: 'nic', request: 'a' },
      { name: 'gpu' },
      { name: 'nic' },
      { name: 'x' },
      {},
    ];
    expect(linesOf(podOf({ resources: { claims } }, { resourceClaims }))).toEqual([
      `${C}.claims[2]: Duplicate value: "gpu"`,
      `${C}.claims[3]: Duplicate value: "nic"`,
      `${C}.claims[4]: Not found: "x": must be one of the names in pod.spec.resourceClaims: gpu, nic`,
      `${C}.claims[5]: Required value`,
    ]);
  });
});

describe('resize policy', () => {
  it('is reported at the list, except for duplicates', () => {
    const resizePolicy = [
      { resourceName: 'cpu', restartPolicy: 'NotRequired' },
      { resourceName: 'cpu', restartPolicy: 'Sometimes' },
      {},
    ];
    const path = 'spec.containers[0].resizePolicy';
    expect(linesOf(podOf({ resizePolicy }))).toEqual([
      `${path}[1]: Duplicate value: "cpu"`,
      `${path}: Unsupported value: "Sometimes": supported values: "NotRequired", "RestartContainer"`,
      `${path}: Required value`,
      `${path}: Required value`,
    ]);
  });
});

describe('resources of a Pod', () => {
  it('cover sidecars beside containers, and plain init containers one by one', () => {
    const asking = (name: string, cpu: string, fields = {}): object =>
      container({ name, resources: { requests: { cpu } }, ...fields });
    const initContainers = [asking('a', '2'), asking('b', '1', { restartPolicy: 'Always' }), asking('c', '3')];
    const lines = (cpu: string): string[] =>
      linesOf(pod({ initContainers, containers: [asking('app', '2')], resources: { requests: { cpu } } }));
    // The container b runs while c runs. Later, b and app together need less.
    expect(lines('4')).toEqual([]);
    expect(lines('3')).toEqual([
      'spec.resources.requests[cpu]: Invalid value: "3": ' +
        'must be greater than or equal to aggregate container requests of 4',
    ]);
  });

  it('may be cpu, memory and huge pages', () => {
    const limits = { 'ephemeral-storage': '1Gi' };
    expect(linesOf(pod({ resources: { limits } }))).toEqual([
      'spec.resources.limits[ephemeral-storage]: Unsupported value: "ephemeral-storage": ' +
        'supported values: "cpu", "hugepages-", "memory"',
    ]);
  });

  it('name their claims once and say what each is', () => {
    const both = { resourceClaimName: 'a', resourceClaimTemplateName: 'b' };
    const resourceClaims = [{ name: 'a', ...both }, { name: 'a', resourceClaimName: 'A' }, { resourceClaimName: 'b' }];
    expect(linesOf(pod({ resourceClaims }))).toEqual([
      expect.stringMatching(
        /^spec\.resourceClaims\[0\]: .*: at most one of `resourceClaimName` or `resourceClaimTemplateName`/,
      ),
      'spec.resourceClaims[1].name: Duplicate value: "a"',
      expect.stringMatching(/^spec\.resourceClaims\[1\]\.resourceClaimName: Invalid value: "A": a lowercase RFC 1123/),
      'spec.resourceClaims[2].name: Required value',
    ]);
  });
});
