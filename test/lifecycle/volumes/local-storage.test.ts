import { describe, expect, it } from 'vitest';
import { podWith } from '../base-objects.ts';
import type { PodSpec } from '../../../src/api/generated/types.ts';
import { evictionMessage, storageMeasures } from '../../../src/lifecycle/volumes/local-storage.ts';
import type { StorageUsage } from '../../../src/lifecycle/base/facts.ts';

const MI = 1024 * 1024;
const limited = (name: string, limit?: string) => ({
  name,
  ...(limit === undefined ? {} : { resources: { limits: { 'ephemeral-storage': limit } } }),
});
const emptyDir = (name: string, sizeLimit?: string, medium?: string) => ({
  name,
  emptyDir: { ...(sizeLimit === undefined ? {} : { sizeLimit }), ...(medium === undefined ? {} : { medium }) },
});
const used = (
  volumes: Record<string, number>,
  logs: Record<string, number> = {},
  layers: Record<string, number> = {},
): StorageUsage => ({ volumes, logs, layers });

describe('eviction for local storage', () => {
  const small: PodSpec = { containers: [limited('a')], volumes: [emptyDir('other'), emptyDir('v', '1Mi')] };
  const bounded: PodSpec = {
    containers: [limited('a', '1Mi'), limited('b', '2Mi')],
    volumes: [emptyDir('v'), emptyDir('m', undefined, 'Memory')],
  };
  const one: PodSpec = { containers: [limited('a', '1Mi'), limited('b')] };

  it.each<[string, PodSpec, StorageUsage, string | undefined]>([
    ['at its limit', small, used({ v: MI }), undefined],
    ['not measured', small, used({}), undefined],
    [
      'over the limit of a volume',
      small,
      used({ v: MI + 1 }),
      'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ',
    ],
    [
      'over a limit in other words',
      { ...small, volumes: [emptyDir('v', '0.5Gi')] },
      used({ v: 513 * MI }),
      'Usage of EmptyDir volume "v" exceeds the limit "512Mi". ',
    ],
    ['whose limit is 0, which is none', { ...small, volumes: [emptyDir('v', '0')] }, used({ v: MI }), undefined],
    ['that is critical', { ...small, priority: 2_000_000_000 }, used({ v: 2 * MI }), undefined],
    [
      'over the limit of all containers together',
      bounded,
      used({ v: 2 * MI }, { a: MI / 2, b: MI / 2 + 1 }),
      'Pod ephemeral local storage usage exceeds the total limit of containers 3Mi. ',
    ],
    ['with the rest in memory', bounded, used({ v: 2 * MI, m: 9 * MI }, { a: MI / 2 }), undefined],
    [
      'over the limit of a container, by its logs',
      bounded,
      used({}, { a: MI + 1 }),
      'Container a exceeded its local ephemeral storage limit "1Mi". ',
    ],
    [
      'over the limit of a container, by what it writes to its root',
      bounded,
      used({}, {}, { a: MI + 1 }),
      'Container a exceeded its local ephemeral storage limit "1Mi". ',
    ],
    [
      'over the limit of a container, by its logs and its root together',
      bounded,
      used({}, { a: MI }, { a: 1 }),
      'Container a exceeded its local ephemeral storage limit "1Mi". ',
    ],
    [
      'over the limit of all containers together, by their roots',
      bounded,
      used({ v: MI }, { a: MI / 2 }, { a: MI / 2, b: MI + 1 }),
      'Pod ephemeral local storage usage exceeds the total limit of containers 3Mi. ',
    ],
    [
      'where a container without a limit fills the share of another',
      one,
      used({}, { b: 2 * MI }),
      'Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ',
    ],
  ])('of a Pod %s', (_, spec, usage, want) => {
    expect(evictionMessage(podWith(spec), usage)).toBe(want);
  });

  it('measures the parts with limits, up to the largest limit', () => {
    expect(storageMeasures({ containers: [limited('a')], volumes: [emptyDir('v')] })).toBeUndefined();
    expect(storageMeasures(small)).toEqual({ volumes: new Map([['v', MI]]), logs: new Map(), layers: new Map() });
    const each = new Map([
      ['a', 3 * MI],
      ['b', 3 * MI],
    ]);
    expect(
      storageMeasures({ ...bounded, volumes: [emptyDir('v', '8Mi'), emptyDir('m', undefined, 'Memory')] }),
    ).toEqual({ volumes: new Map([['v', 8 * MI]]), logs: each, layers: each });
  });
});
