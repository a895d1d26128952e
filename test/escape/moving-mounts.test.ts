import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { APART, attemptIn, escaping, run, start, works } from './worlds.ts';
import { need, needs } from '../needs.ts';

const ROUNDS = 2;
const AT_A_TIME = 4;

/** The mount table changes hundreds of times a second. More loops at once would take the CPU from the starts. */
const CHURN = 'while :; do mount -t tmpfs podrun-churn "$1" && umount "$1"; done';
const DEAD = 'exec 3<>/dev/fuse; mount -i -n -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 podrun-dead "$1"';

describe.each(APART)('starts of $who', needs('mounts for all'), (world) => {
  it('do not fail when mounts of the host come and go', async (context) => {
    const attempts = Array.from({ length: AT_A_TIME }, () => attemptIn(context, world));
    const folder = path.join('/mnt', `podrun-${process.pid}-${world.who}`);
    expect(works(['mkdir', folder])).toBe(true);
    const loop = spawn('sh', ['-c', CHURN, 'sh', folder], { stdio: 'ignore', detached: true });
    context.onTestFinished(async () => {
      process.kill(-(loop.pid ?? 0), 'SIGKILL');
      await new Promise((resolve) => loop.once('close', resolve));
      while (works(['mountpoint', '-q', folder]) && works(['umount', '-l', folder]));
      works(['rmdir', folder]);
    });
    for (let round = 0; round < ROUNDS; round++) {
      const outputs = await Promise.all(attempts.map((attempt) => run(attempt, escaping('echo ran'))));
      expect(outputs.flat()).toEqual(attempts.map(() => 'ran'));
    }
  });

  it('do not fail with a mount below /run, as most machines have it', async (context) => {
    const attempt = attemptIn(context, world);
    const [folder, file] = [`/run/podrun-folder-${process.pid}`, `/run/podrun-file-${process.pid}`];
    expect(works(['mkdir', folder]) && works(['sh', '-c', `echo kept >${file} && chmod 644 ${file}`])).toBe(true);
    context.onTestFinished(() => void (works(['rmdir', folder]), works(['rm', file])));
    // The mount is in a mount namespace of podrun's.
    const mounted = ['unshare', '--mount', 'sh', '-c', `mount -t tmpfs x ${folder} && exec "$@"`, 'sh'];
    const account = '/run/secrets/kubernetes.io/serviceaccount';
    const script = `cat ${file} ${account}/namespace; echo; ls -d ${folder} /var/run/lock`;
    const pod = attempt.workshop.pod('web', escaping(script));
    const { stdout } = await start(attempt, ['apply', '-f', pod], mounted).ended;
    expect(stdout.split('\n').flatMap((line) => /│ main +(.*)/.exec(line)?.[1] ?? [])).toEqual([
      'kept',
      'default',
      folder,
      '/var/run/lock',
    ]);
  });

  it('do not fail because of a file system that does not answer any more', async (context) => {
    const attempt = attemptIn(context, world);
    const [shared, other] = [path.join(attempt.workshop.folder, 'dead'), `/mnt/podrun-dead-${process.pid}`];
    for (const folder of [shared, other]) {
      expect(works(['mkdir', folder])).toBe(true);
      context.onTestFinished(() => void (works(['umount', '-l', folder]), works(['rmdir', folder])));
      need(context, { 'mounts of FUSE': works(['sh', '-c', DEAD, 'sh', folder]) });
    }
    expect(await run(attempt, escaping('echo ran'))).toEqual(['ran']);
    const securityContext = { readOnlyRootFilesystem: true };
    expect(await run(attempt, escaping('echo ran', { securityContext }))).toEqual(['ran']);
    mkdirSync(path.join(attempt.workshop.folder, 'alive'));
  });
});
