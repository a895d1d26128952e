import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { needTier, TIERS } from '../cli/tiers.ts';
import { workshopForEach } from '../cli/workshop.ts';
import { assertNothingLeft } from './aftermath.ts';
import { SMALL_DISK } from './what-is-left.ts';
import { needs } from '../needs.ts';

/** `npm run chaos` tries 200 of the other seeds, and a tenth as many of these. */
const SEEDS = Array.from(
  { length: Math.ceil(Number(process.env['PODRUN_CHAOS_SEEDS'] ?? 30) / 10) },
  (_, seed) => seed,
);

const workshop = workshopForEach();

/** Loops that mount and unmount folders of the machine until they are stopped. */
class ChurningMounts {
  readonly #loops: readonly ChildProcess[];

  /** @param folder the parent of a folder for each loop */
  constructor(folder: string, count: number) {
    this.#loops = Array.from({ length: count }, (_, index) => {
      const place = path.join(folder, String(index));
      mkdirSync(place, { recursive: true });
      const round = `mount -t tmpfs ${SMALL_DISK} "$0" && umount -l "$0"`;
      const loop = `go=on; trap "go=" TERM; while [ "$go" ]; do ${round}; done`;
      return spawn('sh', ['-c', loop, place], { stdio: 'ignore' });
    });
  }

  async end(): Promise<void> {
    await Promise.all(
      this.#loops.map(async (loop) => {
        if (loop.exitCode !== null) return;
        loop.kill('SIGTERM');
        await once(loop, 'exit');
      }),
    );
  }
}

describe.each(TIERS)('mounts that come and go, with --runtime %s', needs('mounts for all'), (tier) => {
  beforeEach((test) => needTier(test, tier));

  let churning: ChurningMounts | undefined;

  // Runs before the workshop removes its folder.
  afterEach(async () => {
    await churning?.end();
    for (const index of [0, 1, 2]) spawnSync('umount', ['-l', path.join(workshop.folder, 'churn', String(index))]);
  });

  it.each(SEEDS)('keep no container from starting: seed %i', async (seed) => {
    churning = new ChurningMounts(path.join(workshop.folder, 'churn'), 3);
    const oneShot: PodSpec = {
      restartPolicy: 'Never',
      containers: [{ name: 'main', command: ['sh', '-c', 'echo ran'] }],
    };
    for (const name of ['one', 'two', 'three'].map((word) => `${word}-${seed}`)) {
      const { exitCode, stdout, stderr } = await workshop.run([
        'apply',
        workshop.pod(name, oneShot),
        '--runtime',
        tier,
      ]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain('ran');
    }
    await churning.end();
    await assertNothingLeft(workshop);
  });
});
