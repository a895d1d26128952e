import { describe, expect, it } from 'vitest';
import { fromServer, PodrunError } from '../../src/api/base/errors.ts';
import { SystemClock } from '../../src/clock.ts';
import { onceServed } from '../../src/remote/custom-objects.ts';

const NOT_YET = fromServer('NotFound', 'the server could not find the requested resource');
const NO_WEBHOOK = fromServer('InternalError', 'Internal error occurred: failed calling webhook "v.example": refused');

/** Tries to create an object that the cluster refuses with these errors, one after the other. */
async function created(refusals: readonly Error[], limits: { deadlineMs?: number; signal?: AbortSignal } = {}) {
  const left = [...refusals];
  const notes: string[] = [];
  const create = async (): Promise<void> => {
    const refusal = left.shift();
    if (refusal !== undefined) throw refusal;
  };
  const { signal = new AbortController().signal, ...rest } = limits;
  const note = (text: string): number => notes.push(text);
  await onceServed(create, { name: 'tee/first', clock: new SystemClock(), signal, note, ...rest });
  return { notes, left: left.length };
}

describe('a custom object on a cluster', () => {
  it('is created at once where its kind is served', async () => {
    expect(await created([])).toEqual({ notes: [], left: 0 });
  });

  it('waits for its definition and its webhook, and says so once', async () => {
    const { notes } = await created([NOT_YET, NO_WEBHOOK, NO_WEBHOOK, NO_WEBHOOK]);
    expect(notes).toEqual([expect.stringMatching(/^tee\/first waits: .*failed calling webhook "v.example"/)]);
  });

  it('is refused for any other reason, and when time has passed', async () => {
    const denied = fromServer('Forbidden', 'admission webhook "v.example" denied the request: no');
    await expect(created([NOT_YET, denied])).rejects.toBe(denied);
    const { monotonicMs } = new SystemClock().now();
    await expect(created([NOT_YET], { deadlineMs: monotonicMs - 1 })).rejects.toMatchObject({
      code: 'Timeout',
      message: `timed out, waiting for tee/first: ${NOT_YET.message}`,
    });
  });

  it('is given up when the user interrupts', async () => {
    const reason = new PodrunError('NotRunning', 'interrupted');
    await expect(created([NOT_YET], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
