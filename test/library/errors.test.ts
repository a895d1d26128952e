import { describe, expect, it } from 'vitest';
import { usage } from '../../src/api/base/errors.ts';
import { GoalError, ManifestError, PodrunError, TimeoutError } from '../../src/library/index.ts';
import { asLibraryAdvice, withLibraryErrors } from '../../src/library/base/library-errors.ts';
import { newPod } from '../store/objects.ts';

const problem = { line: 3, column: 5, kind: 'Pod', name: 'web', field: 'spec', message: 'no', hint: undefined };

describe('the errors of the library', () => {
  it.each([
    { error: new ManifestError('no', [{ ...problem, file: 'pod.yaml' }]), code: 'InvalidManifest', path: 'pod.yaml' },
    { error: new GoalError('Ready', newPod('web'), 'it ended'), code: 'GoalNotReached', path: undefined },
    { error: new TimeoutError('late', { goal: 'Ready', timeoutMs: 1, objects: [] }), code: 'Timeout', path: undefined },
  ])('$error.name has the code $code', ({ error, code, path }) => {
    expect(error).toBeInstanceOf(PodrunError);
    expect([error.code, error.path]).toEqual([code, path]);
  });

  it('keep their code, and say the hint, where the command line prints it on a line of its own', () => {
    const call = (): void =>
      withLibraryErrors(() => {
        throw usage('there is no such flag', 'Did you mean --until?');
      });
    expect(call).toThrow(expect.objectContaining({ code: 'Usage', hint: 'Did you mean --until?' }));
    expect(call).toThrow('there is no such flag\nDid you mean --until?');
  });
});

it.each([
  { advice: 'read its log: podrun logs web -c main -n shop', said: "read its log: pods.logs('main')" },
  { advice: 'see its details: podrun describe pod web', said: "see its details: pods.describe('web')" },
  { advice: 'read the output of its hooks: podrun logs web -c main --hooks', said: undefined },
  { advice: 'see every attempt: podrun probes web -c main', said: undefined },
  { advice: 'or apply it by itself: podrun apply -f FILE', said: undefined },
  { advice: 'name the program in podrun.yaml', said: 'name the program in podrun.yaml' },
])('the advice of the library for "$advice"', ({ advice, said }) => {
  expect(asLibraryAdvice(advice)).toBe(said);
});
