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

it.each([undefined, ''])('without a type (%j), a runtime makes a missing folder and takes any other file', (type) => {
  const verdicts = KINDS.map((kind) => judgeHostPath('/p', type, kind));
  const [missing, ...others] = verdicts;
  expect(missing).toEqual({ type: 'make', kind: 'directory', isOfRuntime: true });
  expect(new Set(others.map((verdict) => verdict.type))).toEqual(new Set(['fine']));
});

it.each(['', 'Directory', 'DirectoryOrCreate', 'File'])(
  'a relative path of type %j is refused as on a node',
  (type) => {
    const kind = type === 'File' ? 'file' : 'directory';
    const message = `hostPath type check failed: ./data is not a ${kind}`;
    expect(judgeHostPath('./data', type, 'directory')).toEqual({ type: 'failed', message });
  },
);

it('knows no other types', () => {
  const message = 'toString is an invalid volume type';
  expect(judgeHostPath('/p', 'toString', undefined)).toEqual({ type: 'failed', message });
});
