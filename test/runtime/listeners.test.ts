import { createServer, type AddressInfo } from 'node:net';
import { endianness } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../src/clock.ts';
import { listenersIn, parseListeners } from '../../src/runtime/watch/listeners.ts';
import { isHeld, OwnerSearch } from '../../src/runtime/watch/socket-owners.ts';
import { needs } from '../needs.ts';

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode   ';

function row(local: string, state = '0A', inode = '4711'): string {
  const remote = local.length > 13 ? `${'0'.repeat(32)}:0000` : '00000000:0000';
  const queues = '00000000:00000000 00:00000000 00000000';
  return `   0: ${local} ${remote} ${state} ${queues}  1001        0 ${inode} 1 0000000053 100 0 0 10 0`;
}

describe(
  'parseListeners() (rows as a little-endian machine has them)',
  needs({ 'a little-endian machine': endianness() === 'LE' }),
  () => {
    it.each([
      ['00000000:1F90', '0.0.0.0', 8080],
      ['0100007F:0050', '127.0.0.1', 80],
      ['11045D7F:FFFF', '127.93.4.17', 65_535],
      ['00000000000000000000000000000000:1F90', '::', 8080],
      ['00000000000000000000000001000000:1F90', '::1', 8080],
      ['0000000000000000FFFF00000100007F:1F90', '127.0.0.1', 8080],
      ['000080FE00000000FF005450B9C82BFE:0016', 'fe80:0000:0000:0000:5054:00ff:fe2b:c8b9', 22],
    ])('reads %s', (local, address, port) => {
      expect(parseListeners(`${HEAD}\n${row(local)}\n`)).toEqual([{ address, port, inode: '4711', uid: 1001 }]);
    });

    it.each([
      ['the head', HEAD],
      ['a connection', row('0100007F:0050', '01')],
      ['a closed one', row('0100007F:0050', '06')],
      ['a torn row', row('0100007F:0050').slice(0, 40)],
      ['nothing', ''],
      ['an address of another kind', row('0100:0050')],
    ])('passes over %s', (_, text) => {
      expect(parseListeners(text)).toEqual([]);
    });
  },
);

describe('listenersIn() (/proc: Linux)', needs('Linux'), () => {
  it('finds a server of this machine, and whose it is', async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.93.0.9', () => resolve()));
    const { port } = server.address() as AddressInfo;
    const [found, ...more] = await listenersIn(undefined, [port]);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ address: '127.93.0.9', port });
    const inode = found?.inode ?? '';
    const { of: owners } = await new OwnerSearch(new SystemClock()).of([inode, '1'], false);
    const [owner] = owners.get(inode) ?? [];
    expect(owner).toMatchObject({ pid: process.pid, containerId: undefined });
    expect(owners.get('1')).toEqual([]);
    const { pid = 0, descriptor = '' } = owner ?? {};
    expect(isHeld({ pid, descriptor, inode })).toBe(true);
    await new Promise((resolve) => server.close(resolve));
    expect(isHeld({ pid, descriptor, inode })).toBe(false);
    expect(await listenersIn(undefined, [])).toEqual([]);
  });
});
