import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PodrunError } from '../../src/api/base/errors.ts';
import { newPod } from './objects.ts';
import { openStore, temporaryFolder } from './temporary-store.ts';
import { messageOf, startWorkerOnSmallDisk, useWorkers } from './workers.ts';
import { needs } from '../needs.ts';

useWorkers();

const HINT = 'Repair it, or choose another folder with --state-dir or PODRUN_STATE_DIR.';

describe('a state folder', () => {
  it('that is a file is named as the trouble', () => {
    const file = path.join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const create = (): unknown => openStore(file).create('pods', newPod('web'));
    expect(create).toThrow(PodrunError);
    expect(create).toThrow(`cannot use the state folder ${file}: not a directory`);
  });

  it('that belongs to another user is named as the trouble', needs('a user bound by modes'), () => {
    const root = path.join(temporaryFolder(), 'state');
    mkdirSync(root, { mode: 0o500 });
    expect(() => openStore(root).create('pods', newPod('web'))).toThrow(
      `cannot use the state folder ${root}: permission denied`,
    );
    chmodSync(root, 0o700);
  });

  it('that is full loses nothing, and deleting makes room', needs('private mounts'), async () => {
    const root = temporaryFolder();
    const trouble = `cannot use the state folder ${root}: no space left on device. ${HINT}`;
    expect(await messageOf(startWorkerOnSmallDisk(root, 'fillDisk'))).toEqual({
      failure: trouble,
      claim: expect.stringMatching(/^no space left on device: the state folder .* and a Pod needs at least 65536\./),
      isKept: true,
      isUsable: true,
      names: ['other', 'third'],
    });
  });

  it('that can only be read is still read', needs('private mounts'), async () => {
    const root = temporaryFolder();
    const trouble = `cannot use the state folder ${root}: read-only file system. ${HINT}`;
    expect(await messageOf(startWorkerOnSmallDisk(root, 'readOnly'))).toEqual({
      failures: [trouble, trouble, trouble],
      isKept: true,
      watches: true,
    });
  });
});
