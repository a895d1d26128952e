import { spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, symlinkSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { fileIdentity } from '../../../../src/runtime/start/open-beneath.ts';
import { checkMounts } from '../../../../src/runtime/linux/namespace/check-mounts.ts';
import { needs } from '../../../needs.ts';

/** Checks a mount. A process stands for the holder: its working directory is the root of the container. */
function check(target: string, identity: string | undefined): Promise<string> {
  let said = 'fine';
  const holder = { pid: atRoot.pid ?? 0, ended: Promise.resolve(), kill: () => void (said = 'killed') };
  const mounts = [{ source: '/somewhere', target, isReadOnly: false, identity }];
  return checkMounts(holder, mounts).then(
    () => said,
    (error: Error) => `${said}: ${error.message}`,
  );
}

const atRoot = spawn('sleep', ['100'], { cwd: '/', stdio: 'ignore' });
afterAll(() => atRoot.kill());

describe('what is mounted', needs('Linux'), () => {
  it('is what was found, or the container does not start', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'podrun-mounts-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [wanted, other] = [path.join(folder, 'wanted'), path.join(folder, 'other')];
    for (const made of [wanted, other]) mkdirSync(made);
    symlinkSync('wanted', path.join(folder, 'alias'));
    const identity = fileIdentity(wanted);
    expect(await check(wanted, identity)).toBe('fine');
    expect(await check(path.join(folder, 'alias'), identity)).toBe('fine');
    expect(await check(other, undefined)).toBe('fine');
    const refusal = (target: string): string =>
      `killed: mount /somewhere at ${target}: another file has replaced its source`;
    expect(await check(other, identity)).toBe(refusal(other));
    renameSync(wanted, path.join(folder, 'moved'));
    expect(await check(wanted, identity)).toBe(refusal(wanted));
  });
});
