import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PodrunError } from '../../src/api/base/errors.ts';
import { ifPossible, onDisk } from '../../src/store/disk/disk-errors.ts';
import { temporaryFolder } from './temporary-store.ts';

type Errno = keyof typeof constants.errno;

/** An error of a system call, as Node makes it. */
const systemError = (name: Errno): Error =>
  Object.assign(new Error(name), { errno: -constants.errno[name], code: name, syscall: 'write' });

function use(run: () => unknown): unknown {
  return onDisk('the log', run);
}

const failing = (error: Error) => (): never => {
  throw error;
};

describe('what the system reports', () => {
  it.each<[Errno, string]>([
    ['EACCES', 'permission denied'],
    ['EBUSY', 'resource busy or locked'],
    ['EDQUOT', 'disk quota exceeded'],
    ['EEXIST', 'file exists'],
    ['EFBIG', 'file too large'],
    ['EINVAL', 'invalid argument'],
    ['EIO', 'input/output error'],
    ['EMFILE', 'too many open files'],
    ['ENFILE', 'too many open files in system'],
    ['ENODEV', 'no such device'],
    ['ENOMEM', 'not enough memory'],
    ['ENOSPC', 'no space left on device'],
    ['ENOTCONN', 'socket is not connected'],
    ['EPERM', 'operation not permitted'],
    ['EROFS', 'read-only file system'],
    ['ESTALE', 'stale file handle'],
    ['ETIMEDOUT', 'connection timed out'],
    ['EBADMSG', `system error ${constants.errno.EBADMSG}`],
  ])('%s is trouble with the disk', (name, words) => {
    const write = (): unknown => use(failing(systemError(name)));
    expect(write).toThrow(PodrunError);
    expect(write).toThrow(`cannot use the log: ${words}`);
    expect(() => ifPossible(failing(systemError(name)))).not.toThrow();
  });

  it('is put into words, whatever stands in the way', () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    symlinkSync('circle', path.join(folder, 'circle'));
    mkdirSync(path.join(folder, 'folder'));
    const read = (name: string) => () => use(() => readFileSync(path.join(folder, name)));
    expect(read('folder')).toThrow('cannot use the log: is a directory');
    expect(read('circle')).toThrow('cannot use the log: too many symbolic links encountered');
    expect(read('n'.repeat(300))).toThrow('cannot use the log: name too long');
    expect(read('file/below')).toThrow('cannot use the log: not a directory');
    expect(read('missing')).toThrow('cannot use the log: no such file or directory');
  });
});

describe('a mistake of podrun', () => {
  it.each([
    ['a file that is not open', systemError('EBADF')],
    ['a call that does not exist', new TypeError('x is not a function')],
    ['an argument that Node refuses', Object.assign(new TypeError('bad'), { code: 'ERR_INVALID_ARG_TYPE' })],
  ])('is not blamed on the disk: %s', (_, error) => {
    expect(() => use(failing(error))).toThrow(error);
    expect(() => ifPossible(failing(error))).toThrow(error);
  });
});
