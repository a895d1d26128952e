import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goQuote } from '../../src/api/go/go-quote.ts';
import {
  isPlainText,
  lookUpProgram,
  prepareWorkingDirectory,
  whyNotEnterable,
  whyNotLoadable,
} from '../../src/runtime/start/start-checks.ts';
import { needs } from '../needs.ts';

let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'podrun-checks-'));
  for (const folder of ['bin', 'other', 'bin/folder', 'work/deep']) mkdirSync(join(root, folder), { recursive: true });
  const write = (name: string, mode: number): void => writeFileSync(join(root, name), '#!/bin/sh\n', { mode });
  write('bin/tool', 0o755);
  write('other/tool', 0o755);
  write('bin/plain', 0o644);
  write('other/plain', 0o755);
  write('work/run.sh', 0o755);
  symlinkSync('loop', join(root, 'bin/loop'));
  symlinkSync('/nowhere', join(root, 'bin/dangling'));
  mkdirSync(join(root, 'locked'));
  chmodSync(join(root, 'locked'), 0o000);
});

afterAll(() => {
  chmodSync(join(root, 'locked'), 0o700);
  rmSync(root, { recursive: true });
});

const pathOf = (path: string): string => path;

describe('lookUpProgram()', () => {
  const within = (text: string): string => text.replaceAll('ROOT', root);

  it.each([
    { title: 'takes the first of PATH', name: 'tool', path: 'ROOT/bin:ROOT/other', file: 'ROOT/bin/tool' },
    { title: 'continues where there is none', name: 'tool', path: '/nowhere:ROOT/other', file: 'ROOT/other/tool' },
    { title: 'skips a file without x', name: 'plain', path: 'ROOT/bin:ROOT/other', file: 'ROOT/other/plain' },
    { title: 'takes a path as it stands', name: 'ROOT/bin/tool', path: '', file: 'ROOT/bin/tool' },
    { title: 'takes a path relative to the working directory', name: './run.sh', path: '', file: './run.sh' },
    { title: 'takes a path that leads upwards', name: '../bin/tool', path: '', file: '../bin/tool' },
  ])('$title', ({ name, path, file }) => {
    const request = { name: within(name), cwd: join(root, 'work'), searchPath: within(path), pathOf };
    expect(lookUpProgram(request)).toEqual({ ok: true, file: within(file) });
  });

  it.each([
    { name: 'nope', path: 'ROOT/bin', why: 'executable file not found in $PATH' },
    { name: 'tool', path: '', why: 'executable file not found in $PATH' },
    { name: 'tool', path: undefined, why: 'executable file not found in $PATH' },
    { name: 'folder', path: 'ROOT/bin', why: 'executable file not found in $PATH' },
    { name: 'plain', path: 'ROOT/bin', why: 'executable file not found in $PATH' },
    { name: '', path: 'ROOT/bin', why: 'executable file not found in $PATH' },
    { name: 'run.sh', path: '/nowhere:', why: 'cannot run executable found relative to current directory' },
    { name: 'run.sh', path: '.', why: 'cannot run executable found relative to current directory' },
    { name: '/no/such/binary', path: '', why: 'stat /no/such/binary: no such file or directory' },
    { name: './nope', path: '', why: 'stat ./nope: no such file or directory' },
    { name: '/etc', path: '', why: 'permission denied' },
    { name: '/etc/passwd', path: '', why: 'permission denied' },
    { name: '/etc/passwd/x', path: '', why: 'stat /etc/passwd/x: not a directory' },
    { name: 'ROOT/bin/loop', path: '', why: 'stat ROOT/bin/loop: too many levels of symbolic links' },
    { name: 'ROOT/bin/dangling', path: '', why: 'stat ROOT/bin/dangling: no such file or directory' },
    { name: `/${'x'.repeat(300)}`, path: '', why: `stat /${'x'.repeat(300)}: file name too long` },
    { name: '/a\0b', path: '', why: 'stat /a\0b: invalid argument' },
  ])('refuses $name along $path', ({ name, path, why }) => {
    const request = { name: within(name), cwd: join(root, 'work'), searchPath: path && within(path), pathOf };
    const error = `exec: ${goQuote(within(name))}: ${within(why)}`;
    expect(lookUpProgram(request)).toEqual({ ok: false, error });
  });
});

describe('whyNotLoadable()', () => {
  it.each([
    { content: '#!/bin/sh\n', errno: undefined },
    { content: '#! /bin/sh -e\n', errno: undefined },
    { content: '#!/no/such/interpreter\n', errno: 'ENOENT' },
    { content: '#!/etc/passwd\n', errno: 'EACCES' },
    { content: '#!/etc\n', errno: 'EACCES' },
    { content: 'echo hello\n', errno: 'ENOEXEC' },
    { content: '\0elf', errno: undefined },
  ])('of a file with $content: $errno', ({ content, errno }) => {
    writeFileSync(join(root, 'script'), content, { mode: 0o755 });
    expect(whyNotLoadable('./script', root, pathOf)).toBe(errno);
  });

  it('looks where the container sees it', () => {
    mkdirSync(join(root, 'inside/opt'), { recursive: true });
    writeFileSync(join(root, 'inside/opt/tool'), '#!/opt/interpreter\n', { mode: 0o755 });
    const inside = (path: string): string => join(root, 'inside', path);
    expect(whyNotLoadable('/opt/tool', '/', inside)).toBe('ENOENT');
    writeFileSync(join(root, 'inside/opt/interpreter'), '', { mode: 0o755 });
    expect(whyNotLoadable('/opt/tool', '/', inside)).toBeUndefined();
  });
});

describe('prepareWorkingDirectory()', () => {
  it('makes nothing outside of the container, whichever process swaps folders for links', needs('Linux'), () => {
    const [inside, outside] = ['inside', 'outside'].map((name) => join(root, 'swapped', name)) as [string, string];
    mkdirSync(join(inside, 'data'), { recursive: true });
    mkdirSync(outside);
    let hasParent = false;
    const swapping = (path: string): string => {
      const place = join(inside, path);
      if (hasParent && path !== '/data') {
        rmSync(join(inside, 'data'), { recursive: true, force: true });
        symlinkSync(outside, join(inside, 'data'));
      }
      hasParent ||= path === '/data';
      return place;
    };
    prepareWorkingDirectory('/data/made', swapping);
    expect(existsSync(join(outside, 'made'))).toBe(false);
  });

  it('makes what is missing, with its parents', () => {
    const path = join(root, 'new/deeper/still');
    expect(prepareWorkingDirectory(path, pathOf)).toBeUndefined();
    expect(statSync(path).isDirectory()).toBe(true);
    expect(prepareWorkingDirectory(path, pathOf)).toBeUndefined();
  });

  it.each([
    { path: '/etc/passwd', error: 'workingDir: mkdir /etc/passwd: not a directory' },
    { path: '/etc/passwd/a/b', error: 'workingDir: mkdir /etc/passwd: not a directory' },
    { path: '/proc/nope/x', error: 'workingDir: mkdir /proc/nope: no such file or directory' },
    { path: '/tmp/a\0b', error: 'workingDir: mkdir /tmp/a\0b: invalid argument' },
  ])('names the culprit of $path', ({ path, error }) => {
    expect(prepareWorkingDirectory(path, pathOf)).toBe(error);
  });

  it('tells of a directory that may not be entered', needs('a user bound by modes'), () => {
    const path = join(root, 'locked');
    const error = `chdir to cwd ("${path}") set in config.json failed: permission denied`;
    expect(prepareWorkingDirectory(path, pathOf)).toBe(error);
    expect(prepareWorkingDirectory(join(path, 'x'), pathOf)).toBe(`workingDir: mkdir ${path}/x: permission denied`);
  });
});

describe('whyNotEnterable()', () => {
  it('makes nothing', () => {
    const path = join(root, 'not-made');
    expect(whyNotEnterable(path, pathOf)).toBe(
      `chdir to cwd ("${path}") set in config.json failed: no such file or directory`,
    );
    expect(existsSync(path)).toBe(false);
    expect(whyNotEnterable('/etc/passwd', pathOf)).toMatch(/: not a directory$/);
    expect(whyNotEnterable(root, pathOf)).toBeUndefined();
  });
});

describe('isPlainText()', () => {
  it.each([
    { content: '#!/bin/sh\n', plain: false },
    { content: 'echo hello\n', plain: true },
    { content: '', plain: true },
    { content: '\0asm', plain: false },
    { content: '\u00ef\u00bb\u00bf#!/bin/sh\n', plain: true },
  ])('of a file with $content: $plain', ({ content, plain }) => {
    writeFileSync(join(root, 'program'), Buffer.from(content, 'latin1'), { mode: 0o755 });
    expect(isPlainText('./program', root, pathOf)).toBe(plain);
  });

  it('knows binaries, and leaves what it cannot read to the kernel', () => {
    expect(isPlainText(process.execPath, '/', pathOf)).toBe(false);
    expect(isPlainText('/nowhere', '/', pathOf)).toBe(false);
  });
});
