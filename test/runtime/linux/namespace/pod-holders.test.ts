import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { SystemClock } from '../../../../src/clock.ts';
import { removeTree } from '../../../../src/remove-tree.ts';
import type { PodNamespaces } from '../../../../src/runtime/base/confinement.ts';
import { detectNamespaces } from '../../../../src/runtime/linux/detection/namespaces.ts';
import { PodHolders } from '../../../../src/runtime/linux/namespace/pod-holders.ts';
import { need } from '../../../needs.ts';
import { PATH } from '../../support/process-rig.ts';

const stateDir = mkdtempSync(path.join(tmpdir(), 'podrun-holders-'));
afterAll(() => removeTree(stateDir));
const detected = await detectNamespaces({ stateDir, clock: new SystemClock(), version: 'test', userPath: PATH });

beforeEach((test) => need(test, 'namespaces'));

const POD: PodNamespaces = {
  uid: 'uid',
  hostname: 'web-0',
  sharesMemory: true,
  sharesProcesses: false,
  hostProcesses: false,
  hostIPC: false,
};

it('a container that starts while the last one of its Pod ends has a holder and a folder of its own', async () => {
  if (!detected.ok) throw new Error('no namespaces');
  const holders = new PodHolders(detected.facts);
  const layerDir = path.join(stateDir, 'layers', 'uid', 'main-0');
  const first = await holders.join(POD, layerDir, undefined);
  const ending = holders.leave(POD);
  const second = await holders.join(POD, layerDir, undefined);
  await ending;
  expect(second?.holder.pid).not.toBe(first?.holder.pid);
  expect(existsSync(second?.sharedMemory ?? '')).toBe(true);
  await holders.leave(POD);
  expect(existsSync(second?.sharedMemory ?? '')).toBe(false);
});
