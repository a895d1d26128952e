import { describe, expect, it } from 'vitest';
import type { ProbeAttempt } from '../../../src/lifecycle/probes/probe-attempt.ts';
import { NO_RECORDS } from '../../../src/history/evidence.ts';
import { joinPhrases, podPhrase } from '../../../src/print/workloads/wait-phrase.ts';
import { at, attempt, container, NOW_MS, running, webPod } from '../pods.ts';

const startup = { startupProbe: { failureThreshold: 30, initialDelaySeconds: 10 } };
const starting = webPod({
  spec: { containers: [container('main', startup)] },
  status: { containerStatuses: [running('main', { ready: false, started: false })] },
});
const unready = webPod({ status: { containerStatuses: [running('main', { ready: false })] } });

describe('podPhrase()', () => {
  it.each<[want: string, pod: typeof starting, attempts: ProbeAttempt[]]>([
    [
      'to start up (startup probe attempt 3 of 30, last result: HTTP 503)',
      starting,
      [attempt({ probe: 'startup', failures: 3, failureThreshold: 30, httpStatus: 503 })],
    ],
    ['to start up (startup probe)', starting, []],
    ['to become ready (readiness probe)', unready, [attempt({ restartCount: 7 }), attempt({ container: 'other' })]],
    [
      'to become ready (readiness probe failed once, last result: connection refused)',
      unready,
      [attempt({ errno: 'ECONNREFUSED' })],
    ],
    [
      'to become ready (readiness probe failed 7 times in a row, last result: no answer in time)',
      unready,
      [attempt({ failures: 6 }), attempt({ failures: 7, result: 'timeout' })],
    ],
    [
      'to become ready (readiness probe succeeded 1 of 3 times)',
      unready,
      [attempt({ result: 'success', successes: 1, failures: 0, successThreshold: 3 })],
    ],
    [
      'to become ready (readiness probe failed 2 times in a row, last result: exit code 1: no database)',
      unready,
      [attempt({ failures: 2, exitCode: 1, output: 'no database\nat all\n' }), attempt({ decision: 'abandoned' })],
    ],
  ])('%s', (want, pod, attempts) => {
    expect(podPhrase({ pod, records: { ...NO_RECORDS, attempts } }, NOW_MS).text).toBe(
      `pod/web: container main ${want}`,
    );
  });

  it('says when the first attempt is due', () => {
    const { text } = podPhrase({ pod: starting, records: NO_RECORDS }, Date.parse(at(-23)));
    expect(text).toBe('pod/web: container main to start up (startup probe, first attempt in 3s)');
  });

  it('has the same key as long as the same thing is waited for', () => {
    const key = (attempts: ProbeAttempt[]): string =>
      podPhrase({ pod: unready, records: { ...NO_RECORDS, attempts } }, NOW_MS).key;
    const one = key([attempt({ failures: 2, httpStatus: 503 })]);
    expect(key([attempt({ failures: 31, exitCode: 1, output: 'never (again)' })])).toBe(one);
    expect(podPhrase({ pod: starting, records: NO_RECORDS }, NOW_MS).key).not.toBe(one);
  });
});

describe('joinPhrases()', () => {
  const phrase = (name: string) => ({ text: `${name}: x`, key: name });

  it('names some, and counts the rest', () => {
    expect(joinPhrases([])).toBeUndefined();
    expect(joinPhrases([phrase('a'), phrase('b')])?.text).toBe('waiting for a: x; b: x');
    const many = ['a', 'b', 'c', 'd', 'e'].map(phrase);
    expect(joinPhrases(many)?.text).toBe('waiting for a: x; b: x; c: x; 2 more');
  });
});
