import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NamespaceFacts } from '../../../../src/runtime/features.ts';
import { containerView } from '../../../../src/runtime/linux/namespace/container-view.ts';
import type { HostMount } from '../../../../src/runtime/linux/namespace/host-mounts.ts';

const ROOT: HostMount = { path: '/', device: '8:1', root: '/', type: 'ext4', options: ['rw'] };
const facts = { mode: 'user', hasOwnProc: true, layers: 'disk' } as NamespaceFacts;

/** The mount of /usr in a container of an ordinary user: its type and options. */
function usr(others: readonly HostMount[], isRootReadOnly = false): string {
  const layerDir = path.join(mkdtempSync(path.join(tmpdir(), 'podrun-view-')), 'layer');
  onTestFinished(() => rmSync(path.dirname(layerDir), { recursive: true, force: true }));
  const pod = { uid: 'u', hostname: 'h', sharesMemory: false, sharesProcesses: false };
  const view = containerView({
    confinement: {
      pod: { ...pod, hostProcesses: false, hostIPC: false },
      layerDir,
      processesOf: undefined,
      mounts: [],
      shared: [],
      isRootReadOnly,
      hasAllDevices: false,
      areKernelFilesOpen: false,
      hidden: [],
      strictPid1: false,
    },
    facts,
    hostMounts: [ROOT, ...others],
    processes: 'own',
    commonDevices: undefined,
    sharedMemory: undefined,
    programs: undefined,
  });
  const entry = view.entries.find(({ target }) => target === `${view.root}/./usr`);
  const isReadOnly = entry?.options.includes('ro') === true;
  return `${entry?.type === 'overlay' ? 'copy' : 'as it is'}${isReadOnly ? ', read-only' : ''}`;
}

describe.skipIf(process.platform !== 'linux')('a folder of the host, for an ordinary user', () => {
  const at = (place: string, type = 'ext4'): HostMount => ({
    path: place,
    device: '8:2',
    root: '/',
    type,
    options: ['rw'],
  });

  it.each([
    ['is a copy', [], false, 'copy'],
    ['is a copy that cannot be written to', [], true, 'copy, read-only'],
    ['is a copy when it is a file system of its own', [at('/usr')], false, 'copy'],
    ['is as it is when something is mounted in it', [at('/usr/local')], false, 'as it is'],
    ['is read-only all the same', [at('/usr/local')], true, 'as it is, read-only'],
    ['is as it is when its file system cannot be copied', [at('/usr', 'nfs4')], false, 'as it is'],
  ] as const)('%s', (_what, others, isRootReadOnly, seen) => {
    expect(usr(others, isRootReadOnly)).toBe(seen);
  });
});
