import { describe, expect, it } from 'vitest';
import type { VolumeMount } from '../../../src/api/generated/types.ts';
import {
  absoluteMountPath,
  hostPathOf,
  type Mounted,
  mountSubPath,
  notAtMountPath,
  volumeVariables,
} from '../../../src/lifecycle/volumes/volume-mounts.ts';

const mounted = (mountPath: string, source: string, volume = 'v'): Mounted => ({
  volume,
  mountPath,
  source,
  isAtMountPath: false,
  isReadOnly: false,
});

describe('the part of a volume that a container sees', () => {
  const env = new Map([
    ['A', 'one'],
    ['UP', '..'],
    ['ROOT', '/etc'],
    ['EMPTY', ''],
  ]);
  const chosen = (mount: Partial<VolumeMount>): string => {
    const outcome = mountSubPath({ name: 'v', mountPath: '/v', ...mount }, env);
    return outcome.ok ? outcome.subPath : outcome.message;
  };

  it.each([
    [{}, ''],
    [{ subPath: 'a/b' }, 'a/b'],
    [{ subPath: '$(A)' }, '$(A)'],
    [{ subPathExpr: 'x/$(A)/$$(A)' }, 'x/one/$(A)'],
    [{ subPathExpr: '$(NONE)/$(EMPTY)/$(A)' }, 'missing value for EMPTY, NONE'],
    [{ subPathExpr: '$(UP)' }, "unable to provision SubPath `..`: must not contain '..'"],
    [{ subPathExpr: 'a/$(UP)/b' }, "unable to provision SubPath `a/../b`: must not contain '..'"],
    [{ subPathExpr: '$(ROOT)' }, 'error SubPath `/etc` must not be an absolute path'],
    [{ subPath: '..' }, "unable to provision SubPath `..`: must not contain '..'"],
    [{ subPath: '..a' }, '..a'],
  ])('of %j is %s', (mount, want) => {
    expect(chosen(mount)).toBe(want);
  });
});

describe('where a path of a container is on the host', () => {
  const mounts = [mounted('/data', '/real/d'), mounted('/data/cache', '/real/c'), mounted('/dat', '/real/x')];

  it.each([
    ['/data', '/real/d'],
    ['/data/', '/real/d'],
    ['/data/a//b', '/real/d/a/b'],
    ['/data/cache', '/real/c'],
    ['/data/cache/k', '/real/c/k'],
    ['/data/cached', '/real/d/cached'],
    ['/database', '/database'],
    ['/etc', '/etc'],
    ['data', 'data'],
  ])('%s is %s', (path, want) => {
    expect(hostPathOf(path, mounts)).toBe(want);
  });

  it('is in the volume for everything below a volume at the root', () => {
    const atRoot = [mounted('/', '/real/r'), ...mounts];
    expect([hostPathOf('/x', atRoot), hostPathOf('/data/x', atRoot)]).toEqual(['/real/r/x', '/real/d/x']);
  });

  it.each([
    ['data', '/data'],
    ['/data//x/', '/data/x'],
    ['/', '/'],
  ])('takes mountPath %s for %s', (mountPath, want) => {
    expect(absoluteMountPath(mountPath)).toBe(want);
  });
});

it('names a variable for each volume, for one mounted twice its first place', () => {
  const mounts = [mounted('/a', '/real/a', 'my-vol.1'), mounted('/b', '/real/b', 'my-vol.1'), mounted('/c', '/c', 'c')];
  expect(volumeVariables(mounts)).toEqual({ PODRUN_VOLUME_MY_VOL_1: '/real/a', PODRUN_VOLUME_C: '/c' });
});

it('names the mountPath, the real folder and the ways to reach it', () => {
  expect(notAtMountPath(mounted('/data', '/real/d', 'my-data'))).toBe(
    'volume "my-data" is not at /data but at /real/d, as processes of the host have no mounts of their own: ' +
      'use $PODRUN_VOLUME_MY_DATA, or paths relative to a workingDir in /data',
  );
});
