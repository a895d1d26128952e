import { describe, expect, it } from 'vitest';
import { gated } from '../../../../src/runtime/linux/limits/gate.ts';

const CALL = {
  file: '/usr/bin/app',
  argv: ['app', '-v'] as [string, ...string[]],
  env: { PATH: '/usr/bin' },
  cwd: '/',
};

describe('a program that waits for its limits', () => {
  it('is found along its own PATH, and sees its own name', () => {
    expect(gated(CALL, CALL)?.argv.slice(3)).toEqual(['sh', 'app', '-v']);
  });

  it("has podrun's own programs before it by their paths, not by those of its variables", () => {
    const entered = { ...CALL, file: '/usr/bin/nsenter', argv: ['nsenter', '-m', 'app', '-v'] as typeof CALL.argv };
    expect(gated(entered, CALL)?.argv.slice(4)).toEqual(['/usr/bin/nsenter', '-m', 'app', '-v']);
  });

  it.each(['a.b', 'LD_PRELOAD', 'PS4', 'SHELLOPTS', 'BASH_ENV', 'IFS', 'PWD'])(
    'cannot wait when a shell would make something of %s',
    (name) => expect(gated({ ...CALL, env: { ...CALL.env, [name]: 'x' } }, CALL)).toBeUndefined(),
  );

  it('cannot wait when its name looks like an option', () => {
    expect(gated({ ...CALL, argv: ['-app'] }, { ...CALL, argv: ['-app'] })).toBeUndefined();
  });
});
