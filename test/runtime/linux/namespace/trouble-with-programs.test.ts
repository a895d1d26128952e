import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { SystemClock } from '../../../../src/clock.ts';
import { removeTree } from '../../../../src/remove-tree.ts';
import type { Confinement } from '../../../../src/runtime/base/confinement.ts';
import { detectNamespaces } from '../../../../src/runtime/linux/detection/namespaces.ts';
import { need } from '../../../needs.ts';
import { makeRig, PATH } from '../../support/process-rig.ts';

const stateDir = mkdtempSync(path.join(tmpdir(), 'podrun-programs-'));
afterAll(() => removeTree(stateDir));
const detected = await detectNamespaces({ stateDir, clock: new SystemClock(), version: 'test', userPath: PATH });
const rig = makeRig('fifo', detected.ok ? detected.facts : undefined);

beforeEach((test) => need(test, 'namespaces'));

/** A container with a volume over the programs that podrun needs inside: it gets copies of them. */
function confined(name: string): { readonly confinement: Confinement } {
  return {
    confinement: {
      pod: {
        uid: name,
        hostname: 'web-0',
        sharesMemory: false,
        sharesProcesses: false,
        hostProcesses: false,
        hostIPC: false,
      },
      layerDir: path.join(stateDir, 'layers', name),
      processesOf: undefined,
      mounts: [{ source: '/usr/bin', target: '/usr/bin', isReadOnly: true }],
      shared: [homedir(), tmpdir()],
      isRootReadOnly: false,
      hasAllDevices: false,
      areKernelFilesOpen: false,
      hidden: [],
      strictPid1: false,
    },
  };
}

it('programs that could not be copied for one container are copied for the next one', async () => {
  const common = path.join(rig.folder, 'common');
  writeFileSync(common, 'in the way');
  expect(await rig.startFailing(['true'], confined('first'))).toContain('ENOTDIR');
  rmSync(common);
  expect((await rig.run(['true'], confined('second'))).exit.exitCode).toBe(0);
});
