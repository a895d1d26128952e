import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { SystemClock } from '../../../../src/clock.ts';
import { detectNamespaces } from '../../../../src/runtime/linux/detection/namespaces.ts';
import type { NamespaceFacts } from '../../../../src/runtime/base/features.ts';
import type { Inside } from '../../../../src/runtime/base/inside.ts';
import { Namespaces } from '../../../../src/runtime/linux/namespaces.ts';
import type { ContainerLaunch } from '../../../../src/runtime/base/runtime.ts';
import { need } from '../../../needs.ts';
import { removeTree } from '../../../../src/remove-tree.ts';

const clock = new SystemClock();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-entering-'));
});
afterEach(() => removeTree(folder));

/** A container with a folder of its own at /only-inside, which has the file `here`. */
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
      areKernelFilesOpen: false,
      hidden: [],
      strictPid1: false,
    },
  };
}

const env = { PATH: process.env['PATH'] ?? '' };

/** The facts of this machine. Skips the test where such containers are not possible. */
async function factsFor(mode: NamespaceFacts['mode'], context: TestContext): Promise<NamespaceFacts> {
  const detection = await detectNamespaces({ stateDir: folder, clock, version: 'test', userPath: env.PATH });
  need(context, 'namespaces', ...(mode === 'root' ? (['root'] as const) : []));
  if (!detection.ok) throw new Error(detection.why.type);
  return { ...detection.facts, mode };
}

async function open(facts: NamespaceFacts, capabilities?: readonly string[]): Promise<Inside> {
  const who = { uid: undefined, gid: undefined, groups: undefined, noNewPrivileges: false };
  const opened = await new Namespaces({ facts, clock }).open({ ...launch(), identity: { ...who, capabilities } }, []);
  if (!opened.ok) throw new Error(opened.error);
  return opened.inside;
}

function run(inside: Inside, program: string, command: readonly [string, ...string[]]) {
  const { file, argv } = inside.enter({ file: program, argv: command, env, cwd: '/' });
  const { stdout, stderr } = spawnSync(file, argv.slice(1), { encoding: 'utf8', env });
  return { stdout, stderr };
}

describe.each(['root', 'user'] as const)('a program that enters a container, made as %s', (mode) => {
  it('is inside at once, however long its holder takes to settle, and may make user namespaces', async (context) => {
    const facts = await factsFor(mode, context);
    const { tools } = facts;
    const slow = path.join(folder, 'env');
    writeFileSync(slow, `#!/bin/sh\nsleep 0.3\nexec ${tools.env} "$@"\n`, { mode: 0o755 });
    const inside = await open({ ...facts, tools: { ...tools, env: slow } });
    const command = [tools.unshare, '--user', '--map-user=7', '--map-group=7', 'cat', '/only-inside/here'] as const;
    const said = run(inside, tools.unshare, command);
    await inside.end();
    expect(said).toEqual({ stdout: 'inside\n', stderr: '' });
  });

  it('may have fewer rights than its holder, which gives up its own at any time', async (context) => {
    const facts = await factsFor(mode, context);
    const { tools } = facts;
    const generous = path.join(folder, 'setpriv');
    const keepsAll = '[ "$1" != --bounding-set=-all ] || { shift 2; exec "$@"; }';
    writeFileSync(generous, `#!/bin/sh\n${keepsAll}\nexec ${tools.setpriv} "$@"\n`, { mode: 0o755 });
    const inside = await open({ ...facts, tools: { ...tools, setpriv: generous } }, ['chown', 'kill']);
    const said = run(inside, tools.sh, ['sh', '-c', 'cat only-inside/here']);
    await inside.end();
    expect(said.stdout).toBe('inside\n');
  });

  it('writes to memory where a disk takes no layers, and finds its mount points all the same', async (context) => {
    const facts = await factsFor(mode, context);
    // It writes to a folder of root's.
    need(context, 'root', { overlays: facts.layers !== undefined });
    const inside = await open({ ...facts, layers: 'tmpfs' });
    const script =
      'cat /only-inside/here; echo written >/var/in-layer; cat /var/in-layer; echo more >>/only-inside/here';
    const said = run(inside, facts.tools.sh, ['sh', '-c', script]);
    const files = readdirSync(path.join(folder, 'layer'), { recursive: true, encoding: 'utf8' });
    await inside.end();
    expect(said).toEqual({ stdout: 'inside\nwritten\n', stderr: '' });
    expect(files.filter((file) => file.endsWith('in-layer'))).toEqual([]);
    expect(readFileSync(path.join(folder, 'volume', 'here'), 'utf8')).toBe('inside\nmore\n');
    expect(existsSync('/var/in-layer')).toBe(false);
    expect(existsSync(path.join(folder, 'layer'))).toBe(false);
  });

  it('is looked for where its links lead now, also when a program inside has changed them', async (context) => {
    const facts = await factsFor(mode, context);
    const inside = await open(facts);
    const link = (to: string): unknown =>
      run(inside, facts.tools.sh, ['sh', '-c', `ln -sfn ${to} /only-inside/link && echo ${to} >/only-inside/link`]);
    const read = (): string => readFileSync(inside.pathOf('/only-inside/link'), 'utf8');
    link('/only-inside/one');
    const before = read();
    link('/only-inside/two');
    const after = read();
    await inside.end();
    expect([before, after]).toEqual(['/only-inside/one\n', '/only-inside/two\n']);
  });
});
