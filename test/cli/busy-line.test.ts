import { describe, expect, it } from 'vitest';
import { stageForEach } from '../puppet/stage.ts';
import { hasTerminals, startProgramAtTerminal } from './own-terminal.ts';
import { workshopForEach } from './workshop.ts';

const ESCAPE = '\u001B';

const workshop = workshopForEach();
const stage = stageForEach();

/** Its container ends when the test says so. */
async function slowPod(): Promise<Awaited<ReturnType<typeof stage.puppet>>> {
  const containers = [{ name: 'main', command: stage.command('main') }];
  workshop.start(['apply', workshop.pod('slow', { terminationGracePeriodSeconds: 60, containers })]);
  return stage.puppet('main');
}

describe('delete that waits', () => {
  it.runIf(hasTerminals)('says so on a terminal, and leaves nothing of that', async () => {
    const main = await slowPod();
    await main.catch('SIGTERM');
    const words = workshop.commandLine(['delete', 'pod', 'slow']);
    const terminal = startProgramAtTerminal(workshop, words, { CI: undefined, TERM: 'xterm' });
    await terminal.shows(/waiting for pod "slow" to end \(1s\)/);
    main.exit(0);
    expect(await terminal.ended).toBe(0);
    // The last thing that is done to the line is that it is taken back.
    await terminal.shows(new RegExp(`\r${ESCAPE}\\[0J$`));
  });

  it('says nothing elsewhere', async () => {
    const main = await slowPod();
    await main.catch('SIGTERM');
    const deletion = workshop.start(['delete', 'pod', 'slow']);
    await deletion.until(({ stdout }) => stdout.includes('deleted'));
    expect(await main.received()).toBe('SIGTERM');
    main.exit(0);
    expect(await deletion.ended).toEqual({ exitCode: 0, stdout: 'pod "slow" deleted\n', stderr: '' });
  });
});
