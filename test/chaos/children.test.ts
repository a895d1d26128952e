import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { workshopForEach } from '../cli/workshop.ts';
import { assertNothingLeft } from './aftermath.ts';
import { GONE_WITHIN_MS } from '../patience.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();

const pod = (script: string): PodSpec => ({
  terminationGracePeriodSeconds: 1,
  containers: [{ name: 'main', command: ['sh', '-c', `${script}\necho ready; ${FOREVER}`] }],
});

const FOREVER = 'while :; do sleep 0.1; done';
const DEAF = `trap "" TERM INT HUP QUIT; ${FOREVER}`;

/** Children that survive the end of their parent. */
const CHILDREN = [
  { what: 'children that ignore SIGTERM', script: `for i in 1 2 3; do sh -c '${DEAF}' & done; trap "" TERM` },
  { what: 'grandchildren in sessions of their own', script: `for i in 1 2 3; do setsid sh -c '${DEAF}' & done` },
  { what: 'daemons that forked twice', script: `for i in 1 2 3; do (setsid sh -c '(${DEAF}) & exit' &); done` },
  { what: 'stopped children', script: 'sleep 60 & kill -STOP $!; setsid sh -c "kill -STOP \\$\\$; sleep 60" &' },
  {
    what: 'three hundred children',
    script: 'i=0; while [ $i -lt 150 ]; do setsid sleep 60 & sleep 60 & i=$((i+1)); done',
  },
];

describe('children that stay', needs('Linux'), () => {
  it.each(CHILDREN)('$what: dead within a second of podrun', async ({ script }) => {
    const podrun = workshop.start(['apply', workshop.pod('parent', pod(script))]);
    await podrun.until(({ stdout }) => /│ .* ready$/m.test(stdout));
    await sleep(50);
    expect(workshop.processes().length).toBeGreaterThan(1);
    podrun.signal('SIGKILL');
    await podrun.ended;
    await expect.poll(() => workshop.processes(), { timeout: GONE_WITHIN_MS, interval: 10 }).toEqual([]);
    await assertNothingLeft(workshop, { wasKilled: true });
  });

  it.each(CHILDREN)('$what: dead when the Pod is', async ({ script }) => {
    const podrun = workshop.start(['apply', workshop.pod('parent', pod(script))]);
    await podrun.until(({ stdout }) => /│ .* ready$/m.test(stdout));
    podrun.signal('SIGTERM');
    expect((await podrun.ended).exitCode).toBe(143);
    await assertNothingLeft(workshop);
  });
});
