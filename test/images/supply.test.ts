import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openSupply } from '../../src/images/node/open-supply.ts';
import { DEFAULT_IMAGE_SETTINGS } from '../../src/lifecycle/images/settings.ts';
import { removeTree } from '../../src/remove-tree.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { needs } from '../needs.ts';

it(
  'a machine that could not unpack layers for one image is asked again for the next one',
  needs('root', 'trusted attributes'),
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'podrun-images-'));
    onTestFinished(() => removeTree(folder));
    onTestFinished(() => void vi.unstubAllEnvs());
    const supply = openSupply({
      env: { PODRUN_IMAGE_DIR: folder },
      settings: DEFAULT_IMAGE_SETTINGS,
      clock: new ManualClock(),
    });
    vi.stubEnv('PATH', '/nonexistent');
    await expect(supply.kind()).rejects.toThrow('images need GNU tar');
    vi.unstubAllEnvs();
    expect(await supply.kind()).toBe('root');
  },
);
