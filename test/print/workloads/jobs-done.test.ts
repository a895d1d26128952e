import { expect, it } from 'vitest';
import type { Root } from '../../../src/lifecycle/requests/root.ts';
import { jobsDone } from '../../../src/print/workloads/jobs-done.ts';
import { condition, root, workload } from '../../controllers/goals/roots.ts';

const END = '(Ctrl-C ends it; --until complete would have ended with the Jobs)';
const job = (name: string, ...types: string[]): Root =>
  root(workload('Job', { conditions: types.map((type) => condition(type)) }, {}, { name }));
const db = root(workload('Deployment', {}, {}, { name: 'db' }));
const web = root(workload('StatefulSet', {}, {}, { name: 'web' }));

it.each<[string, Root[], string | undefined]>([
  ['a Job at work', [job('a'), db], undefined],
  ['no server', [job('a', 'Complete')], undefined],
  ['no Job', [db], undefined],
  ['a Job that is complete', [job('a', 'Complete'), db], `job/a is complete; deployment/db keeps running ${END}`],
  ['one of two Jobs', [job('a', 'Complete'), job('b'), db], undefined],
  [
    'two Jobs',
    [job('a', 'Complete'), job('b', 'Complete'), db, web],
    `job/a, job/b are complete; deployment/db, statefulset/web keep running ${END}`,
  ],
  [
    'a Job that failed',
    [job('a', 'Complete'), job('b', 'Failed'), db],
    `job/b has failed; deployment/db keeps running ${END}`,
  ],
])('%s', (_, roots, sentence) => {
  expect(jobsDone(roots)).toBe(sentence);
});
