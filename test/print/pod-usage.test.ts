import { describe, expect, it } from 'vitest';
import { type PodUsage, renderPodUsage, type UsageTableOptions } from '../../src/print/pod-usage.ts';
import { transcript } from './golden.ts';

const PLAIN: UsageTableOptions = {
  byContainer: false,
  allNamespaces: false,
  headers: true,
  sortBy: undefined,
  sum: false,
};

const KI = 1024;

/** The answer of the metrics server when kubectl was recorded. */
const WEB: PodUsage = {
  namespace: 'default',
  name: 'web',
  containers: [
    { name: 'web', cpuMillis: 12.345678, memoryBytes: 34567 * KI },
    { name: 'b', cpuMillis: 1000, memoryBytes: 1024 * 1024 * KI },
  ],
};
const API: PodUsage = {
  namespace: 'a',
  name: 'api',
  containers: [{ name: 'main', cpuMillis: 0, memoryBytes: 2 * 1024 * 1024 * KI }],
};

describe('the table of top pod', () => {
  it.each([
    { name: 'top-pod', options: {} },
    { name: 'top-pod-sum', options: { sum: true } },
  ])("equals kubectl's: $name", ({ name, options }) => {
    expect(renderPodUsage([WEB], { ...PLAIN, ...options })).toBe(transcript('top', name).stdout);
  });

  it('has a line for each container, by name', () => {
    expect(renderPodUsage([WEB], { ...PLAIN, byContainer: true })).toBe(
      [
        'POD   NAME   CPU(cores)   MEMORY(bytes)   ',
        'web   b      1000m        1024Mi          ',
        'web   web    13m          33Mi            ',
        '',
      ].join('\n'),
    );
  });

  it.each([
    { options: {}, names: ['api', 'web'] },
    { options: { sortBy: 'cpu' as const }, names: ['web', 'api'] },
    { options: { sortBy: 'memory' as const }, names: ['api', 'web'] },
  ])('is sorted: $options', ({ options, names }) => {
    const text = renderPodUsage([WEB, API], { ...PLAIN, headers: false, allNamespaces: true, ...options });
    expect(text.split('\n').flatMap((line) => line.split(/ +/)[1] ?? [])).toEqual(names);
  });

  it('is empty for nothing', () => {
    expect(renderPodUsage([], { ...PLAIN, sum: true })).toBe('');
  });
});
