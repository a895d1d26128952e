import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { StoredKubeObject } from '../../src/api/base/objects.ts';
import { type Puppet, stageForEach } from '../puppet/stage.ts';
import { gcLines } from './gc-lines.ts';
import { storeOf } from './prepared-store.ts';
import { type Running, podsIn, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();
const run = (...args: string[]) => workshop.run(args);

const NO_FINALIZERS = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
const metadata = { name: 'web', finalizers: ['example.com/a', 'example.com/b'] };
const stored = (resource: string) => storeOf(workshop).get<StoredKubeObject>(resource, 'default', 'web');
const file = (object: object) => workshop.file('web.yaml', stringify(object));

/** Runs a Pod `web` with two finalizers. Its program ends when the test says so. */
async function running(): Promise<{ manifest: string; apply: Running; main: Puppet }> {
  const containers = [{ name: 'main', image: 'app:1', command: stage.command('main') }];
  const manifest = file({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } });
  const apply = workshop.begin(['apply', '-f', manifest, '-o', 'json']);
  const main = await stage.puppet('main');
  await apply.until(({ lines }) => podsIn(lines).at(-1)?.status?.phase === 'Running');
  return { manifest, apply, main };
}

/** Runs the same Pod to its end, so that only its finalizers hold it. */
async function held(): Promise<{ manifest: string; apply: Running; deleting: Running }> {
  const { manifest, apply, main } = await running();
  await main.catch('SIGTERM');
  const deleting = workshop.begin(['delete', 'pod', 'web']);
  expect(await main.received()).toBe('SIGTERM');
  main.exit(0);
  await deleting.until(({ stderr }) => stderr.includes('finalizers'));
  return { manifest, apply, deleting };
}

describe('a deleted Pod with finalizers', () => {
  it('ends, and is removed with its last finalizer', async () => {
    const { apply, deleting } = await held();
    expect(stored('pods')).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 0, generation: 2 },
      status: { phase: 'Succeeded' },
    });
    await run('patch', 'pod/web', '--type=merge', '-p', '{"metadata":{"finalizers":["example.com/b"]}}');
    expect(stored('pods')?.metadata.finalizers).toEqual(['example.com/b']);
    expect(await run('patch', 'pod/web', ...NO_FINALIZERS)).toMatchObject({ exitCode: 0, stdout: 'pod/web patched\n' });
    expect(await deleting.ended).toMatchObject({ exitCode: 0 });
    expect(await apply.ended).toMatchObject({ exitCode: 0 });
    const [before, last] = apply.lines.filter(({ object }) => object.kind === 'Pod').slice(-2);
    expect(before).toMatchObject({ type: 'MODIFIED', object: { metadata: { finalizers: ['example.com/b'] } } });
    expect(last).toMatchObject({ type: 'DELETED', object: { metadata: { finalizers: ['example.com/b'] } } });
    expect(stored('pods')).toBeUndefined();
  });

  it('stays after its apply, a second delete and gc; no new Pod gets its name', async () => {
    const { manifest, apply, deleting } = await held();
    apply.signal('SIGINT');
    await apply.ended;
    const forced = await run('delete', 'pod', 'web', '--force', '--timeout=50ms');
    expect(forced).toMatchObject({ exitCode: 1 });
    expect(forced.stderr).toContain('pod/web stays until its finalizers are removed: example.com/a, example.com/b');
    const collected = await run('gc', '--keep', '0');
    expect({ ...collected, lines: gcLines(collected.stdout) }).toMatchObject({ exitCode: 0, lines: [] });
    const again = await run('apply', '-f', manifest);
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toContain('(AlreadyExists): object is being deleted: pods "web" already exists\n');
    await run('patch', 'pod/web', ...NO_FINALIZERS);
    expect(await deleting.ended).toMatchObject({ exitCode: 0 });
    expect(stored('pods')).toBeUndefined();
  });

  it('is ended at once with --force, and stays', async () => {
    const { apply } = await running();
    await run('delete', 'pod', 'web', '--force', '--wait=false');
    await apply.until(({ lines }) => podsIn(lines).at(-1)?.status?.phase === 'Failed');
    expect(stored('pods')?.metadata).toMatchObject({ deletionGracePeriodSeconds: 0 });
    await run('patch', 'pod/web', ...NO_FINALIZERS);
    expect(await apply.ended).toMatchObject({ exitCode: 1 });
    expect(apply.lines.at(-1)).toMatchObject({ type: 'DELETED' });
  });
});

it.each([
  { kind: 'ConfigMap', resource: 'configmaps' },
  { kind: 'Secret', resource: 'secrets' },
])('a deleted $kind with finalizers stays until they are removed', async ({ kind, resource }) => {
  await run('apply', '-f', file({ apiVersion: 'v1', kind, metadata }));
  const deleting = workshop.begin(['delete', kind, 'web']);
  await deleting.until(({ stderr }) => stderr.includes('finalizers'));
  expect(stored(resource)?.metadata).toMatchObject({ deletionGracePeriodSeconds: 0 });
  await run('patch', kind, 'web', ...NO_FINALIZERS);
  expect(await deleting.ended).toMatchObject({ exitCode: 0 });
  expect(stored(resource)).toBeUndefined();
});
