import { describe } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { compareTranscripts, type Difference, leftOut, putLog, type Stage, USAGE } from '../transcripts.ts';
import { workshopForEach } from '../workshop.ts';

const workshop = workshopForEach();

/** The recorded server sends one more line, and then closes the stream. */
const FOLLOWED: Difference = {
  reason: 'podrun follows a log, which somebody must write',
  meanwhile: async ({ store, podrun }: Stage) => {
    await podrun.until(({ stdout }) => stdout.endsWith('three\n'));
    putLog(store, 'default/web/web', 'followed line\n');
    const web = store.get<StoredPod>('pods', 'default', 'web') as StoredPod;
    const terminated = { exitCode: 0, reason: 'Completed', containerID: 'podrun://1' };
    const containerStatuses = (web.status.containerStatuses ?? []).map((one) => ({ ...one, state: { terminated } }));
    store.updateStatus('pods', { ...web, status: { ...web.status, containerStatuses } });
  },
};

describe('logs, as kubectl does it:', () => {
  compareTranscripts('logs', workshop, {
    'logs-f': FOLLOWED,
    'logs-f-tail': FOLLOWED,
    'logs-ts': {
      reason: 'podrun measures microseconds',
      stdout: (text) => text.replaceAll('123456789Z', '123456000Z'),
    },
    'logs-since-frac': leftOut('the recorded server does not look at times'),
    'logs-nonewline': {
      reason: 'the log of a recorded answer has to be written by somebody',
      prepare: (store) => putLog(store, 'default/half/a', 'no newline at end'),
    },
    'logs-noarg': USAGE,
    'logs-all-with-c': USAGE,
    'logs-all-f-max': USAGE,
    'logs-sel-and-name': USAGE,
    'logs-badtail': USAGE,
    'logs-neg-since': USAGE,
  });
});
