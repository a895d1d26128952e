import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { podsIn, watchLines, Workshop } from './workshop.ts';

let workshop: Workshop;

beforeEach(() => {
  workshop = new Workshop();
});

afterEach(() => workshop.close());

describe('a container that writes to /dev/termination-log', () => {
  it('has its message in the status, from its script, a hook or a variable, and nothing is left in /dev', async () => {
    const script = 'echo one >> /dev/termination-log; echo two >> $LOG; sleep 0.2; exit 3';
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
});
