import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { APART, type Attempt, attemptIn, escaping, ROOT_APART, run, start, works } from './worlds.ts';
import { giveAllToOrdinaryUser } from '../ordinary-user.ts';
import { needs } from '../needs.ts';

const listing = (place: string): string =>
  `ls -A ${place} 2>/dev/null | head -3; ls ${place}/pods 2>/dev/null | head -3; echo end`;
const hostPath = (place: string) => ({
  volumes: [{ name: 'host', hostPath: { path: place } }],
});
const atHost = { volumeMounts: [{ name: 'host', mountPath: '/host' }] };

describe.concurrent.each(APART)('the state folder, for a container of $who, $tier tier', (world) => {
  const stateOf = ({ workshop }: Attempt): string => workshop.stateDir;

  it('is not seen in the folder that podrun was started in, nor in the home folder', async (context) => {
    const attempt = attemptIn(context, world);
    expect(await run(attempt, escaping(listing(stateOf(attempt))))).toEqual(['end']);
  });

  it('is not seen where its parents are copies, or read-only', async (context) => {
    const attempt = attemptIn(context, world);
    expect(await run(attempt, escaping(listing(stateOf(attempt))), ['--isolate'])).toEqual(['end']);
    const securityContext = { readOnlyRootFilesystem: true };
    expect(await run(attempt, escaping(listing(stateOf(attempt)), { securityContext }))).toEqual(['end']);
  });

  it('is not seen in a hostPath volume of a parent, or of a link to it', async (context) => {
    const attempt = attemptIn(context, world);
    symlinkSync(attempt.workshop.folder, path.join(attempt.workshop.folder, 'link'));
    for (const place of [attempt.workshop.folder, path.join(attempt.workshop.folder, 'link')]) {
      expect(await run(attempt, escaping(listing('/host/state'), atHost, hostPath(place)))).toEqual(['end']);
    }
    const parent = path.dirname(attempt.workshop.folder);
    const below = `/host/${path.basename(attempt.workshop.folder)}/state`;
    expect(await run(attempt, escaping(listing(below), atHost, hostPath(parent)))).toEqual(['end']);
  });

  it('is refused as a hostPath volume, as is what lies in it', async (context) => {
    const attempt = attemptIn(context, world);
    const inside = path.join(stateOf(attempt), 'pods');
    mkdirSync(inside, { recursive: true });
    if (world.who === 'user') giveAllToOrdinaryUser(stateOf(attempt));
    for (const place of [stateOf(attempt), inside]) {
      const file = attempt.workshop.pod('web', escaping('ls /host', atHost, hostPath(place)));
      const { stdout, stderr } = await start(attempt, ['apply', '-f', file, '--until', 'ready', '--timeout', '5s'])
        .ended;
      expect(stdout + stderr).toContain("podrun's state folder");
    }
  });

  it('hides nothing of what a container has in it: volumes, its last words, its log', async (context) => {
    const attempt = attemptIn(context, world);
    const spec = escaping('echo kept > /data/f; cat /data/f; echo bye > /dev/termination-log', {
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    });
    expect(await run(attempt, { ...spec, volumes: [{ name: 'data', emptyDir: {} }] })).toEqual(['kept']);
    const { stdout } = await start(attempt, ['get', 'pod', 'web', '-o', 'json']).ended;
    expect(stdout).toContain('"message": "bye\\n"');
  });

  it('is what it was after a container has written to all that it sees of it', async (context) => {
    const attempt = attemptIn(context, world);
    const state = stateOf(attempt);
    const script = `for f in $(find ${state} ${state}/.. -maxdepth 3 -path '*state*' 2>/dev/null)
do echo x > $f/escaped; done 2>/dev/null; echo tried`;
    expect(await run(attempt, escaping(script))).toEqual(['tried']);
    expect(readdirSync(state)).not.toContain('escaped');
  });
});

describe.concurrent.each(APART)('shared memory of the host, for a container of $who, $tier tier', (world) => {
  it('shows no Secret that another podrun keeps there later', async (context) => {
    const attempt = attemptIn(context, world);
    const { workshop } = attempt;
    const [isThere, isSeen] = ['there', 'seen'].map((name) => path.join(workshop.folder, name));
    const wait = (file = ''): string => `until [ -e ${file} ]; do sleep 0.05; done`;
    // The podruns of other users are beside it: a container of root may see what they keep.
    const key = `password-of-${world.who}`;
    const look = `echo up; ${wait(isThere)}; find /dev/shm -name ${key} 2>/dev/null; touch ${isSeen}; echo end`;
    const watcher = start(attempt, ['apply', '-f', workshop.pod('watcher', escaping(look, {}, { hostIPC: true }))]);
    await watcher.until(({ stdout }) => /│ main +up$/m.test(stdout));
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { [key]: 'x' } };
    const file = workshop.file('secret.json', JSON.stringify(secret));
    const holder = escaping(`touch ${isThere}; ${wait(isSeen)}; cat /s/${key}`, {
      volumeMounts: [{ name: 's', mountPath: '/s' }],
    });
    const volumes = [{ name: 's', secret: { secretName: 's' } }];
    const held = start(attempt, ['apply', '-f', file, '-f', workshop.pod('holder', { ...holder, volumes })]);
    expect((await held.ended).stdout).toMatch(/│ main +x$/m);
    expect((await watcher.ended).stdout.match(/(?<=│ main +)\S.*/g)).toEqual(['up', 'end']);
  });
});

it(
  'the state folder is not seen through another mount of the same file system',
  needs('mounts for all'),
  async (context) => {
    const attempt = attemptIn(context, ROOT_APART);
    const alias = attempt.workshop.folderNamed('alias');
    mkdirSync(attempt.workshop.stateDir);
    writeFileSync(path.join(attempt.workshop.stateDir, 'secret'), 'secret');
    expect(works(['mount', '--bind', attempt.workshop.folder, alias])).toBe(true);
    context.onTestFinished(() => void works(['umount', '-l', alias]));
    expect(existsSync(path.join(alias, 'state', 'secret'))).toBe(true);
    expect(await run(attempt, escaping(`cat ${alias}/state/secret 2>/dev/null; echo end`))).toEqual(['end']);
  },
);
