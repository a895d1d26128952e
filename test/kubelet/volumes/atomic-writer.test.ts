import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeVolumeFiles } from '../../../src/kubelet/volumes/atomic-writer.ts';
import { filesOf, temporaryFolder } from './temporary-folder.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 0, 5);

/** Every visible file below a folder with its text, links followed. */
function visible(folder: string, below = ''): Record<string, string> {
  const names = readdirSync(path.join(folder, below)).filter((name) => !name.startsWith('..'));
  return Object.assign(
    {},
    ...names.map((name) => {
      const file = path.join(below, name);
      const place = path.join(folder, file);
      return statSync(place).isDirectory() ? visible(folder, file) : { [file]: readFileSync(place, 'utf8') };
    }),
  ) as Record<string, string>;
}

const own = (folder: string): string[] => readdirSync(folder).filter((name) => name.startsWith('..'));

it('lays files out as the kubelet does', () => {
  const folder = temporaryFolder();
  writeVolumeFiles(folder, filesOf({ a: '1', 'd/e/f': '2', 'd/g': '3' }), NOW);
  const dated = readlinkSync(path.join(folder, '..data'));
  expect(dated).toMatch(/^\.\.2026_01_31_12_00_05\.\w+$/);
  expect(own(folder).toSorted()).toEqual([dated, '..data'].toSorted());
  expect([readlinkSync(path.join(folder, 'a')), readlinkSync(path.join(folder, 'd'))]).toEqual([
    '..data/a',
    '..data/d',
  ]);
  expect(visible(folder)).toEqual({ a: '1', 'd/e/f': '2', 'd/g': '3' });
});

it('sets modes whatever the umask is', () => {
  const before = process.umask(0o077);
  onTestFinished(() => void process.umask(before));
  const folder = temporaryFolder();
  const files = new Map([...filesOf({ 'd/open': 'x' }, 0o666), ...filesOf({ shut: 'y' }, 0o000)]);
  writeVolumeFiles(folder, files, NOW);
  const modeOf = (name: string): string => (statSync(path.join(folder, name)).mode & 0o7777).toString(8);
  expect(['..data', 'd', 'd/open', 'shut'].map((name) => modeOf(name))).toEqual(['755', '755', '666', '0']);
});

it('writes nothing where nothing has changed', () => {
  const folder = temporaryFolder();
  writeVolumeFiles(folder, filesOf({ a: '1', 'd/e': '2' }), NOW);
  const before = [readlinkSync(path.join(folder, '..data')), statSync(folder).mtimeMs];
  writeVolumeFiles(folder, filesOf({ 'd/e': '2', a: '1' }), NOW + 60_000);
  expect([readlinkSync(path.join(folder, '..data')), statSync(folder).mtimeMs]).toEqual(before);
});

it.each([
  { name: 'a text', after: { a: 'x', 'd/e': '2' } },
  { name: 'a file more', after: { a: '1', 'd/e': '2', 'd/f': '3', b: '4' } },
  { name: 'a file less', after: { 'd/e': '2' } },
  { name: 'a folder for a file', after: { 'a/b': '1', d: '2' } },
  { name: 'nothing left', after: {} },
])('follows a change: $name', ({ after }) => {
  const folder = temporaryFolder();
  writeVolumeFiles(folder, filesOf({ a: '1', 'd/e': '2' }), NOW);
  const old = readlinkSync(path.join(folder, '..data'));
  writeVolumeFiles(folder, filesOf(after), NOW + 1000);
  expect(visible(folder)).toEqual(after);
  expect(existsSync(path.join(folder, old))).toBe(false);
  expect(own(folder)).toHaveLength(2);
});

it('leaves the old files in place when the new ones cannot be written', () => {
  const folder = temporaryFolder();
  writeVolumeFiles(folder, filesOf({ a: '1' }), NOW);
  expect(() => writeVolumeFiles(folder, filesOf({ a: '2', b: 'file', 'b/c': 'and folder' }), NOW)).toThrow('b');
  expect(visible(folder)).toEqual({ a: '1' });
  expect(own(folder)).toHaveLength(2);
});

it('clears away what a write that was cut short has left', () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, '..2026_01_01_00_00_00.abc'));
  symlinkSync('..2026_01_01_00_00_00.abc', path.join(folder, '..data_tmp'));
  writeVolumeFiles(folder, filesOf({ a: '1' }), NOW);
  expect(visible(folder)).toEqual({ a: '1' });
  expect(own(folder)).toHaveLength(2);
});

it('takes its places back from what containers put there, and touches nothing else', () => {
  const folder = temporaryFolder();
  const outside = temporaryFolder();
  writeFileSync(path.join(outside, 'precious'), 'kept');
  symlinkSync(outside, path.join(folder, '..data'));
  symlinkSync(path.join(outside, 'precious'), path.join(folder, 'a'));
  mkdirSync(path.join(folder, 'b/c'), { recursive: true });
  writeFileSync(path.join(folder, 'own'), 'of a container');
  writeVolumeFiles(folder, filesOf({ a: '1', b: '2' }), NOW);
  expect(visible(folder)).toEqual({ a: '1', b: '2', own: 'of a container' });
  expect(readFileSync(path.join(outside, 'precious'), 'utf8')).toBe('kept');
  expect(lstatSync(path.join(folder, 'a')).isSymbolicLink()).toBe(true);
});

const READER = `
  const fs = require('node:fs');
  const folder = process.argv[1];
  let seen = 0;
  process.stdout.write('ready');
  while (!fs.existsSync(folder + '/stop')) {
    let now;
    try {
      // Resolves ..data once, as a program does that keeps the folder open.
      const data = fs.realpathSync(folder + '/..data');
      now = [0, 1, 2, 3].map((n) => fs.readFileSync(data + '/f' + n, 'utf8'));
    } catch (error) {
      if (error.code === 'ENOENT') continue; // the folder was replaced meanwhile: look again
      throw error;
    }
    if (new Set(now).size !== 1) { process.stdout.write(' mixed ' + now); process.exit(1); }
    if (++seen === 10) process.stdout.write(' saw many');
  }
`;

it('shows all old files or all new ones to a program that reads meanwhile', async () => {
  const folder = temporaryFolder();
  const write = (n: number): void =>
    writeVolumeFiles(folder, filesOf(Object.fromEntries([0, 1, 2, 3].map((file) => [`f${file}`, `text ${n}`]))), NOW);
  write(0);
  const reader = spawn(process.execPath, ['-e', READER, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  reader.stdout.on('data', (text: Buffer) => (said += text.toString()));
  await once(reader.stdout, 'data');
  for (let n = 1; n <= 300 || (!said.includes('saw many') && reader.exitCode === null); n++) {
    write(n);
    await new Promise(setImmediate);
  }
  writeFileSync(path.join(folder, 'stop'), '');
  await once(reader, 'close');
  rmSync(path.join(folder, 'stop'));
  expect(said).toBe('ready saw many');
});
