import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { startProgramAtTerminal } from './own-terminal.ts';
import { storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();
const LONG = ['explain', '--support'];
/** A pager that shows one line and quits before it has read the rest. */
const GLANCE = 'head -n 1 > seen; echo quit early';

const seen = (): string => {
  const file = path.join(workshop.folder, 'seen');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

describe('on a terminal', needs('terminals'), () => {
  it.each([
    { args: LONG, env: { PODRUN_PAGER: GLANCE, PAGER: 'false' } },
    { args: LONG, env: { PODRUN_PAGER: undefined, PAGER: GLANCE } },
    { args: ['get', '--help'], env: { PODRUN_PAGER: GLANCE } },
    { args: ['help', 'apply'], env: { PODRUN_PAGER: GLANCE } },
  ])('$args goes through the pager that $env name, which may be quit early', async ({ args, env }) => {
    const terminal = startProgramAtTerminal(workshop, workshop.commandLine(args), env);
    expect(await terminal.ended).toBe(0);
    await terminal.shows(/quit early/);
    expect(seen()).toMatch(/^\S.*\n$/);
  });

  it('works in a folder that has been removed', async () => {
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    const words = ['sh', '-c', script, 'sh', ...workshop.commandLine(LONG)];
    const terminal = startProgramAtTerminal(workshop, words, { PODRUN_PAGER: 'head -n 1; echo quit early' });
    expect(await terminal.ended).toBe(0);
    await terminal.shows(/quit early/);
  });

  it("the exit code is the command's", async () => {
    const containers = Array.from({ length: 20 }, (_, index) => ({ name: `c${index}`, image: 'busybox' }));
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } };
    storeOf(workshop).create<StoredPod>('pods', pod as StoredPod);
    const args = ['describe', 'pod', 'web', 'nosuch'];
    const terminal = startProgramAtTerminal(workshop, workshop.commandLine(args), { PODRUN_PAGER: GLANCE });
    expect(await terminal.ended).toBe(1);
    await terminal.shows(/pods "nosuch" not found/);
    expect(seen()).toMatch(/^Name: +web\n$/);
  });

  it.each([
    { args: [...LONG, '--no-pager'], env: { PODRUN_PAGER: GLANCE } },
    { args: LONG, env: { PODRUN_PAGER: '', PAGER: GLANCE } },
    { args: LONG, env: { PODRUN_PAGER: 'cat' } },
    { args: ['version'], env: { PODRUN_PAGER: GLANCE } },
    // A pager that does not exist: podrun prints the text itself.
    { args: LONG, env: { PODRUN_PAGER: 'no-such-pager' } },
  ])('$args with $env is printed', async ({ args, env }) => {
    const terminal = startProgramAtTerminal(workshop, workshop.commandLine(args), env);
    expect(await terminal.ended).toBe(0);
    await terminal.shows(/spec\.volumes|Kubernetes: v/);
    expect(seen()).toBe('');
  });
});

it('elsewhere there is no pager', async () => {
  const { stdout, exitCode } = await workshop.run(LONG, { PODRUN_PAGER: GLANCE });
  expect({ exitCode, seen: seen() }).toEqual({ exitCode: 0, seen: '' });
  expect(stdout.split('\n').length).toBeGreaterThan(100);
});
