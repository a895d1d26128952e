import { chmodSync } from 'node:fs';
import { describe, expect, it, type TestContext } from 'vitest';
import { Place } from './network-place.ts';
import { needs } from '../needs.ts';

/** A place of an ordinary user, with a file and a folder that only root may read. */
function placeWithClosedFiles(context: TestContext): Place {
  const place = new Place(context, 'somebody');
  chmodSync(place.workshop.file('closed.yaml', 'content'), 0o600);
  chmodSync(place.workshop.folderNamed('closed'), 0o700);
  return place;
}

describe('what only root may read, for an ordinary user', needs('root', 'an ordinary user'), () => {
  it.for<[string, readonly string[]]>([
    ['cannot read closed.yaml: permission denied\n', ['image', 'load', '-i', 'closed.yaml']],
    ['cannot read closed.yaml: permission denied\n', ['expect', 'closed.yaml']],
    ['open closed.yaml: permission denied\n', ['apply', 'closed.yaml']],
    ['open closed: permission denied\n', ['apply', 'closed']],
    ['error reading closed.yaml: EACCES: permission denied', ['create', 'configmap', 'a', '--from-file=closed.yaml']],
    ['error reading closed: EACCES: permission denied', ['create', 'configmap', 'a', '--from-file=closed']],
    ["closed/x doesn't exist in local filesystem\n", ['cp', 'closed/x', 'web:/tmp']],
  ])('%s', async ([sentence, args], context) => {
    const { exitCode, stderr } = await placeWithClosedFiles(context).start(args).ended;
    expect(exitCode).not.toBe(0);
    expect(stderr.slice(0, `error: ${sentence}`.length)).toBe(`error: ${sentence}`);
  });

  it.for(['closed.yaml', 'closed'])('podrun cp tells of %s', async (name, context) => {
    const place = placeWithClosedFiles(context);
    const pod = place.workshop.pod('web', { containers: [{ name: 'main', command: ['sleep', '1000'] }] });
    const applied = place.start(['apply', pod]);
    await applied.until(({ stdout }) => stdout.includes('Running, ContainersReady, Ready'));
    const { stderr } = await place.start(['cp', name, 'web:/tmp/x']).ended;
    expect(stderr).toMatch(/^error: EACCES: permission denied, (open|scandir) /);
  });
});

it('a working folder that is gone is reported in one sentence', async (context) => {
  const place = new Place(context, 'own');
  const { workshop } = place;
  const apply = workshop.commandLine(['apply', workshop.pod('web', { containers: [{ name: 'main' }] })]);
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
  const podrun = place.spawn(['sh', '-c', script, 'sh', ...apply], { PODRUN_STATE_DIR: workshop.stateDir });
  const stderr = 'error: the working folder is gone, or this user may not read it: change to another one\n';
  expect(await podrun.ended).toEqual({ exitCode: 1, stdout: '', stderr });
});
