import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type CountedService, CountedRequests } from '../../src/experiments/counted-requests.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

/** A server that gives these answers, one to each connection. */
async function serviceWith(answers: readonly string[]): Promise<CountedService> {
  const left = [...answers];
  const server = createServer((socket) => socket.once('data', () => socket.end(left.shift() ?? '')));
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { name: 'web', host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

/** The counts after so many requests, one after the other. */
async function countsOf(answers: readonly string[]): Promise<ReturnType<CountedRequests['close']>> {
  const clock = new ManualClock();
  const requests = new CountedRequests(clock);
  requests.begin([await serviceWith(answers)]);
  for (const _ of answers.slice(1)) {
    // The alarm of the next request is left.
    await expect.poll(() => clock.alarmCount).toBe(1);
    await clock.run(100);
  }
  await expect.poll(() => clock.alarmCount).toBe(1);
  const counts = requests.close(() => true);
  expect([clock.alarmCount, requests.close(() => true)]).toEqual([0, []]);
  return counts;
}

it('counts what is lost from the first answer on', async () => {
  const answers = ['', 'HTTP/1.1 200 OK\r\n\r\n', '', 'HTTP/1.1 503 Service Unavailable\r\n\r\n', '-ERR unknown'];
  expect(await countsOf(answers)).toEqual([{ service: 'web', sent: 3, lost: 2 }]);
});

it('says nothing of a Service that has never responded', async () => {
  expect(await countsOf(['', ''])).toEqual([]);
});
