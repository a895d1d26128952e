import { execFileSync } from 'node:child_process';
import { chmodSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();

const once = (command: string[]) => ({ restartPolicy: 'Never' as const, containers: [{ name: 'main', command }] });

describe('the state directory', () => {
  it('is created for the user alone', async () => {
    await workshop.run(['apply', workshop.pod('first', once(['true']))]);
    expect(statSync(workshop.stateDir).mode & 0o777).toBe(0o700);
  });

  it('that is a file is reported in one sentence', async () => {
    const file = workshop.file('occupied', '');
    const manifest = workshop.pod('unlucky', once(['true']));
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--state-dir', file]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(file);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('that cannot be written is reported in one sentence', needs('a user bound by modes'), async () => {
    const folder = workshop.folderNamed('read-only');
    chmodSync(folder, 0o500);
    const manifest = workshop.pod('unlucky', once(['true']));
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--state-dir', folder]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(folder);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('on a read-only file system is reported in one sentence', needs('mounts for all'), async () => {
    const folder = workshop.folderNamed('mounted');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', folder]);
    try {
      const manifest = workshop.pod('unlucky', once(['true']));
      const { exitCode, stderr } = await workshop.run(['apply', manifest, '--state-dir', path.join(folder, 'state')]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('read-only file system');
      expect(stderr).not.toMatch(/^\s+at /m);
    } finally {
      execFileSync('umount', [folder]);
    }
  });

  it('that cannot be created there is reported in one sentence', needs('Linux'), async () => {
    const manifest = workshop.pod('unlucky', once(['true']));
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--state-dir', '/proc/podrun/state']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('cannot use the state folder /proc/podrun/state: no such file or directory');
  });

  it('whose log cannot be written is reported once, and the Pod keeps running', async () => {
    const log = path.join(workshop.stateDir, 'pods/default/mute/logs/main/0.log');
    // A folder in the place of the log file: podrun cannot open the log.
    const script = `mkdir -p ${log}; for n in 1 2 3; do echo line $n; sleep 0.02; done; exit 3`;
    const terminationMessagePolicy = 'FallbackToLogsOnError' as const;
    const main = { name: 'main', command: ['sh', '-c', script], terminationMessagePolicy };
    const manifest = workshop.pod('mute', { restartPolicy: 'Never', containers: [main] });
    const { exitCode, stdout, stderr } = await workshop.run(['apply', manifest]);
    expect(exitCode).toBe(1);
    for (const line of ['line 1', 'line 2', 'line 3', 'exited with code 3']) expect(stdout).toContain(line);
    expect(stderr).toMatch(
      new RegExp(`^Warning: cannot use the log ${log}: is a directory\n[^]*container main exited with code 3`),
    );
    expect(stderr.split('cannot use')).toHaveLength(2);
  });

  it('that is full ends the Pod and leaves no process', needs('mounts for all'), async () => {
    const folder = workshop.folderNamed('small');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]);
    try {
      const talkative = ['sh', '-c', 'while true; do echo "a line that fills the disk, one after the other"; done'];
      const podrun = workshop.start(['apply', workshop.pod('writer', once(talkative)), '--state-dir', folder]);
      await podrun.until(({ stderr }) => stderr.includes('no space left on device'));
      podrun.signal('SIGTERM');
      const { stderr } = await podrun.ended;
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(workshop.processes()).toEqual([]);
    } finally {
      execFileSync('umount', ['--lazy', folder]);
    }
  });
});

describe('a Pod name that is taken', () => {
  it('by an ended Pod goes to the new Pod', async () => {
    const manifest = workshop.pod('again', once(['true']));
    const uids = [];
    for (let round = 0; round < 2; round++) {
      expect(await workshop.run(['apply', manifest])).toMatchObject({ exitCode: 0 });
      const got = await workshop.run(['get', 'pod', 'again', '-o', 'json']);
      uids.push((JSON.parse(got.stdout) as { metadata: { uid: string } }).metadata.uid);
    }
    expect(new Set(uids).size).toBe(2);
  });
});
