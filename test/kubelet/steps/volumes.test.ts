import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { volumesStep } from '../../../src/kubelet/steps/volumes.ts';
import type { MountOutcome } from '../../../src/kubelet/volumes/pod-volumes.ts';
import { NAMESPACES, ROOT } from '../../lifecycle/security/judged.ts';
import { temporaryFolder } from '../volumes/temporary-folder.ts';
import { changesOf, outcomeOf } from './one-start.ts';

const mounted = (source: string, volume = 'my-data') => ({
  volume,
  mountPath: '/data',
  source,
  isReadOnly: true,
  isAtMountPath: false,
  identity: 'inode 1',
});
const sandbox = (outcome: MountOutcome) => ({
  sandbox: { volumes: { mount: () => outcome, readFile: () => undefined } },
});
const withData = (source = '/state/volumes/my-data', volume?: string) =>
  sandbox({ ok: true, mounts: [mounted(source, volume)] });
const step = (rights = ROOT, isBestEffort = false) => volumesStep(() => rights, isBestEffort);

describe('the volumes', () => {
  it('lie elsewhere on the host: a variable and an event name the place', async () => {
    const { mounts, volumePlaces, defaults, notices } = await changesOf(step(), withData());
    expect(mounts).toEqual([
      { source: '/state/volumes/my-data', target: '/data', isReadOnly: true, identity: 'inode 1' },
    ]);
    expect(volumePlaces).toEqual([{ mountPath: '/data', source: '/state/volumes/my-data' }]);
    expect(defaults).toEqual({ PODRUN_VOLUME_MY_DATA: '/state/volumes/my-data' });
    expect(notices).toMatchObject([{ reason: 'VolumeNotAtMountPath' }]);
  });

  it('are at their paths in a namespace', async () => {
    const { mounts, volumePlaces, defaults, notices } = await changesOf(step(NAMESPACES), withData());
    expect(mounts).toMatchObject([{ source: '/state/volumes/my-data', target: '/data' }]);
    expect(volumePlaces).toEqual([]);
    expect(defaults).toEqual({ PODRUN_VOLUME_MY_DATA: '/data' });
    expect(notices).toEqual([]);
  });

  it('are refused to a user who cannot reach them on the host, but for best effort', async () => {
    const closed = path.join(temporaryFolder(), 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const identity = { uid: 4711, gid: 4711, groups: [], capabilities: undefined, noNewPrivileges: false };
    const start = withData(path.join(closed, 'my-data'));
    expect(await outcomeOf(step(), start, { identity })).toMatchObject({ ok: false, stage: 'create' });
    for (const able of [step(NAMESPACES), step(ROOT, true)]) {
      expect(await outcomeOf(able, start, { identity })).toMatchObject({ ok: true });
    }
    // The API server adds it to each Pod, and no program looks for it there.
    const token = withData(path.join(closed, 'token'), 'kube-api-access-abcde');
    expect(await outcomeOf(step(), token, { identity })).toMatchObject({ ok: true });
  });

  it('that are not there keep the container from starting', async () => {
    expect(await outcomeOf(step(), sandbox({ ok: false, message: 'no volume' }))).toEqual({
      ok: false,
      stage: 'config',
      message: 'no volume',
    });
  });
});
