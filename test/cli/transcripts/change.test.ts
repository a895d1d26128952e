import { describe } from 'vitest';
import { compareTranscripts, leftOut } from '../transcripts.ts';
import { workshopForEach } from '../workshop.ts';

const workshop = workshopForEach();

describe('patch, as kubectl does it:', () => {
  compareTranscripts('patch', workshop, {});
});

describe('explain, as kubectl does it:', () => {
  compareTranscripts('explain', workshop, {
    'explain-no-oapi': leftOut('podrun has its own description of the API'),
  });
});

describe('top, as kubectl does it:', () => {
  const recorded = leftOut('the numbers are those of a recorded answer: see pod-usage.test.ts');
  compareTranscripts('top', workshop, { 'top-pod': recorded, 'top-pod-one': recorded, 'top-pod-sum': recorded });
});
