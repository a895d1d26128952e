import { describe, expect, it, onTestFinished } from 'vitest';
import { stageForEach } from '../puppet/stage.ts';
import { putStates, storeOf } from './prepared-store.ts';
import { closeScreens, type Screen, type ScreenOptions, startOnScreen } from './screen.ts';
import { workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();
const stage = stageForEach();

/** Runs a Pod whose container ends when the test says so. */
async function slowPod(): Promise<Awaited<ReturnType<typeof stage.puppet>>> {
  const containers = [{ name: 'main', command: stage.command('main') }];
  workshop.start(['apply', workshop.pod('slow', { terminationGracePeriodSeconds: 60, containers })]);
  const main = await stage.puppet('main');
  await main.catch('SIGTERM');
  return main;
}

const DELETE = ['delete', 'pod', 'slow'];

function onScreen(args: readonly string[], options?: ScreenOptions, prefix: readonly string[] = []): Screen {
  onTestFinished(closeScreens);
  return startOnScreen(workshop, [...prefix, ...workshop.commandLine(args)], options);
}

const written = ({ lines }: Screen): string[] => lines.filter((line) => line !== '');

describe('delete that waits, on a terminal', needs('terminals'), () => {
  it.each([
    {
      columns: 80,
      waiting: /^. waiting for pod "slow" to end \(\ds\)$/,
      deleted: ['pod "slow" deleted from default namespace'],
    },
    {
      columns: 20,
      waiting: /^. waiting for pod …$/,
      deleted: ['pod "slow" deleted f', 'rom default namespac', 'e'],
    },
  ])('shows one row of $columns columns, and removes it', async ({ columns, waiting, deleted }) => {
    const main = await slowPod();
    const screen = onScreen(DELETE, { columns });
    await screen.until((seen) => written(seen).some((line) => waiting.test(line)));
    expect(written(screen)).toHaveLength(deleted.length + 1);
    expect(screen.isCursorShown).toBe(true);
    main.exit(0);
    expect(await screen.ended).toBe(0);
    expect({ lines: written(screen), cursorRow: screen.cursorRow }).toEqual({
      lines: deleted,
      cursorRow: deleted.length,
    });
  });

  it('removes the row after Ctrl-C', async () => {
    await slowPod();
    const screen = onScreen(DELETE);
    await screen.shows(/waiting for pod "slow"/);
    screen.type('\u0003');
    expect(await screen.ended).toBe(130);
    expect(written(screen)).toEqual([expect.stringMatching(/^(\^C)?pod "slow" deleted from default namespace$/)]);
  });

  it.each([
    { where: 'in CI', prefix: ['env', 'CI=true'] },
    { where: 'on a terminal that removes no line', prefix: ['env', 'TERM=dumb'] },
  ])('shows nothing $where', async ({ prefix }) => {
    const main = await slowPod();
    const screen = onScreen(DELETE, {}, prefix);
    await screen.shows(/deleted/);
    expect(await main.received()).toBe('SIGTERM');
    main.exit(0);
    expect(await screen.ended).toBe(0);
    expect(written(screen)).toEqual(['pod "slow" deleted from default namespace']);
  });
});

it('the output of wait appears above its line', needs('terminals'), async () => {
  const store = storeOf(workshop);
  putStates(store, ['list-of-three']);
  const screen = onScreen(['wait', 'pod/api', 'pod/zed', '--for=delete']);
  await screen.shows(/waiting for .*api.*zed/);
  store.delete('pods', 'default', 'api');
  await screen.until((seen) => /condition met/.test(written(seen)[0] ?? '') && written(seen).length === 2);
  expect(written(screen)).toEqual(['pod/api condition met', expect.stringMatching(/^. waiting for .*zed/)]);
  store.delete('pods', 'default', 'zed');
  expect(await screen.ended).toBe(0);
  expect(written(screen)).toEqual(['pod/api condition met', 'pod/zed condition met']);
});

it('delete without a terminal shows no waiting line', async () => {
  const main = await slowPod();
  const deletion = workshop.start(['delete', 'pod', 'slow']);
  await deletion.until(({ stdout }) => stdout.includes('deleted'));
  expect(await main.received()).toBe('SIGTERM');
  main.exit(0);
  expect(await deletion.ended).toEqual({
    exitCode: 0,
    stdout: 'pod "slow" deleted from default namespace\n',
    stderr: '',
  });
});
