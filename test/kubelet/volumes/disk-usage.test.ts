import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskUsage } from '../../../src/kubelet/volumes/disk-usage.ts';
import { temporaryFolder } from './temporary-folder.ts';

const KI = 1024;

function put(folder: string, name: string, bytes: number): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, Buffer.alloc(bytes, 1));
  return file;
}

describe('diskUsage()', () => {
  it('counts what du counts: folders, and a file with two names once', async () => {
    const folder = temporaryFolder();
    linkSync(put(folder, 'a/b/file', 300 * KI), path.join(folder, 'again'));
    put(folder, 'other', 10 * KI);
    const du = Number(execFileSync('du', ['-skx', folder], { encoding: 'utf8' }).split('\t')[0]);
    expect(await diskUsage(folder, Infinity)).toBe(du * KI);
  });

  it('does not follow links', async () => {
    const folder = temporaryFolder();
    const elsewhere = temporaryFolder();
    put(elsewhere, 'large', 500 * KI);
    symlinkSync(elsewhere, path.join(folder, 'link'));
    symlinkSync(folder, path.join(folder, 'round'));
    expect(await diskUsage(folder, Infinity)).toBeLessThan(100 * KI);
  });

  it('counts no further than it has to', async () => {
    const folder = temporaryFolder();
    for (let index = 0; index < 5; index++) put(folder, `file-${index}`, 100 * KI);
    const counted = await diskUsage(folder, 150 * KI);
    expect(counted).toBeGreaterThan(150 * KI);
    expect(counted).toBeLessThan(350 * KI);
  });

  it('finds nothing where nothing is', async () => {
    expect(await diskUsage('/nowhere/at/all', Infinity)).toBe(0);
  });
});
