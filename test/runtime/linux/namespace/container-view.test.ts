import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NamespaceFacts } from '../../../../src/runtime/base/features.ts';
import { containerView } from '../../../../src/runtime/linux/namespace/container-view.ts';
import type { HostMount } from '../../../../src/runtime/linux/paths/host-mounts.ts';
import { needs } from '../../../needs.ts';

const ROOT: HostMount = { path: '/', device: '8:1', root: '/', type: 'ext4', options: ['rw'] };
const facts = { mode: 'user', hasOwnProc: true, layers: 'disk' } as NamespaceFacts;

interface Asked {
  readonly mode?: NamespaceFacts['mode'];
  readonly isRootReadOnly?: boolean;
  readonly imageFolder?: string;
}

/** The mount of /usr in a container, of an ordinary user by default: its type and options. */
function usr(others: readonly HostMount[], { mode = 'user', isRootReadOnly = false, imageFolder }: Asked = {}): string {
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
    facts: { ...facts, mode },
    hostMounts: [ROOT, ...others],
    processes: 'own',
    commonDevices: undefined,
    sharedMemory: undefined,
    imageFolder,
    programs: undefined,
  });
  const { entries, root } = view.mounts;
  const entry = entries.find(({ target }) => target === `${root}/./usr`);
  const isReadOnly = entry?.options.includes('ro') === true;
  const covered = entry?.options.some((option) => option.startsWith('lowerdir=files-whole/usr:')) === true;
  const words = [entry?.type === 'overlay' ? 'copy' : 'as it is', isReadOnly && 'read-only', covered && 'covered'];
  return words.filter((word) => word !== false).join(', ');
}

describe('a folder of the host, for an ordinary user', needs('Linux'), () => {
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
    expect(usr(others, { isRootReadOnly })).toBe(seen);
  });

  it.each([
    ['user', [], 'copy, covered'],
    ['user', [at('/usr')], 'copy, covered'],
    ['user', [at('/usr/local')], 'Error: /usr has /usr/local mounted in it, which only root can leave out, …'],
    ['user', [at('/usr', 'nfs4')], 'Error: /usr has a file system of type nfs4, …'],
    ['root', [at('/usr')], 'copy, covered'],
    ['root', [at('/usr'), at('/usr/local')], 'copy, covered'],
    ['root', [{ ...at('/usr'), options: ['ro'] }], 'copy, covered'],
    ['root', [at('/usr', 'nfs4')], 'Error: /usr has a file system of type nfs4, …'],
  ] as const)('has files of an image over it, or says why not: mode %s, mounts %j', (mode, others, want) => {
    const imageFolder = mkdtempSync(path.join(tmpdir(), 'podrun-view-'));
    onTestFinished(() => rmSync(imageFolder, { recursive: true, force: true }));
    mkdirSync(path.join(imageFolder, 'usr/bin'), { recursive: true });
    const seen = (): string => {
      try {
        return usr(others, { mode, imageFolder });
      } catch (error) {
        return String(error).replace(
          'so no files of the image map can lie over it: move them elsewhere in their folder',
          '…',
        );
      }
    };
    expect(seen()).toBe(want);
  });
});
