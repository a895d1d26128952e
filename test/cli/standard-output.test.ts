import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { handedOn } from '../../src/cli/standard-output.ts';

it('leaves nothing behind at a stream, however often it is slow', async () => {
  const slow = new Writable({ write: (_chunk, _encoding, done) => void setImmediate(done) });
  for (let times = 0; times < 3; times++) {
    slow.write('text');
    await handedOn(slow);
    expect({ waiting: slow.writableLength, listeners: slow.listenerCount('error') }).toEqual({
      waiting: 0,
      listeners: 0,
    });
  }
});

it('waits no longer for a reader that is gone', async () => {
  const broken = new Writable({
    write: (_chunk, _encoding, done) => void setImmediate(() => done(new Error('EPIPE'))),
  });
  broken.on('error', () => undefined);
  broken.write('text');
  await expect(handedOn(broken)).resolves.toBeUndefined();
});
