import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInScope, type ScopeFacts, wantsScope } from '../../../../src/runtime/linux/cgroup/scope.ts';
import { needs } from '../../../needs.ts';

const USER: ScopeFacts = {
  platform: 'linux',
  isRoot: false,
  canLimit: false,
  hasReadInput: false,
  env: { XDG_RUNTIME_DIR: '/run/user/1000' },
  exists: (file) => file === '/run/user/1000/systemd/private',
};

describe('podrun wants a scope of systemd', () => {
  it.each<[string, Partial<ScopeFacts>, boolean]>([
    ['as an ordinary user with a systemd', {}, true],
    ['not as root, who may make groups anywhere', { isRoot: true }, false],
    ['not where limits hold already', { canLimit: true }, false],
    ['not when the manifest came through the standard input', { hasReadInput: true }, false],
    ['not without a systemd of the user', { exists: () => false }, false],
    ['not without a folder of the session', { env: {} }, false],
    ['not in a scope that it was started in', { env: { ...USER.env, PODRUN_SCOPE: '1' } }, false],
    ['not on macOS', { platform: 'darwin' }, false],
  ])('%s', (_, facts, want) => {
    expect(wantsScope({ ...USER, ...facts })).toBe(want);
  });
});

describe('in a scope', needs('Linux'), () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'podrun-scope-'));
    mkdirSync(path.join(folder, 'systemd'));
    writeFileSync(path.join(folder, 'systemd/private'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** @param script stands for systemd-run */
  const run = (script: string): Promise<number | undefined> => {
    const program = path.join(folder, 'systemd-run');
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
    const env = { XDG_RUNTIME_DIR: folder, PATH: `${folder}:${process.env['PATH']}` };
    return runInScope({
      facts: { isRoot: false, canLimit: false, hasReadInput: false, env },
      argv: ['sh', '-c', 'exit 7'],
      cwd: folder,
      interactive: false,
      onSignal: () => undefined,
    });
  };

  it('podrun is run again, once, and its exit code is ours', async () => {
    const log = path.join(folder, 'log');
    const script = `echo "$PODRUN_SCOPE $*" >>${log}; while [ "$1" != -- ]; do shift; done; shift; exec "$@"`;
    expect(await run(script)).toBe(7);
    const options = '1 --user --scope --quiet --collect -p Delegate=yes --';
    expect(readFileSync(log, 'utf8')).toBe(`${options} true\n${options} sh -c exit 7\n`);
  });

  it('it stays in its group when systemd refuses', async () => {
    expect(await run('exit 1')).toBeUndefined();
  });
});
