import { describe, expect, it } from 'vitest';
import { confinementStep } from '../../../src/kubelet/steps/confinement.ts';
import type { LaunchImage } from '../../../src/images/index.ts';
import type { Confinement } from '../../../src/runtime/base/confinement.ts';
import { changesOf, startOf } from './one-start.ts';

const step = confinementStep(
  { shared: ['/home/me'], hidden: ['/state'], strictPid1: true },
  { layer: (_pod, { container, attempt }) => `/layers/${container}/${attempt}` },
);
const { uid } = startOf().pod.metadata;

async function confinementOf(...wanted: Parameters<typeof changesOf> extends [unknown, ...infer Rest] ? Rest : never) {
  const { confinement } = await changesOf(step, ...wanted);
  return confinement as Confinement;
}

describe('the confinement', () => {
  it('follows the choices of the user and the spec of the Pod', async () => {
    expect(await confinementOf({ attempt: 2, spec: { hostname: 'shop', shareProcessNamespace: true } })).toEqual({
      pod: {
        uid,
        hostname: 'shop',
        sharesMemory: false,
        sharesProcesses: true,
        hostProcesses: false,
        hostIPC: false,
      },
      layerDir: '/layers/main/2',
      processesOf: undefined,
      mounts: [],
      shared: ['/home/me'],
      hidden: ['/state'],
      isRootReadOnly: false,
      hasAllDevices: false,
      areKernelFilesOpen: false,
      strictPid1: true,
    });
  });

  it('opens what the security context asks for', async () => {
    const container = { securityContext: { privileged: true, readOnlyRootFilesystem: true } };
    const opened = { isRootReadOnly: true, hasAllDevices: true, areKernelFilesOpen: true };
    expect(await confinementOf({ container, spec: { hostNetwork: true } })).toMatchObject({
      ...opened,
      pod: { hostname: undefined },
    });
    const unmasked = { securityContext: { procMount: 'Unmasked' } } as const;
    expect(await confinementOf({ container: unmasked })).toMatchObject({
      hasAllDevices: false,
      areKernelFilesOpen: true,
    });
  });

  it('shows an ephemeral container the processes of its target', async () => {
    const { processesOf } = await confinementOf({ container: { name: 'debug', targetContainerName: 'main' } });
    expect(processesOf).toBe(`${uid}/main/`);
  });

  it('mounts the volumes of an image where the manifest mounts nothing', async () => {
    const layers = { folder: '/no/image', layers: 0 };
    const image = { config: { Volumes: { '/data/': {}, '/taken': {}, '/': {} } }, root: { ...layers, owners: 'root' } };
    const mounts = [{ source: '/x', target: '/taken', isReadOnly: false }];
    const confinement = await confinementOf({}, { mounts, image: image as unknown as LaunchImage });
    const copy = { source: '/no/image', target: '/data', isReadOnly: false, image: { ...layers, path: '/data' } };
    expect(confinement.mounts).toEqual([...mounts, copy]);
  });

  it('mounts what lies inside another mount after it, whatever comes first in the manifest', async () => {
    const targets = ['/data/log/last', '/data/log', '/other', '/data'];
    const { mounts } = await confinementOf(
      {},
      { mounts: targets.map((target) => ({ source: '/x', target, isReadOnly: false })) },
    );
    expect(mounts.map(({ target }) => target)).toEqual(['/other', '/data', '/data/log', '/data/log/last']);
  });
});
