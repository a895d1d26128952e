import { describe } from 'vitest';
import { compareTranscripts, type Difference, leftOut, USAGE } from '../transcripts.ts';
import { workshopForEach } from '../workshop.ts';

const workshop = workshopForEach();

const LESS_PATIENT: Difference = {
  reason: 'the same, with less patience; podrun says why after that',
  command: (command) => command.replace(/--timeout=\d+s/, '--timeout=50ms'),
  saysMore: true,
};

describe('wait, as kubectl does it:', () => {
  compareTranscripts('wait', workshop, {
    'wait-timeout': LESS_PATIENT,
    'wait-all': LESS_PATIENT,
    'wait-delete-timeout': LESS_PATIENT,
    'wait-create-timeout': LESS_PATIENT,
    'wait-jsonpath-timeout': LESS_PATIENT,
    'wait-deleted-while': { reason: 'podrun does not wait for what is gone, and says that', saysMore: true },
    'wait-negative': leftOut('kubectl ends with 1 on Ctrl-C; podrun by the signal, as every command here does'),
    'wait-bad': USAGE,
    'wait-noargs': USAGE,
  });
});
