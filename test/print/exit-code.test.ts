import { describe, expect, it } from 'vitest';
import { describeEnd, describeExitCode, meaningOfExitCode, reasonOfEnd } from '../../src/print/base/exit-code.ts';

describe('describeExitCode()', () => {
  it.each([
    [0, 'exit code 0'],
    [3, 'exit code 3'],
    [126, 'exit code 126 (not executable)'],
    [127, 'exit code 127 (command not found)'],
    [128, 'exit code 128'],
    [129, 'exit code 129 (SIGHUP)'],
    [130, 'exit code 130 (SIGINT)'],
    [134, 'exit code 134 (SIGABRT)'],
    [137, 'exit code 137 (SIGKILL)'],
    [139, 'exit code 139 (SIGSEGV)'],
    [143, 'exit code 143 (SIGTERM)'],
    [159, 'exit code 159 (SIGSYS)'],
    [160, 'exit code 160'],
    [255, 'exit code 255'],
  ])('explains %d', (code, text) => {
    expect(describeExitCode(code)).toBe(text);
  });

  it('knows a meaning for 33 codes only', () => {
    const known = Array.from({ length: 256 }, (_, code) => code).filter((code) => meaningOfExitCode(code));
    expect(known).toHaveLength(33);
  });
});

describe('the end of a container', () => {
  const startedAt = '2026-01-15T12:00:00Z';

  it.each([
    [{ exitCode: 0, reason: 'Completed', startedAt }, 'exited with code 0', undefined],
    [{ exitCode: 137, reason: 'Error', startedAt }, 'exited with code 137 (SIGKILL)', undefined],
    [{ exitCode: 2, reason: 'Error', message: 'one\nlast word\n', startedAt }, 'exited with code 2', 'last word'],
    [{ exitCode: 2, reason: 'Odd', message: 'why', startedAt }, 'exited with code 2', 'Odd: why'],
    [
      { exitCode: 137, reason: 'OOMKilled', startedAt },
      'ran out of memory: OOMKilled, exit code 137 (SIGKILL)',
      undefined,
    ],
    [
      { exitCode: 128, reason: 'StartError', message: 'exec: "x": not found' },
      'could not be started',
      'exec: "x": not found',
    ],
    [{ exitCode: 137, reason: 'ContainerStatusUnknown', message: 'could not be located' }, 'never ran', undefined],
    [
      { exitCode: 137, reason: 'ContainerStatusUnknown', message: 'The container used to be Running', startedAt },
      'was lost (exit code 137 (SIGKILL))',
      'The container used to be Running',
    ],
  ])('%j is printed as "%s" because of %s', (terminated, end, why) => {
    expect(describeEnd(terminated)).toBe(end);
    expect(reasonOfEnd(terminated)).toBe(why);
  });
});
