import { describe } from 'vitest';
import { compareTranscripts, leftOut, USAGE } from '../transcripts.ts';
import { workshopForEach } from '../workshop.ts';

const workshop = workshopForEach();

describe('delete, as kubectl does it:', () => {
  compareTranscripts('delete', workshop, {
    'delete-timeout': leftOut('a Pod that nobody runs goes at once: see delete-running.test.ts'),
    'delete-deploy': leftOut('podrun keeps no Deployments'),
    'delete-force-grace5': USAGE,
  });
});
