import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { madeOnHostFile, removeLayer, removeLeftLayers } from '../../../../src/runtime/linux/namespace/layers.ts';

it('removes layers that a killed podrun has left, and what was made on the host for them, if it is empty', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'podrun-layers-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const made = ['data', 'data/inner', 'file', 'used', 'full'].map((name) => path.join(root, name));
  for (const folder of [0, 1, 3]) mkdirSync(made[folder] ?? '');
  writeFileSync(made[2] ?? '', '');
  writeFileSync(made[4] ?? '', 'text');
  writeFileSync(path.join(root, 'used/text'), 'text');
  const layer = path.join(root, 'layers/main/0');
  mkdirSync(path.join(layer, 'work/0/work'), { recursive: true });
  const torn = '"/tor';
  writeFileSync(madeOnHostFile(layer), made.map((file) => `${JSON.stringify(file)}\n`).join('') + torn);
  await removeLeftLayers(path.join(root, 'layers'));
  expect(readdirSync(root).toSorted()).toEqual(['full', 'used']);
  await removeLeftLayers(path.join(root, 'layers'));
  expect(existsSync(path.join(root, 'layers'))).toBe(false);
});

it('removes nothing behind a link that a container has put above a mount point', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'podrun-layers-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['outside/folder', 'volume']) mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, 'outside/file'), '');
  symlinkSync(path.join(root, 'outside'), path.join(root, 'volume/swap'));
  const made = ['folder', 'file'].map((name) => path.join(root, 'volume/swap', name));
  await removeLayer(path.join(root, 'layer'), made);
  expect(readdirSync(path.join(root, 'outside')).toSorted()).toEqual(['file', 'folder']);
});
