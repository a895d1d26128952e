import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hardwareAddress, ROUTER } from '../../src/network/linux/cluster-commands.ts';
import { childrenOf } from '../children-of.ts';
import { quietly } from '../../src/quietly.ts';
import { CASES, placeWithNetwork } from '../cli/network-place.ts';
import type { Podrun } from '../cli/workshop.ts';
import { need } from '../needs.ts';
import { programsForAll } from '../ordinary-user.ts';
import { PATIENT } from '../patience.ts';

/** Prints each datagram that reaches the Pod by IPv4 or IPv6, and its own address and network. */
const RECEIVE = `
  const { createSocket } = require('node:dgram');
  for (const type of ['udp4', 'udp6']) createSocket({ type, ipv6Only: type === 'udp6' })
    .on('message', (said) => console.log('heard ' + said)).bind(5000);
  console.log('at ' + process.env.POD_IP + ' in ' + require('node:fs').readlinkSync('/proc/self/ns/net') + '.');`;
/** Sends a word to an address from an address, and ends when the kernel has taken it. */
const SEND = `
  const [word, to, from] = process.argv.slice(1);
  const socket = require('node:dgram').createSocket(to.includes(':') ? 'udp6' : 'udp4');
  socket.bind({ address: from }, () => socket.send(word, 5000, to, () => socket.close()));`;

/** A network namespace, entered as one who may do everything to it. */
class Network {
  readonly #pid: string;

  /** @param name as /proc has it: `net:[1]` */
  constructor(name: string) {
    const isIn = (pid: string): boolean => quietly(() => readlinkSync(`/proc/${pid}/ns/net`)) === name;
    const pid = readdirSync('/proc').find((entry) => /^\d+$/.test(entry) && isIn(entry));
    if (pid === undefined) throw new Error(`no process is in ${name}`);
    this.#pid = pid;
  }

  run(...words: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync('nsenter', [`--net=/proc/${this.#pid}/ns/net`, '--', ...words]);
    if (status !== 0) throw new Error(`${words.join(' ')} failed: ${String(stderr)}`);
    return String(stdout);
  }

  ip(words: string): string {
    return this.run('ip', ...words.split(' '));
  }

  /** IPv6, which podrun has turned off. Answers the link's own address. */
  turnOnIPv6(): string {
    this.run('sh', '-c', 'echo 0 >/proc/sys/net/ipv6/conf/eth0/disable_ipv6');
    this.ip('addr add fe80::1/64 dev eth0 nodad');
    return /fe80::\S+(?=\/64)/.exec(this.ip('-6 addr show dev eth0'))?.[0] ?? '';
  }

  send(word: string, to: string, from = ''): void {
    this.run(process.execPath, '-e', SEND, word, to, from);
  }
}

/** The network of a run: that of its helper. */
function routerOf({ pid }: Podrun): Network {
  const helper = childrenOf(pid).find((child) =>
    (quietly(() => readFileSync(`/proc/${child}/cmdline`, 'utf8')) ?? '').includes('network-helper'),
  );
  return new Network(readlinkSync(`/proc/${helper}/ns/net`));
}

/** A Pod, and the right over its network that CAP_NET_ADMIN and CAP_NET_RAW give. */
interface Member {
  readonly address: string;
  readonly network: Network;
}

function memberOf({ stdout }: Podrun, pod: string): Member {
  const [, address = '', network = ''] = new RegExp(`│ ${pod}/main +at (\\S+) in (\\S+)\\.$`, 'm').exec(stdout) ?? [];
  return { address, network: new Network(network) };
}

const users = CASES.filter(({ tier }) => tier === 'process');

describe.each(users)('a Pod of $who that may change its network', (who) => {
  it('reaches another one by the router and with its own addresses only', async (context) => {
    need(context, 'root', 'program nft');
    const place = placeWithNetwork(context, who);
    const command = [programsForAll().node, '-e', RECEIVE];
    const readinessProbe = { tcpSocket: { port: 1 }, periodSeconds: 3600 };
    const spec = { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', command, readinessProbe }] };
    const files = ['web', 'friend', 'evil'].map((name) => place.workshop.pod(name, spec));
    const apply = place.start(['apply', ...files, '--network', 'cluster', '--runtime', who.tier]);
    await apply.until(({ stdout }) => stdout.match(/ in net:\[\d+\]\./g)?.length === 3);
    const [web, friend, evil] = ['web', 'friend', 'evil'].map((pod) => memberOf(apply, pod)) as [
      Member,
      Member,
      Member,
    ];
    const heard = (): string[] => [...apply.stdout.matchAll(/│ web\/main +heard (\S+)/g)].map(([, word = '']) => word);
    const router = routerOf(apply);

    evil.network.send('by-the-router', web.address);
    await expect.poll(heard, PATIENT).toEqual(['by-the-router']);

    const { network } = evil;
    network.ip(`neigh add ${web.address} lladdr ${hardwareAddress(web.address)} dev eth0 nud permanent`);
    network.ip(`route add ${web.address} dev eth0`);
    network.send('past-the-router', web.address);
    network.ip(`route del ${web.address} dev eth0`);

    for (const address of [friend.address, ROUTER, '192.0.2.1']) {
      if (address === ROUTER) network.ip(`route change default via ${ROUTER} dev eth0 onlink`);
      network.ip(`addr add ${address}/32 dev eth0`);
      network.send(`from-${address}`, web.address, address);
      network.ip(`addr del ${address}/32 dev eth0`);
    }

    const theirs = web.network.turnOnIPv6();
    network.turnOnIPv6();
    const link = hardwareAddress(web.address);
    network.ip(`-6 neigh add ${theirs} lladdr ${link} dev eth0 nud permanent`);
    network.send('by-IPv6', `${theirs}%eth0`);
    network.send('to-all-of-the-link', 'ff02::1%eth0');

    // Requests of ARP, sent from an address and answered for it: the router would take this Pod for the other one.
    network.ip(`addr add ${friend.address}/32 dev eth0`);
    network.ip('neigh flush dev eth0');
    network.send('asks-as-the-friend', ROUTER, friend.address);
    router.ip('neigh flush dev br0');
    router.send('to-the-friend', friend.address);
    const heardByFriend = (): boolean => /│ friend\/main +heard to-the-friend/.test(apply.stdout);
    await expect.poll(heardByFriend, PATIENT).toBe(true);
    expect(router.ip(`neigh show ${friend.address}`)).toContain(hardwareAddress(friend.address));
    network.ip(`addr del ${friend.address}/32 dev eth0`);

    // The bridge would learn from such a frame that the address is here.
    network.ip(`link set eth0 address ${link}`);
    network.send('with-the-address-of-Ethernet', ROUTER);
    router.send('of-the-router', web.address);
    await expect.poll(heard, PATIENT).toContain('of-the-router');
    network.ip(`link set eth0 address ${hardwareAddress(evil.address)}`);

    network.send('at-last', web.address);
    await expect.poll(heard, PATIENT).toContain('at-last');
    expect(heard()).toEqual(['by-the-router', 'of-the-router', 'at-last']);
    apply.signal('SIGINT');
    await apply.ended;
  });
});
