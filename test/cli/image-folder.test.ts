import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { giveToOrdinaryUser } from '../ordinary-user.ts';
import { attemptIn, needCoverable, ROOT_APART, start, USER_APART, type World } from '../escape/worlds.ts';

const CONFIG = `images:
  tester:
    command: [/agnhost]
    args: [-c, 'echo "ran as $0"; until [ -e asked ]; do sleep 0.1; done']
    folder: ./files
`;

/** Writes the files of the image. Its program prints its own name, as a shell can. */
function writeFiles(folder: string, { who }: World): void {
  mkdirSync(path.join(folder, 'usr/bin'), { recursive: true });
  for (const name of ['agnhost', 'agnhost-2']) symlinkSync('/bin/dash', path.join(folder, name));
  symlinkSync('/bin/bash', path.join(folder, 'usr/bin/sh'));
  const certificate = path.join(folder, 'localhost.crt');
  writeFileSync(certificate, 'of the image\n');
  for (const name of ['.', 'usr', 'usr/bin']) chmodSync(path.join(folder, name), 0o755);
  chmodSync(certificate, 0o644);
  if (who === 'user') giveToOrdinaryUser(certificate);
}

it.for([{ who: 'user', tier: 'process' }, ROOT_APART, USER_APART] satisfies World[])(
  'containers have the programs and the files of their folder: $who, $tier',
  needs({ '/bin/bash': existsSync('/bin/bash'), '/bin/dash': existsSync('/bin/dash') }),
  async (world, context) => {
    const attempt = attemptIn(context, world);
    const { workshop } = attempt;
    needCoverable(context, world, workshop.folder);
    const files = path.join(workshop.folder, 'files');
    writeFiles(files, world);
    const before = readdirSync(files);
    workshop.file('podrun.yaml', CONFIG);
    const image = 'tester';
    const probe = { exec: { command: ['/agnhost-2', '-c', 'exit 0'] } };
    const move = world.tier === 'namespace' ? 'mv /localhost.crt /moved && cat /moved && ls /agnhost-2;' : '';
    // bash warns of a locale that this machine lacks.
    const env = [{ name: 'LC_ALL', value: 'C' }];
    const pod = workshop.pod('web', {
      restartPolicy: 'Never',
      initContainers: [
        { name: 'moves', image, env, command: ['sh', '-c', `[[ b > a ]] && echo "bash as $0"; ${move}`, 'sh'] },
        { name: 'again', image, command: ['/agnhost-2'], args: ['-c', 'echo "ran as $0"'] },
      ],
      containers: [{ name: 'main', image, startupProbe: probe }],
    });
    const run = start(attempt, ['apply', '-f', pod]);
    await run.until(({ stdout }) => stdout.includes('ran as /agnhost\n'));
    const exec = start(attempt, ['exec', 'web', '-c', 'main', '--', '/agnhost-2', '-c', 'echo "$0 asks"']);
    expect(await exec.ended).toEqual({ exitCode: 0, stdout: '/agnhost-2 asks\n', stderr: '' });
    workshop.file('asked', '');
    const { exitCode, stdout } = await run.ended;
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
    const said = [...stdout.matchAll(/^ +│ (moves|again|main) +(.*?) *$/gm)].map(([, , line]) => line);
    const moved = world.tier === 'namespace' ? ['of the image', '/agnhost-2'] : [];
    expect(said).toEqual(['bash as sh', ...moved, 'ran as /agnhost-2', 'ran as /agnhost']);
    expect(readdirSync(files)).toEqual(before);
  },
);
