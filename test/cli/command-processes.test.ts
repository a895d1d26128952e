import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startTimeOf } from '../../src/runtime/watch/process-identity.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

it('podrun ends after the last process of COMMAND when the time is up', async () => {
  const pod = workshop.pod('web', { terminationGracePeriodSeconds: 0, containers: [{ name: 'web', command: SLEEP }] });
  const script = 'sh -c "echo \\$\\$ >child; exec sleep 300"; true';
  const apply = ['apply', pod, '--settle', '0', '--timeout', '2s', '--', 'sh', '-c', script];
  expect((await workshop.start(apply).ended).exitCode).toBe(124);
  const child = Number(readFileSync(path.join(workshop.folder, 'child'), 'utf8'));
  expect(startTimeOf(child)).toBeUndefined();
});

const SLEEP = ['sleep', '300'];
