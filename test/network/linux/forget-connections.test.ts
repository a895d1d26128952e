import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it, type TestContext } from 'vitest';
import { forgetConnections } from '../../../src/network/linux/forget-connections.ts';
import { joinPrefix, type NetworkJoin } from '../../../src/runtime/index.ts';
import { needs } from '../../needs.ts';
import { PATIENCE_MS, PATIENT } from '../../patience.ts';
import { works } from '../../cli/network-place.ts';

const [SERVER, OTHER] = ['127.0.0.2', '127.0.0.3'];
/** Echoes what comes to two addresses, and has a client that sends each line of its input to one of them. */
const ECHO = `
  const { createSocket } = require('dgram');
  const servers = process.argv.slice(1).map((address) => {
    const server = createSocket('udp4').bind(53, address);
    server.on('message', (text, { port, address: host }) => server.send(text, port, host));
    return server;
  });
  const client = createSocket('udp4').bind(5353, '127.0.0.1');
  client.on('message', (text, { address }) => console.log(address));
  client.on('listening', () => console.log('ready'));
  require('readline').createInterface({ input: process.stdin }).on('line', (to) => client.send('x', 53, to));`;
/** Permits open connections only. The first rule has the kernel follow connections. */
const OPEN = `add table inet t
add chain inet t input { type filter hook input priority 0 ; }
add rule inet t input ct state established accept`;
const CLOSED = `add rule inet t input ip daddr ${SERVER} udp dport 53 counter drop`;

/** A network of its own, and the lines that a process in it prints. */
class Room {
  readonly lines: string[] = [];
  readonly join: NetworkJoin;
  readonly #process: ChildProcess;

  constructor(context: TestContext) {
    const words = ['--user', '--map-root-user', '--net', 'sh', '-c'];
    const script = `ip link set lo up && nft "$0" && exec "$@"`;
    const program = [process.execPath, '-e', ECHO, SERVER, OTHER];
    this.#process = spawn('unshare', [...words, script, OPEN, ...program], { stdio: ['pipe', 'pipe', 'inherit'] });
    context.onTestFinished(() => void this.#process.kill('SIGKILL'));
    createInterface({ input: this.#process.stdout! }).on('line', (line) => this.lines.push(line));
    this.join = { nsenter: 'nsenter', holderPid: this.#process.pid!, isUsers: true };
  }

  send(address: string): void {
    this.#process.stdin!.write(`${address}\n`);
  }

  nft(...words: readonly string[]): string {
    const [program, ...args] = [...joinPrefix(this.join), 'nft', ...words];
    return execFileSync(program, args, { encoding: 'utf8' });
  }
}

it(
  'the connections of an address are no open ones any more, and the ones of another address are',
  {
    timeout: PATIENCE_MS,
    ...needs('networks', 'program perl', {
      'nft in a network of its own': works(['unshare', '--map-root-user', '--net', 'nft', 'list', 'tables']),
    }),
  },
  async (context) => {
    const room = new Room(context);
    await expect.poll(() => room.lines, PATIENT).toEqual(['ready']);
    for (const address of [SERVER, OTHER]) room.send(address);
    await expect.poll(() => room.lines.toSorted(), PATIENT).toEqual([SERVER, OTHER, 'ready']);
    room.nft(CLOSED);
    room.send(SERVER);
    await expect.poll(() => room.lines.length, PATIENT).toBe(4);

    await forgetConnections(room.join, SERVER);
    room.send(SERVER);
    await expect.poll(() => room.nft('list', 'chain', 'inet', 't', 'input'), PATIENT).toContain('packets 1 ');
    room.nft('add', 'rule', 'inet', 't', 'input', 'drop');
    room.send(OTHER);
    await expect.poll(() => room.lines.slice(4), PATIENT).toEqual([OTHER]);
  },
);
