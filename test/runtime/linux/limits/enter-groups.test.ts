import { describe, expect, it } from 'vitest';
import { enteringGroups } from '../../../../src/runtime/linux/limits/limiter.ts';

const CALL = {
  file: '/usr/bin/app',
  argv: ['app', '-v'] as [string, ...string[]],
  env: { PATH: '/usr/bin' },
  cwd: '/',
};

const GROUPS = ['/g/memory', '/g/cpu'];

describe('a program that enters its groups', () => {
  it('is found along its own PATH, and sees its own name', () => {
    expect(enteringGroups(GROUPS, CALL, CALL)?.argv.slice(3)).toEqual(['limits', ...GROUPS, '--', 'app', '-v']);
  });

  it("has podrun's own programs before it by their paths, not by the PATH of its variables", () => {
    const entered = { ...CALL, file: '/usr/bin/nsenter', argv: ['nsenter', '-m', 'app', '-v'] as typeof CALL.argv };
    expect(enteringGroups([], entered, CALL)?.argv.slice(4)).toEqual(['--', '/usr/bin/nsenter', '-m', 'app', '-v']);
  });

  it.each(['a.b', 'LD_PRELOAD', 'PS4', 'SHELLOPTS', 'BASH_ENV', 'IFS', 'PWD'])(
    'cannot do so when a shell would make something of %s',
    (name) => expect(enteringGroups(GROUPS, { ...CALL, env: { ...CALL.env, [name]: 'x' } }, CALL)).toBeUndefined(),
  );

  it('cannot do so when its name looks like an option', () => {
    expect(enteringGroups(GROUPS, { ...CALL, argv: ['-app'] }, { ...CALL, argv: ['-app'] })).toBeUndefined();
  });
});
