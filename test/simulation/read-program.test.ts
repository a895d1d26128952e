import { describe, expect, it } from 'vitest';
import { readProgram } from '../../src/simulation/read-program.ts';

describe('readProgram', () => {
  it.for<[string, object[]]>([
    ['app=runs', [{ readyAfterMs: 0 }]],
    ['app=exits 3 after 10s', [{ readyAfterMs: 0, exitAfterMs: 10_000, exitCode: 3 }]],
    ['app=exits 0', [{ readyAfterMs: 0, exitAfterMs: 0, exitCode: 0 }]],
    ['app=out of memory after 1m30s', [{ readyAfterMs: 0, exitAfterMs: 90_000, oomKilled: true }]],
    ['app=never ready', [{ readyAfterMs: undefined }]],
    ['app=exits 1 after 1s, ready after 500ms', [{ readyAfterMs: 500, exitAfterMs: 1000, exitCode: 1 }]],
    ['app=exits 1 then runs', [{ readyAfterMs: 0, exitAfterMs: 0, exitCode: 1 }, { readyAfterMs: 0 }]],
  ])('%s', ([text, lives]) => {
    expect(readProgram(text)).toEqual({ container: 'app', lives });
  });

  it('reads the reactions to TERM', () => {
    const [first, second] = readProgram('app=ignores TERM then stops after 2s').lives;
    expect(first?.onSignal?.('SIGTERM')).toBe('ignore');
    expect(second?.onSignal?.('SIGTERM')).toEqual({ exitAfterMs: 2000, exitCode: 0 });
  });

  it.for<[string, string]>([
    ['exits 3', 'it has no CONTAINER='],
    ['app=', 'it has no CONTAINER='],
    ['app=flies', '"flies" is none of its clauses'],
    ['app=exits 3, flies', '"flies" is none of its clauses'],
    ['app=exits 300', '300 is no exit code'],
    ['app=exits 3 after soon', '"soon" is no duration'],
    ['app=ready after -1s', '"-1s" is no duration'],
  ])('refuses %s', ([text, why]) => {
    expect(() => readProgram(text)).toThrow(why);
  });
});
