import { describe, expect, it } from 'vitest';
import type { ProbeAttempt } from '../../src/lifecycle/probes/probe-attempt.ts';
import { type DefinedProbe, ProbeAttemptTable, renderProbeJournal } from '../../src/print/probe-journal.ts';

const LIVENESS: DefinedProbe = {
  container: 'main',
  type: 'liveness',
  probe: { httpGet: { path: '/health', port: 8080 }, periodSeconds: 5 },
};
const READINESS: DefinedProbe = { container: 'main', type: 'readiness', probe: { exec: { command: ['ok'] } } };

function attempt(offsetSeconds: number, more: Partial<ProbeAttempt> = {}): ProbeAttempt {
  return {
    time: '2026-01-15T12:00:00.000000Z',
    offsetSeconds,
    container: 'main',
    restartCount: 0,
    probe: 'liveness',
    handler: 'http-get http://:8080/health',
    durationMs: 2.4,
    result: 'success',
    output: '',
    successes: 1,
    failures: 0,
    successThreshold: 1,
    failureThreshold: 3,
    decision: 'none',
    ...more,
  };
}

const failure = (offsetSeconds: number, failures: number, more: Partial<ProbeAttempt> = {}): ProbeAttempt =>
  attempt(offsetSeconds, { result: 'failure', httpStatus: 500, successes: 0, failures, ...more });

const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);

describe('the probe journal as text', () => {
  it('has a table for each probe, behind its definition', () => {
    const attempts = [
      attempt(5, { output: 'fine\n' }),
      attempt(5.5, { probe: 'readiness', result: 'error', output: 'no such file', decision: 'notCounted' }),
      failure(10, 3, { output: 'HTTP probe failed with statuscode: 500', decision: 'restart' }),
    ];
    expect(linesOf(renderProbeJournal([LIVENESS, READINESS], attempts))).toEqual([
      'main  Liveness  http-get http://:8080/health delay=0s timeout=1s period=5s #success=1 #failure=3',
      '  RUN   AT        TOOK   RESULT               COUNT   DECISION   OUTPUT',
      '  0     5.000s    2ms    success              1/1                fine',
      '  0     10.000s   2ms    failure (HTTP 500)   3/3     restart    HTTP probe failed with statuscode: 500',
      '',
      'main  Readiness  exec [ok] delay=0s timeout=1s period=10s #success=1 #failure=3',
      '  RUN   AT       TOOK   RESULT   COUNT   DECISION      OUTPUT',
      '  0     5.500s   2ms    error            not counted   no such file',
    ]);
  });

  it('says of a probe that it has not been run', () => {
    expect(linesOf(renderProbeJournal([READINESS], []))[1]).toBe('  no attempts');
  });

  it('folds what follows each other and says the same', () => {
    const [, ...rows] = tableOf([
      attempt(5, { durationMs: 1.2 }),
      attempt(10, { durationMs: 9, successes: 2 }),
      attempt(15, { durationMs: 3, successes: 3 }),
      failure(20, 1),
      attempt(25),
    ]);
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 5))).toEqual([
      ['0', '5.000s (x3 over 10s)', '1-9ms', 'success', '3/1'],
      ['0', '20.000s', '2ms', 'failure (HTTP 500)', '1/3'],
      ['0', '25.000s', '2ms', 'success', '1/1'],
    ]);
  });

  it('folds the tries of a probe that cannot be carried out, each of which has an ID of its own', () => {
    const error = (offsetSeconds: number, decision: ProbeAttempt['decision'], digit: string): ProbeAttempt =>
      attempt(offsetSeconds, { result: 'error', decision, output: `exec "${digit.repeat(64)}": no such file` });
    const [, ...rows] = tableOf([error(5, 'retry', 'a'), error(5, 'retry', 'b'), error(5, 'notCounted', 'c')]);
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
      ['0', '5.000s (x3 over 0s)', '2ms', 'error', 'not counted', 'exec "aaaaaaaaaaaa…": no such file'],
    ]);
  });

  it.each<{ name: string; next: ProbeAttempt }>([
    { name: 'changed something', next: failure(10, 2, { decision: 'restart' }) },
    { name: 'was answered otherwise', next: failure(10, 2, { httpStatus: 503 }) },
    { name: 'said something else', next: failure(10, 2, { output: 'else' }) },
    { name: 'is about the next instance', next: failure(10, 2, { restartCount: 1 }) },
  ])('folds nothing that $name', ({ next }) => {
    expect(tableOf([failure(5, 1), next])).toHaveLength(3);
  });

  it.each<{ more: Partial<ProbeAttempt>; text: string }>([
    { more: { exitCode: 0 }, text: 'success' },
    { more: { result: 'failure', exitCode: 2 }, text: 'failure (exit code 2)' },
    { more: { result: 'warning', httpStatus: 302 }, text: 'warning (HTTP 302)' },
    { more: { result: 'failure', grpcStatus: 'NOT_SERVING' }, text: 'failure (NOT_SERVING)' },
    { more: { result: 'failure', errno: 'ECONNREFUSED' }, text: 'failure (ECONNREFUSED)' },
    { more: { result: 'timeout' }, text: 'timeout' },
  ])('calls a result $text', ({ more, text }) => {
    expect(tableOf([attempt(5, more)])[1]?.split(/ {2,}/)[3]).toBe(text);
  });

  it('shows one line of an output, without effect on the terminal', () => {
    const [, row = ''] = tableOf([attempt(5, { output: '\none\ttwo\u001B[1m\nthree\n' })]);
    expect(row.split(/ {2,}/).at(-1)).toBe('one two^[[1m...');
  });

  it('counts long times in minutes and hours', () => {
    expect(tableOf([attempt(5025.4)])[1]?.split(/ {2,}/)[1]).toBe('1h23m45s');
  });
});

it('attempts that are followed line up, with the headings once', () => {
  const table = new ProbeAttemptTable();
  expect([table.render([attempt(5)]), table.render([]), table.render([failure(10.25, 1)])]).toEqual([
    'CONTAINER   PROBE      RUN   AT       TOOK   RESULT    COUNT   DECISION   OUTPUT\n' +
      'main        liveness   0     5.000s   2ms    success   1/1\n',
    '',
    'main        liveness   0     10.250s   2ms    failure (HTTP 500)   1/3\n',
  ]);
});

/** The headings and rows of a table. */
function tableOf(attempts: readonly ProbeAttempt[]): string[] {
  const [, ...lines] = linesOf(renderProbeJournal([LIVENESS], attempts));
  return lines.map((line) => line.slice(2));
}
