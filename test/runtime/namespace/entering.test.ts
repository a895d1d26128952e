import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../src/clock.ts';
import { detectNamespaces } from '../../../src/runtime/detection/namespaces.ts';
import { Namespaces } from '../../../src/runtime/namespace/namespaces.ts';
import type { ContainerLaunch } from '../../../src/runtime/runtime.ts';

const clock = new SystemClock();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-entering-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A container that sees a folder with the file `here` at /only-inside, and nothing else of its own. */
function launch(): ContainerLaunch {
  const volume = path.join(folder, 'volume');
  mkdirSync(volume);
  writeFileSync(path.join(volume, 'here'), 'inside\n');
  return {
    id: 'uid/app/0',
    argv: ['true'],
    env: {},
    cwd: '/',
    stdin: false,
    onOutput: () => undefined,
    onExit: () => undefined,
    confinement: {
      pod: {
        uid: 'uid',
        hostname: undefined,
        sharesMemory: false,
        sharesProcesses: false,
        hostProcesses: false,
        hostIPC: false,
      },
      layerDir: path.join(folder, 'layer'),
      processesOf: undefined,
      mounts: [{ source: volume, target: '/only-inside', isReadOnly: false }],
      shared: [],
      isRootReadOnly: false,
      hasAllDevices: false,
      strictPid1: false,
    },
  };
}

describe.each(['root', 'user'] as const)('whoever enters a container, made as %s', (mode) => {
  it('is inside at once, however long the old root takes to go, and may make user namespaces', async (context) => {
    const userPath = process.env['PATH'];
    const detection = await detectNamespaces({ stateDir: folder, clock, version: 'test', userPath });
    context.skip(!detection.ok, 'namespaces are not permitted here');
    if (!detection.ok) return;
    context.skip(mode === 'root' && detection.facts.mode === 'user', 'only root can');
    const { tools } = detection.facts;
    const umount = path.join(folder, 'umount');
    writeFileSync(umount, `#!/bin/sh\nsleep 0.3\nexec ${tools.umount} "$@"\n`, { mode: 0o755 });
    const facts = { ...detection.facts, mode, tools: { ...tools, umount } };
    const opened = await new Namespaces({ facts, clock }).open(launch());
    if (!opened.ok) throw new Error(opened.error);
    const command = [tools.unshare, '--user', '--map-user=7', '--map-group=7', 'cat', '/only-inside/here'] as const;
    const env = { PATH: userPath ?? '' };
    const { file, argv } = opened.inside.enter({ file: tools.unshare, argv: command, env, cwd: '/' });
    const { stdout, stderr } = spawnSync(file, argv.slice(1), { encoding: 'utf8', env });
    await opened.inside.end();
    expect({ stdout, stderr }).toEqual({ stdout: 'inside\n', stderr: '' });
  });
});
