import { describe, expect, it } from 'vitest';
import { masqueradeCommand, wayOutCommand } from '../../../src/network/linux/way-out-commands.ts';

const pasta = { kind: 'pasta', program: '/usr/bin/pasta', nft: '/usr/sbin/nft' } as const;
const slirp = { kind: 'slirp4netns', program: '/usr/bin/slirp4netns', nft: '/usr/sbin/nft' } as const;
const nat = { kind: 'nat', program: '/usr/sbin/ip', nft: '/usr/sbin/nft' } as const;
const programs = { sh: 'sh', setpriv: 'setpriv', unshare: 'unshare', nsenter: 'nsenter', sleep: 'sleep', ip: 'ip' };
const place = { programs, anchorPid: 9 } as const;
const request = { ...place, hasHostAccess: true, isRoot: false, outlivesPodrun: false } as const;

describe('the way out of a cluster', () => {
  it.each([
    ['pasta', { ...request, tools: pasta }, / --no-ndp 9$/],
    ['pasta of root', { ...request, tools: pasta, isRoot: true }, / --no-ndp --runas 0 9$/],
    ['pasta without this machine', { ...request, tools: pasta, hasHostAccess: false }, / --no-ndp --no-map-gw 9$/],
    ['slirp4netns', { ...request, tools: slirp }, / --cidr=10\.94\.0\.0\/24 --userns-path=\/proc\/9\/ns\/user /],
    [
      'slirp4netns without this machine',
      { ...request, tools: slirp, hasHostAccess: false },
      / --disable-host-loopback /,
    ],
  ])('by %s', (_, asked, expected) => {
    const words = wayOutCommand(asked).join(' ');
    expect(words).toMatch(expected);
    expect(
      words.startsWith(`setpriv --pdeathsig KILL sh -c read -r go && exec "$@" </dev/null sh ${asked.tools.program} `),
    ).toBe(true);
  });

  it('outlives podrun where podrun records it', () => {
    expect(wayOutCommand({ ...request, tools: slirp, outlivesPodrun: true })[0]).toBe('sh');
  });

  it.each([
    [true, '10.94.0.1'],
    [false, '0.0.0.0'],
  ])('by packets that this machine forwards; with access to it: %s', (hasHostAccess, address) => {
    const words = wayOutCommand({ ...request, tools: nat, hasHostAccess });
    expect(words.slice(-7)).toEqual(['ip', '/usr/sbin/nft', 'nsenter', 'setpriv', 'sleep', '9', address]);
  });

  it('forwards no port by itself', () => {
    expect(wayOutCommand({ ...request, tools: pasta }).join(' ')).toContain('-t none -u none -T none -U none');
  });

  it('hides the addresses of Pods', () => {
    const cluster = { nsenter: 'nsenter', holderPid: 7, isUsers: false, files: { net: 20, user: 21 } };
    expect(masqueradeCommand(slirp, cluster).slice(0, 4)).toEqual([
      'nsenter',
      '--net=/proc/7/fd/20',
      '--',
      '/usr/sbin/nft',
    ]);
  });
});
