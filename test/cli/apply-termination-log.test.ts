import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { podsIn, watchLines, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

describe('a container that writes to /dev/termination-log', () => {
  it('has its message in the status, and leaves no file in /dev', async () => {
    const hooked = 'until grep -q hook /dev/termination-log; do sleep 0.05; done';
    const script = `echo one >> /dev/termination-log; echo two >> $LOG; ${hooked}; exit 3`;
    const hook = { exec: { command: ['sh', '-c', 'echo hook >> /dev/termination-log'] } };
    const main = {
      name: 'main',
      command: ['sh', '-c', script],
      env: [{ name: 'LOG', value: '/dev/termination-log' }],
      lifecycle: { postStart: hook },
    };
    const manifest = workshop.pod('teller', { restartPolicy: 'Never', containers: [main] });
    const { stdout } = await workshop.run(['apply', manifest, '-o', 'json']);
    const message = podsIn(watchLines(stdout)).at(-1)?.status?.containerStatuses?.[0]?.state?.terminated?.message ?? '';
    expect(message.trim().split('\n').toSorted()).toEqual(['hook', 'one', 'two']);
    expect(existsSync('/dev/termination-log')).toBe(false);
  });

  it('leaves the messages of its last two runs in the store', async () => {
    const main = { name: 'main', command: ['sh', '-c', 'echo bye > /dev/termination-log; exit 1'] };
    const manifest = workshop.pod('crasher', { restartPolicy: 'Always', containers: [main] });
    const podrun = workshop.begin(['apply', manifest, '-o', 'json', '--backoff-initial=10ms', '--backoff-max=10ms']);
    await podrun.until(({ lines }) => (podsIn(lines).at(-1)?.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 4);
    podrun.signal('SIGTERM');
    const { stdout } = await podrun.ended;
    const restarts = podsIn(watchLines(stdout)).at(-1)?.status?.containerStatuses?.[0]?.restartCount ?? 0;
    const kept = readdirSync(path.join(workshop.stateDir, 'pods/default/crasher/termination'));
    expect(kept.toSorted()).toEqual([`main.${restarts - 1}`, `main.${restarts}`].toSorted());
  });
});
