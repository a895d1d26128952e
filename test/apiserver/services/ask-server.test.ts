import { createServer } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { askServer, type CalledServer } from '../../../src/apiserver/services/ask-server.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';

const SERVER: CalledServer = {
  url: new URL('https://hook.default.svc'),
  host: 'hook.default.svc:443',
  address: 'https://hook.default.svc:443/check',
  tls: {},
  dial: undefined,
};
const closed = new AbortController().signal;
const CALL = { method: 'POST', headers: {}, timeoutMs: 1000 } as const;

it('a call ends with its time while the connection is still being made', async () => {
  const clock = new ManualClock();
  const dial = (): Promise<Socket> => new Promise(() => undefined);
  const answer = askServer({ ...SERVER, dial }, CALL, { clock, closed });
  clock.advance(1000);
  await expect(answer).rejects.toThrow(/^Post "https:\/\/hook.default.svc:443\/check": context deadline exceeded$/);
});

it('a call ends with its time while the server is silent', async () => {
  const clock = new ManualClock();
  const silent = createServer(() => clock.advance(1000));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  await expect(askServer({ ...SERVER, url }, CALL, { clock, closed })).rejects.toThrow(
    /^Post "https:\/\/hook.default.svc:443\/check": context deadline exceeded$/,
  );
  silent.close();
});
