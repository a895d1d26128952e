import { describe, expect, it } from 'vitest';
import type { Identity } from '../../src/runtime/base/confinement.ts';
import { withIdentity } from '../../src/runtime/identity-command.ts';
import { HOST, type Inside } from '../../src/runtime/base/inside.ts';
import { HOST_TOOLS } from '../../src/runtime/start/loader-variables.ts';
import { findSetpriv } from '../../src/runtime/start/setpriv.ts';
import { needs } from '../needs.ts';

const OWN: Identity = {
  uid: undefined,
  gid: undefined,
  groups: undefined,
  capabilities: undefined,
  noNewPrivileges: false,
};
const NO_MORE = '--inh-caps -all';

const TABLE: ReadonlyArray<{ name: string; identity: Partial<Identity>; words: string }> = [
  { name: 'podrun itself', identity: {}, words: '' },
  { name: 'another user', identity: { uid: 5 }, words: '--reuid 5 --clear-groups' },
  { name: 'a user in groups', identity: { uid: 5, gid: 6, groups: [6, 7] }, words: '--reuid 5 --regid 6 --groups 6,7' },
  { name: 'another group', identity: { gid: 6 }, words: '--regid 6 --keep-groups' },
  { name: 'no groups', identity: { groups: [] }, words: '--clear-groups' },
  { name: 'no capabilities', identity: { capabilities: [] }, words: `--bounding-set -all ${NO_MORE}` },
  { name: 'some', identity: { capabilities: ['chown', 'kill'] }, words: `--bounding-set -all,+chown,+kill ${NO_MORE}` },
  { name: 'no new privileges', identity: { noNewPrivileges: true }, words: '--no-new-privs' },
];

/** The words before a program of a container with this identity. */
function prefixOf(identity: Partial<Identity>, users: 'mapped' | 'single'): string {
  const tools = { ...HOST_TOOLS, setpriv: ['/bin/setpriv'] as const, unshare: ['/bin/unshare'] as const, users };
  const call = { file: '/bin/app', argv: ['app'] as const, env: {}, cwd: '/' };
  const { argv } = withIdentity({ ...HOST, tools }, { ...OWN, ...identity }).enter(call);
  return argv.slice(0, -1).join(' ');
}

describe('the words before a program', () => {
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

  it.each(TABLE)('make it $name', ({ identity, words }) => {
    expect(prefixOf(identity, 'mapped')).toBe(words === '' ? '' : `/bin/setpriv ${words}`);
  });

  it.each([
    { name: 'podrun itself', identity: {}, words: `--map-user=${own.uid} --map-group=${own.gid}` },
    { name: 'another', identity: { uid: 0, gid: 5, groups: [5] }, words: '--map-user=0 --map-group=5' },
    {
      name: 'with fewer rights',
      identity: { noNewPrivileges: true },
      words: `--map-user=${own.uid} --map-group=${own.gid} /bin/setpriv --no-new-privs`,
    },
  ])('show it as $name in a user namespace', ({ identity, words }) => {
    expect(prefixOf(identity, 'single')).toBe(`/bin/unshare --user ${words}`);
  });
});

describe('the process that also loads a filter of system calls', () => {
  const seccomp = { flags: 4, hex: '06000000' };
  const perl = ['/bin/perl'] as const;
  const tools = { ...HOST_TOOLS, setpriv: ['/bin/setpriv'], unshare: ['/bin/unshare'], perl } as const;
  const call = { file: '/bin/app', argv: ['app', '-x'], env: { A: '1', LD_PRELOAD: 'x.so', PERL5LIB: '/l' }, cwd: '/' };
  const enter = (identity: Partial<Identity>, parts: Partial<Inside>) => {
    const inside: Inside = { ...HOST, ...parts };
    return withIdentity(inside, { ...OWN, ...identity }, seccomp).enter({ ...call, argv: ['app', '-x'] });
  };
  const wordsAfter = (argv: readonly string[], mark: string): readonly string[] => argv.slice(argv.indexOf(mark) + 1);

  it('is in place of what changes the user, with variables that it must not obey behind it', () => {
    const rights = { uid: 5, gid: 6, groups: [6, 7], capabilities: ['chown', 'kill'], noNewPrivileges: true };
    const { argv, env } = enter(rights, { tools: { ...tools, users: 'mapped' } });
    expect(argv.slice(0, 2)).toEqual(['/bin/perl', '-e']);
    const [, ...words] = wordsAfter(argv, '--');
    const variables = ['2', 'LD_PRELOAD=x.so', 'PERL5LIB=/l'];
    expect(words).toEqual(['', '', '5', '6', '6,7', '0,5', '1', '4', '06000000', ...variables, 'app', '-x']);
    expect(env).toEqual({ A: '1' });
  });

  it('comes after the user namespace that shows another user', () => {
    const { argv } = enter({ uid: 0, gid: 0, groups: [5] }, { tools: { ...tools, users: 'single' } });
    expect(argv.slice(0, 6)).toEqual(['/bin/unshare', '--user', '--map-user=0', '--map-group=0', '/bin/perl', '-e']);
    expect(wordsAfter(argv, '--').slice(3, 8)).toEqual(['-', '-', '-', '-', '']);
  });

  it('is left to an inside that changes the root in the same process', () => {
    const seen: unknown[] = [];
    const inside: Partial<Inside> = {
      takesLastStep: true,
      enter: (given) => {
        seen.push(given.last);
        return given;
      },
    };
    expect(enter({ uid: 5 }, inside).argv).toEqual(['app', '-x']);
    expect(seen).toEqual([{ identity: { ...OWN, uid: 5 }, seccomp }]);
  });

  it('is not there without a filter', () => {
    expect(withIdentity(HOST, undefined)).toBe(HOST);
  });
});

describe('the inside of a container with an identity', () => {
  const setpriv = findSetpriv();
  const enter = (env: Record<string, string>, identity: Partial<Identity> = { uid: 5 }, name = 'app') =>
    withIdentity(HOST, { ...OWN, ...identity }).enter({
      file: '/bin/app',
      argv: [name, '-x'],
      env,
      cwd: '/w',
    });

  it('is the same for podrun itself', () => {
    expect(withIdentity(HOST, undefined)).toBe(HOST);
    expect(withIdentity(HOST, OWN)).toBe(HOST);
  });

  it('starts what changes to it, and that starts the program', needs('program setpriv'), () => {
    const call = enter({ A: '1' });
    expect(call).toEqual({
      file: setpriv,
      argv: [setpriv, '--reuid', '5', '--clear-groups', 'app', '-x'],
      env: { A: '1' },
      cwd: '/w',
    });
  });

  it("keeps the container's libraries out of the program that has podrun's rights", needs('program setpriv'), () => {
    const call = enter({ LD_PRELOAD: '/evil.so', PASSWORD: 'x' });
    expect(call.env).toEqual({ PASSWORD: 'x' });
    expect(call.argv.slice(4)).toEqual(['/usr/bin/env', 'LD_PRELOAD=/evil.so', 'app', '-x']);
    const words = enter({ LD_PRELOAD: '/evil.so' }, { uid: 5 }, '/a=b/app').argv.slice(4);
    expect(words.join(' ')).toBe('/usr/bin/env LD_PRELOAD=/evil.so /usr/bin/nice -n 0 /a=b/app -x');
  });

  it('continues inside the given environment', () => {
    const tools = { ...HOST_TOOLS, setpriv: ['/bin/setpriv'], unshare: ['/bin/unshare'], users: 'single' } as const;
    const inner: Inside = {
      ...HOST,
      tools,
      enter: (call) => ({ ...call, file: 'nsenter', argv: ['nsenter', ...call.argv] }),
    };
    const { argv } = withIdentity(inner, { ...OWN, uid: 0, gid: 0 }).enter({
      file: '/bin/app',
      argv: ['app'],
      env: {},
      cwd: '/',
    });
    expect(argv.join(' ')).toBe('nsenter /bin/unshare --user --map-user=0 --map-group=0 app');
  });
});
