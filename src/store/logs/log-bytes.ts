import { inBackground } from '../../defects.ts';
import type { Clock } from '../../clock.ts';
import { onGrowth } from '../feed/pod-watch.ts';
import type { LogFormat } from './log-format.ts';
import type { LogReader } from './log-reader.ts';

/** The log up to now, formatted, in pieces. A piece is read when the one before was taken. */
export function* presentBytes(reader: LogReader, format: LogFormat): Generator<Buffer> {
  for (let records = reader.next(); records.length > 0 && !format.isFull; records = reader.next())
    yield format.format(records);
}

/** The log and its growth, as `presentBytes`. Ends behind the last line that was present when `ended` settled. */
export async function* followedBytes(
  reader: LogReader,
  format: LogFormat,
  { clock, ended }: { readonly clock: Clock; readonly ended: Promise<unknown> },
): AsyncGenerator<Buffer> {
  let isOver = false;
  let hasGrown = false;
  let wake = (): void => undefined;
  const growth = onGrowth(reader, clock, () => {
    hasGrown = true;
    wake();
  });
  inBackground(
    ended.then(() => {
      isOver = true;
      wake();
    }),
  );
  try {
    for (;;) {
      const isLastLook = isOver;
      hasGrown = false;
      yield* presentBytes(reader, format);
      if (isLastLook || format.isFull) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (hasGrown || isOver) resolve();
      });
    }
  } finally {
    growth.close();
  }
}
