import { hostname, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readNode } from '../../../src/settings/config/this-node.ts';
import { parseQuantity, quantityValue } from '../../../src/api/quantity.ts';
import { schedule } from '../../../src/lifecycle/scheduling/schedule.ts';
import { podWith, requesting } from '../../lifecycle/base-objects.ts';

const node = readNode({
  storageDir: join(tmpdir(), 'not/made/yet'),
  labels: { disk: 'ssd', 'kubernetes.io/os': 'beos' },
});
const amount = (name: string): number => Number(quantityValue(parseQuantity(node.allocatable[name] ?? '0')));

describe('readNode()', () => {
  it('says in the words of Kubernetes what this machine is', () => {
    const name = hostname().toLowerCase();
    const arch = process.arch === 'x64' ? 'amd64' : process.arch;
    const { labels } = readNode({ storageDir: tmpdir() });
    expect(node.name).toBe(name);
    expect(labels['kubernetes.io/hostname']).toBe(name);
    expect(labels['kubernetes.io/os']).toBe(process.platform);
    expect(labels['beta.kubernetes.io/os']).toBe(process.platform);
    expect(labels['kubernetes.io/arch']).toBe(arch);
    expect(labels['beta.kubernetes.io/arch']).toBe(arch);
  });

  it('lets labels of the configuration win', () => {
    expect(node.labels).toMatchObject({ disk: 'ssd', 'kubernetes.io/os': 'beos' });
  });

  it('shares out what the machine has', () => {
    expect(amount('cpu')).toBeGreaterThanOrEqual(1);
    expect(amount('memory')).toBeGreaterThan(64 * 1024 * 1024);
    expect(amount('memory')).toBeLessThanOrEqual(totalmem());
    expect(amount('pods')).toBe(110);
  });

  it('knows the size of a disk that a folder will be on', () => {
    expect(amount('ephemeral-storage')).toBeGreaterThan(0);
    const verdict = (bytes: string): string =>
      schedule(podWith({ containers: [requesting({ 'ephemeral-storage': bytes })] }), {
        nodes: [node],
        placed: [],
      }).type;
    expect([verdict('1'), verdict('1E')]).toEqual(['fits', 'waits']);
  });
});
