import { spawnSync } from 'node:child_process';
import { mkdtempSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../../../src/clock.ts';
import { detectNamespaces } from '../../../../src/runtime/linux/detection/namespaces.ts';
import type { StartedHolder } from '../../../../src/runtime/linux/namespace/holder.ts';
import { SpareHolder } from '../../../../src/runtime/linux/namespace/spare-holder.ts';
import { factsOf } from '../../../../src/runtime/watch/process-identity.ts';
import { markedPids, PATH, until } from '../../support/process-rig.ts';
import { needs } from '../../../needs.ts';
import { removeTree } from '../../../../src/remove-tree.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'podrun-spare-'));
const clock = new SystemClock();
const detected = await detectNamespaces({ stateDir: folder, clock, version: 'test', userPath: PATH });
removeTree(folder);

/** The own namespaces of a usual container. */
const USUAL = ['mount', 'uts', 'ipc', 'pid'] as const;
/** The most attempts to find a moment in which other tests mount nothing. */
const TRIES = 100;

/** Takes a spare holder after a change of the host. */
async function takeAfter(happens: () => void): Promise<StartedHolder | undefined> {
  if (!detected.ok) throw new Error('there are no namespaces');
  const spare = new SpareHolder(detected.facts, clock);
  const mine = (): number[] => markedPids('spare').filter((pid) => factsOf(pid)?.parentPid === process.pid);
  try {
    spare.prepare();
    await until(
      () => mine().some((pid) => hasOwnMounts(pid)),
      () => mine().join(),
    );
    happens();
    return await spare.take(USUAL, detected.facts.mode === 'root' ? 'root' : 'single');
  } finally {
    await spare.close();
  }
}

function hasOwnMounts(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`) !== readlinkSync('/proc/self/ns/mnt');
  } catch {
    return false;
  }
}

it('a holder made ahead is used', needs('namespaces'), async () => {
  let taken: StartedHolder | undefined;
  for (let count = 0; count < TRIES && taken === undefined; count++) taken = await takeAfter(() => undefined);
  expect(taken?.child.exitCode).toBe(null);
  taken?.child.kill('SIGKILL');
  await taken?.ended;
});

it(
  'a holder that does not know of a mount made since then is not used',
  needs('namespaces', 'mounts for all'),
  async () => {
    const place = mkdtempSync(path.join(tmpdir(), 'podrun-spare-'));
    onTestFinished(() => {
      spawnSync('umount', ['-l', place]);
      removeTree(place);
    });
    const taken = await takeAfter(() => {
      expect(spawnSync('mount', ['-t', 'tmpfs', 'podrun-spare', place]).status).toBe(0);
    });
    expect(taken).toBe(undefined);
  },
);
