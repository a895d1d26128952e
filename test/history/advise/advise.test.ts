import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { advise } from '../../../src/history/advise/advise.ts';
import { pod, readiness } from './advice-lines.ts';

it('gives the numbers, and their count', () => {
  const story = pod(readiness()).start('app', 0).stop('app', 9).end('app', 39, 137);
  expect(advise(story.run, [])).toMatchObject({
    basis: { lengthMs: 39_000, starts: 1, stops: 1, probeAttempts: 0, measured: 0 },
    advice: [
      {
        rule: 'signal-ignored',
        container: 'app',
        evidence: 'SIGTERM did not end the container: podrun killed it after the grace period of 30 s, in 1 of 1 stop.',
        samples: 1,
      },
    ],
  });
});

it('gives the reason why a program could not be started', () => {
  const words = 'runc create failed: unable to start container process: exec: "x": executable file not found in $PATH';
  const story = pod().failStart('app', 1, words).failStart('app', 2, words);
  expect(advise(story.run, [])?.advice).toMatchObject([
    {
      rule: 'cannot-be-started',
      evidence: 'The container could not be started, 2 times: exec: "x": executable file not found in $PATH',
      samples: 2,
    },
  ]);
});

it('has rules that the page about them lists, each once', () => {
  const page = readFileSync(new URL('../../../docs/advise.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \| (?!It )/gm)].map(([, rule]) => rule);
  const source = readFileSync(new URL('../../../src/history/advise/advice.ts', import.meta.url), 'utf8');
  const rules = [...source.matchAll(/^ {2}\| '([a-z-]+)'/gm)].map(([, rule]) => rule);
  expect(rules.length).toBeGreaterThan(20);
  expect(new Set(listed)).toEqual(new Set(rules));
  expect(listed).toHaveLength(rules.length);
});

it('has nothing to say of a run that left no record', () => {
  const { run } = pod();
  expect(advise({ ...run, transitions: [] }, [])).toBeUndefined();
});
