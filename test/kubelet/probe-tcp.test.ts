import { describe, expect, it } from 'vitest';
import { ProbeAbort } from '../../src/kubelet/probe/input.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { closedPort, tcpServer } from './local-servers.ts';
import { probing } from './probing.ts';

/** An unreachable address (RFC 5737): packets to it are lost, or the network reports an error at once. */
const NOWHERE = '192.0.2.1';

describe('a TCP probe', () => {
  it('succeeds when the port takes connections, whatever happens on them', async () => {
    const port = await tcpServer((socket) => socket.resetAndDestroy());
    expect(await probing({ tcpSocket: { port } })).toEqual({ result: 'success', output: '' });
  });

  it('closes the connection again', async () => {
    const seen: string[] = [];
    const port = await tcpServer((socket) => {
      seen.push('opened');
      socket.resume().once('end', () => seen.push('closed'));
    });
    await probing({ tcpSocket: { port } });
    await expect.poll(() => seen).toEqual(['opened', 'closed']);
  });

  it('finds the port by name, and the host in the handler', async () => {
    const containerPort = await tcpServer((socket) => socket.end());
    const container = { ports: [{ name: 'db', containerPort }] };
    const outcome = await probing({ tcpSocket: { port: 'db', host: 'localhost' } }, { container });
    expect(outcome.result).toBe('success');
  });

  it('fails when no program listens', async () => {
    const port = await closedPort();
    expect(await probing({ tcpSocket: { port } }, { podIP: '127.0.0.2' })).toEqual({
      result: 'failure',
      output: `dial tcp 127.0.0.2:${port}: connect: connection refused`,
    });
  });

  it('fails when time is up', async () => {
    const clock = new ManualClock();
    const outcome = probing({ tcpSocket: { port: 81, host: NOWHERE }, timeoutSeconds: 3 }, { clock });
    clock.advance(3000);
    expect(await outcome).toEqual({ result: 'failure', output: `dial tcp ${NOWHERE}:81: i/o timeout` });
    expect(clock.alarmCount).toBe(0);
  });

  it('is made again and again, with whatever outcome', async () => {
    const open = await tcpServer((socket) => socket.on('error', () => undefined).end());
    const rude = await tcpServer((socket) => socket.resetAndDestroy());
    const closed = await closedPort();
    const probe = async (port: number): Promise<string> => (await probing({ tcpSocket: { port } })).result;
    for (let round = 0; round < 5; round++) {
      expect(await probe(open)).toBe('success');
      expect(await probe(closed)).toBe('failure');
      expect(await probe(rude)).toBe('success');
      expect(await Promise.all([open, closed, open, rude].map(probe))).toEqual([
        'success',
        'failure',
        'success',
        'success',
      ]);
    }
  });

  it('cannot be carried out on a port that is none', async () => {
    const outcome = await probing({ tcpSocket: { port: 'db' } });
    expect(outcome).toEqual({ result: 'error', output: 'strconv.Atoi: parsing "db": invalid syntax' });
  });

  it('ends at once when it is not awaited any more', async () => {
    const abort = new ProbeAbort();
    const clock = new ManualClock();
    const outcome = probing({ tcpSocket: { port: 81, host: NOWHERE } }, { clock, abort });
    abort.abort();
    expect(await outcome).toMatchObject({ result: 'failure' });
    expect(clock.alarmCount).toBe(0);
  });
});
