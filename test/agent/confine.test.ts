import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { confine } from '../../src/agent/confine.ts';
import { newPod } from '../simulation/pod-simulation.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'podrun-etc-'));
afterAll(() => rmSync(folder, { recursive: true }));

const mounted = (mountPath: string) => ({
  volume: 'data',
  mountPath,
  source: `/volumes${mountPath}`,
  isReadOnly: false,
  isAtMountPath: false,
  identity: undefined,
});

it('what lies inside another mount is mounted after it, whatever comes first in the manifest', () => {
  const container = { name: 'main', image: 'app', terminationMessagePath: '/data/log/last' };
  const { mounts } = confine({
    pod: newPod({ containers: [container] }),
    container,
    isolation: { shared: [], hidden: [], strictPid1: false },
    layerDir: '/layer',
    podIP: undefined,
    etcFolder: folder,
    volumes: ['/data/log', '/other', '/data'].map(mounted),
    terminationLog: '/log',
  });
  const targets = mounts.map(({ target }) => target).filter((target) => !target.startsWith('/etc/'));
  expect(targets).toEqual(['/other', '/data', '/data/log', '/data/log/last']);
});
