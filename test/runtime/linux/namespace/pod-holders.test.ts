import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { SystemClock } from '../../../../src/clock.ts';
import { removeTree } from '../../../../src/remove-tree.ts';
import type { PodNamespaces } from '../../../../src/runtime/base/confinement.ts';
import { detectNamespaces } from '../../../../src/runtime/linux/detection/namespaces.ts';
import { PodHolders } from '../../../../src/runtime/linux/namespace/pod-holders.ts';
import { need } from '../../../needs.ts';
import { isRoot } from '../../../ordinary-user.ts';
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

it('a Pod that is held keeps its holder, with its file systems in memory, while it has no container', async () => {
  if (!detected.ok) throw new Error('no namespaces');
  const holders = new PodHolders(detected.facts);
  const place = path.join(stateDir, 'memory');
  mkdirSync(place);
  const pod = { ...POD, sharesMemory: false, memory: [{ folder: place, bytes: 1024 * 1024 }] };
  const folder = path.join(stateDir, 'layers', 'held', '.pod');
  const layerDir = path.join(stateDir, 'layers', 'held', 'main', '0');
  const request = { pod, folder, network: undefined };
  const held = await holders.hold(request);
  expect(held.isNew).toBe(true);
  const mounts = ['--target', `${held.holder.pid}`, '--mount', ...(isRoot ? [] : ['--user', '--preserve-credentials'])];
  const size = execFileSync('nsenter', [...mounts, 'df', '-Pk', place], { encoding: 'utf8' });
  expect(size).toMatch(/^tmpfs +1024 /m);
  expect((await holders.join(pod, layerDir, undefined))?.holder.pid).toBe(held.holder.pid);
  await holders.leave(pod);
  expect(await holders.hold(request)).toMatchObject({ isNew: false, holder: { pid: held.holder.pid } });
  await holders.letGo(pod.uid);
  await held.holder.ended;
  expect(existsSync(folder)).toBe(false);
});

it('a Pod whose containers run without its file systems in memory cannot have them', async () => {
  if (!detected.ok) throw new Error('no namespaces');
  const holders = new PodHolders(detected.facts);
  const folder = path.join(stateDir, 'layers', 'late', '.pod');
  await holders.join(POD, path.join(stateDir, 'layers', 'late', 'main', '0'), undefined);
  const late = holders.hold({ pod: POD, folder, network: undefined });
  await expect(late).rejects.toThrow('its containers run in other namespaces');
  await holders.leave(POD);
});
