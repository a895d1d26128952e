import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { objectPath, podPaths, stateRoot } from '../../src/store/base/layout.ts';

describe('stateRoot()', () => {
  it.each([
    { name: 'the flag first', flag: '/flag', env: { PODRUN_STATE_DIR: '/env', XDG_STATE_HOME: '/xdg' }, want: '/flag' },
    { name: 'then PODRUN_STATE_DIR', env: { PODRUN_STATE_DIR: '/env', XDG_STATE_HOME: '/xdg' }, want: '/env' },
    { name: 'then XDG_STATE_HOME', env: { XDG_STATE_HOME: '/xdg' }, want: '/xdg/podrun' },
    {
      name: 'a relative XDG_STATE_HOME does not count',
      env: { XDG_STATE_HOME: 'x' },
      want: '/home/u/.local/state/podrun',
    },
    { name: 'empty variables do not count', env: { PODRUN_STATE_DIR: '' }, want: '/home/u/.local/state/podrun' },
    { name: 'a relative folder is taken from here', flag: 'x', env: {}, want: path.resolve('x') },
  ])('$name', ({ flag, env, want }) => {
    expect(stateRoot({ flag, env, home: '/home/u' })).toBe(want);
  });
});

describe('paths', () => {
  it.each(['', '.', '..', '.hidden', 'a/b', '../x', 'a\0b', 'a%2fb', 'x'.repeat(256)])(
    'refuse %j as a name',
    (name) => {
      expect(() => podPaths('/root', 'default', name)).toThrow(/^invalid resource name ".*": \[may not/);
      expect(() => podPaths('/root', name, 'web')).toThrow(/^invalid resource name/);
      expect(() => objectPath('/root', name, 'default', 'web')).toThrow(/^invalid resource name/);
    },
  );

  it('take the longest name that Kubernetes allows unchanged', () => {
    const name = `a.${'b'.repeat(251)}`;
    expect(path.basename(podPaths('/root', 'default', name).folder)).toBe(name);
    expect(path.basename(objectPath('/root', 'configmaps', 'default', name))).toBe(name);
  });
});
