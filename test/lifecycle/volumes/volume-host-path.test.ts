import { expect, it } from 'vitest';
import { type FileKind, judgeHostPath } from '../../../src/lifecycle/volumes/volume-host-path.ts';

const KINDS: ReadonlyArray<FileKind | undefined> = [
  undefined,
  'directory',
  'file',
  'socket',
  'character device',
  'block device',
  'other',
];

/** The kinds of files that each type accepts, the kind that it creates, and the message for every other kind. */
it.each<{ type: string | undefined; fine: typeof KINDS; makes?: FileKind; says: string }>([
  { type: undefined, fine: KINDS, says: '' },
  { type: '', fine: KINDS, says: '' },
  { type: 'Directory', fine: ['directory'], says: 'directory' },
  { type: 'DirectoryOrCreate', fine: ['directory'], makes: 'directory', says: 'directory' },
  { type: 'File', fine: ['file'], says: 'file' },
  { type: 'FileOrCreate', fine: ['file'], makes: 'file', says: 'file' },
  { type: 'Socket', fine: ['socket'], says: 'socket file' },
  { type: 'CharDevice', fine: ['character device'], says: 'character device' },
  { type: 'BlockDevice', fine: ['block device'], says: 'block device' },
])('type $type', ({ type, fine, makes, says }) => {
  const failed = { type: 'failed', message: `hostPath type check failed: /p is not a ${says}` };
  for (const kind of KINDS) {
    const missing = makes === undefined ? failed : { type: 'make', kind: makes };
    const otherwise = kind === undefined ? missing : failed;
    expect(judgeHostPath('/p', type, kind)).toEqual(fine.includes(kind) ? { type: 'fine' } : otherwise);
  }
});

it('knows no other types', () => {
  const message = 'toString is an invalid volume type';
  expect(judgeHostPath('/p', 'toString', undefined)).toEqual({ type: 'failed', message });
});
