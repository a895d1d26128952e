import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder, run, shellPod } from './pods.ts';

const hookJob = (name: string, hook: string, script: string): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, annotations: { 'helm.sh/hook': hook } },
  spec: { backoffLimit: 0, template: { spec: shellPod(name, script).spec } },
});

it('hooks of helm run before and after the Pods, with the variables of the run', async () => {
  const file = path.join(emptyFolder(), 'order');
  const write = (word: string): string => `echo ${word} >> "$ORDER"`;
  const manifests = [
    hookJob('after', 'post-install', `sleep 0.3; ${write('after')}`),
    shellPod('app', write('app')),
    hookJob('before', 'pre-install', write('before')),
  ];
  await using pods = await run(manifests, { helmHooks: true, env: { ORDER: file } });
  expect(readFileSync(file, 'utf8')).toMatch(/^before\n/);
  expect(pods.names).toEqual(['app']);
  await pods.until('Succeeded');
  expect(readFileSync(file, 'utf8')).toMatch(/^before\n(?:app\nafter|after\napp)\n$/);
});

it('a hook of helm that fails rejects the run, or a wait', async () => {
  const bad = 'job.batch/bad: the pre-install hook failed: BackoffLimitExceeded';
  await expect(
    run([hookJob('bad', 'pre-install', 'exit 3'), shellPod('app', 'true')], { helmHooks: true }),
  ).rejects.toThrow(bad);
  await using pods = await run([hookJob('late', 'post-install', 'exit 3'), shellPod('app', 'true')], {
    helmHooks: true,
  });
  await expect(pods.until('Succeeded')).rejects.toThrow('job.batch/late: the post-install hook failed');
});
