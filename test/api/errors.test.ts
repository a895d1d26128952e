import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorText, fromServer, hasCode, PodrunError, usage } from '../../src/api/base/errors.ts';

/** The exit codes, written down a second time: the type makes a new code appear here. */
const EXPECTED: Readonly<Record<ErrorCode, number>> = {
  Usage: 2,
  InvalidManifest: 2,
  Unsupported: 2,
  BadRequest: 1,
  NotFound: 1,
  AlreadyExists: 1,
  Conflict: 1,
  Forbidden: 1,
  Unauthorized: 1,
  Expired: 1,
  Invalid: 1,
  RequestEntityTooLarge: 1,
  InternalError: 1,
  NotRunning: 1,
  Unreachable: 1,
  GoalNotReached: 1,
  Timeout: 124,
  Disk: 1,
};

describe('PodrunError', () => {
  it.each(Object.entries(EXPECTED) as Array<[ErrorCode, number]>)('%s ends a command with %d', (code, exitCode) => {
    const error = new PodrunError(code, 'it failed');
    expect([error.exitCode, hasCode(error, code)]).toEqual([exitCode, true]);
  });

  it('has its codes and their exit codes in docs/exit-codes.md', () => {
    const page = readFileSync(path.join(import.meta.dirname, '../../docs/exit-codes.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \| .* \| (\d+) \|$/gm)];
    expect(Object.fromEntries(rows.map(([, code, exitCode]) => [code, Number(exitCode)]))).toEqual(EXPECTED);
  });

  it('keeps place, hint and cause', () => {
    const cause = new Error('ENOSPC');
    const error = new PodrunError('Disk', 'no room', { path: '/state', hint: 'Make room.', cause });
    expect(error).toMatchObject({ name: 'PodrunError', path: '/state', hint: 'Make room.', cause });
  });

  it('is distinguished by its code', () => {
    expect([hasCode(usage('no'), 'NotFound'), hasCode(new Error('Usage'), 'Usage')]).toEqual([false, false]);
  });
});

describe('errorText()', () => {
  it.each([
    { what: 'our own', error: usage('no such flag'), text: 'error: no such flag\n' },
    { what: 'one with a hint', error: usage('no such flag', 'See help.'), text: 'error: no such flag\nSee help.\n' },
    {
      what: "the API server's",
      error: fromServer('NotFound', 'pods "web" not found', 'Did you mean web2?'),
      text: 'Error from server (NotFound): pods "web" not found\nDid you mean web2?\n',
    },
    {
      what: 'a refused change',
      error: new PodrunError('Invalid', 'The Pod "web" is invalid: spec: Forbidden'),
      text: 'The Pod "web" is invalid: spec: Forbidden\n',
    },
    {
      what: 'a sentence that only begins like one of the API server',
      error: new PodrunError('Invalid', 'The tar is damaged'),
      text: 'error: The tar is damaged\n',
    },
    {
      what: 'several mistakes',
      error: new PodrunError('Unsupported', 'error: pod/a: no cgroup\nerror: pod/b: no cgroup'),
      text: 'error: pod/a: no cgroup\nerror: pod/b: no cgroup\n',
    },
  ])('prints $what', ({ error, text }) => {
    expect(errorText(error)).toBe(text);
  });
});
