import { describe, expect, it } from 'vitest';
import { clusterCommand, linkCommand, podNetworkCommand } from '../../../src/network/linux/cluster-commands.ts';
import { HOLD } from '../../../src/network/linux/mark.ts';
import type { NetworkJoin } from '../../../src/runtime/base/join.ts';
import type { NetworkTools } from '../../../src/network/linux/tools.ts';

const tools: NetworkTools = {
  sh: 'sh',
  unshare: 'unshare',
  nsenter: 'nsenter',
  setpriv: 'setpriv',
  sleep: 'sleep',
  ip: 'ip',
};
const cluster: NetworkJoin = { nsenter: 'nsenter', holderPid: 7, isUsers: true, files: { net: 20, user: 21 } };
const asRoot: NetworkJoin = { ...cluster, isUsers: false };

/** The words before the script, which is the last one. */
const words = ({ argv }: { readonly argv: readonly string[] }): string => argv.slice(0, -1).join(' ');
const script = ({ argv }: { readonly argv: readonly string[] }): string => argv.at(-1) ?? '';
const request = {
  tools,
  address: '10.93.4.5',
  isOfNode: false,
  uid: 1001,
  gid: 1002,
  sysctls: [],
  heldFor: undefined,
} as const;

describe('the command that makes', () => {
  it.each([
    [
      'a cluster',
      clusterCommand(tools, undefined),
      'setpriv --pdeathsig KILL unshare --user --map-root-user --net sh -c',
    ],
    ['a cluster that outlives podrun', clusterCommand(tools, '/state'), 'unshare --user --map-root-user --net sh -c'],
    [
      'the network of a Pod of root',
      podNetworkCommand({ ...request, mode: 'root', cluster: asRoot }),
      'setpriv --pdeathsig KILL unshare --net sh -c',
    ],
    [
      'the network of a Pod of a user',
      podNetworkCommand({ ...request, mode: 'user', cluster }),
      'setpriv --pdeathsig KILL nsenter --user=/proc/7/fd/21 --preserve-credentials --net=/proc/7/fd/20 -- ' +
        'unshare --user --map-user=1001 --map-group=1002 --keep-caps --net sh -c',
    ],
  ])('%s', (_, command, expected) => {
    expect(words(command)).toBe(expected);
  });

  it('a network waits for a line before it writes a setting', () => {
    for (const command of [
      clusterCommand(tools, undefined),
      podNetworkCommand({ ...request, mode: 'user', cluster }),
    ]) {
      expect(script(command).indexOf('read -r go')).toBeGreaterThan(0);
      expect(script(command).indexOf('read -r go')).toBeLessThan(script(command).indexOf('/proc/sys/net'));
    }
  });

  it('a network ends with its input, unless its input says hold', () => {
    expect(
      script(clusterCommand(tools, '/state')).endsWith(`
read -r hold || exit
${HOLD}`),
    ).toBe(true);
  });

  it('the link between a Pod and its cluster, which leads to the router only', () => {
    const { argv, input } = linkCommand(tools, asRoot, {
      link: 'v4026532180',
      address: '10.93.4.255',
      peer: '/proc/7/fd/30',
    });
    expect(argv.join(' ')).toBe('nsenter --net=/proc/7/fd/20 -- ip -batch -');
    expect(input).toBe(`link add v4026532180 mtu 9000 type veth \
peer name eth0 address 02:00:0a:5d:04:ff mtu 9000 netns /proc/7/fd/30
link set v4026532180 master br0
link set v4026532180 type bridge_slave isolated on
link set v4026532180 up
`);
  });
});
