import { describe, expect, it } from 'vitest';
import { goldenText } from '../print/golden.ts';
import { GOLDEN_ENV, putStates, recordings, replay, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const run = (...args: string[]) => workshop.run(['describe', ...args], GOLDEN_ENV);

describe('describe', () => {
  it.each(['crashloop', 'sidecar-running', 'events-aggregated', 'terminating'])(
    'tells everything about a stored Pod in the state %s',
    async (state) => {
      putStates(storeOf(workshop), [state]);
      expect(await run('pods')).toEqual({ exitCode: 0, stdout: goldenText(state, 'describe.txt'), stderr: '' });
    },
  );

  it('describes every Pod when none is named', async () => {
    putStates(storeOf(workshop), ['list-of-three']);
    expect((await run()).stdout).toBe(goldenText('list-of-three', 'describe.txt'));
  });

  it.each(
    recordings('describe', [
      'describe-notfound',
      'describe-prefix',
      'describe-sel-none',
      'describe-noevents',
      'describe-badres',
      'describe-all-ns',
    ]),
  )('as kubectl does it: $command', async (recording) => {
    const { stdout, stderr, exit } = recording;
    expect(await replay(workshop, recording)).toEqual({ stdout, stderr, exit });
  });

  it('takes a single name as the name of a Pod', async () => {
    putStates(storeOf(workshop), ['running-ready']);
    const { stdout } = await run('web');
    expect(stdout).toBe(goldenText('running-ready', 'describe.txt'));
    expect((await run('pod/web')).stdout).toBe(stdout);
    expect(await run('nope')).toMatchObject({
      exitCode: 1,
      stderr: 'Error from server (NotFound): pods "nope" not found\n',
    });
  });

  it('describes the existing Pods and names the missing ones', async () => {
    putStates(storeOf(workshop), ['list-of-three']);
    const { exitCode, stdout, stderr } = await run('pod', 'api', 'zed', 'nope');
    expect(exitCode).toBe(1);
    expect(stdout.match(/^Name: +(\w+)$/gm)).toHaveLength(2);
    expect(stderr).toBe('Error from server (NotFound): pods "nope" not found\n');
  });

  it('shows all fields of an object of a kind for which kubectl has no form', async () => {
    putStates(storeOf(workshop), ['events-aggregated']);
    const { exitCode, stdout } = await run('events', '--field-selector=reason=Pulled');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Name: +noisy\.[0-9a-f]+\n/);
    expect(stdout).toMatch(/^Involved Object:\n {2}API Version: +v1\n {2}Field Path: .*\n {2}Kind: +Pod$/m);
  });
});
