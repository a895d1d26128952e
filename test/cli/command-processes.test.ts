import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startTimeOf } from '../../src/runtime/watch/process-identity.ts';
import { workshopForEach } from './workshop.ts';
import { runHere } from './in-process.ts';
import { LIMIT, untilTimeIsUp } from './time-limit.ts';
import { ifThere } from '../live-files.ts';

const workshop = workshopForEach();

it('podrun ends after the last process of COMMAND when the time is up', async () => {
  const pod = workshop.pod('web', { terminationGracePeriodSeconds: 0, containers: [{ name: 'web', command: SLEEP }] });
  const script = 'sh -c "echo \\$\\$ >child; exec sleep 300"; true';
  const apply = ['apply', pod, '--settle', '0', '--timeout', LIMIT, '--', 'sh', '-c', script];
  const child = (): string => ifThere(() => readFileSync(path.join(workshop.folder, 'child'), 'utf8')) ?? '';
  const ended = await untilTimeIsUp(
    (more) => runHere(workshop, apply, more),
    () => child().endsWith('\n'),
  );
  expect(ended.exitCode).toBe(124);
  expect(startTimeOf(Number(child()))).toBeUndefined();
});

const SLEEP = ['sleep', '1000'];
