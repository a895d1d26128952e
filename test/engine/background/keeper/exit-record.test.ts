import { expect, it, vi } from 'vitest';
import { ExitRecord } from '../../../../src/engine/background/keeper/exit-record.ts';
import type { KeptContainer } from '../../../../src/engine/background/keeper/protocol.ts';
import { PodrunError } from '../../../../src/api/base/errors.ts';
import { ManualClock } from '../../../../src/simulation/manual-clock.ts';

const ended = (id: string): KeptContainer => ({ id }) as KeptContainer;

function recording() {
  const clock = new ManualClock();
  const disk = { isFull: false, recorded: [] as string[] };
  const onWritten = vi.fn<() => void>();
  const recordExit = ({ id }: KeptContainer): void => {
    if (disk.isFull) throw new PodrunError('Disk', 'no space left on device');
    disk.recorded.push(id);
  };
  return { clock, disk, onWritten, exits: new ExitRecord({ clock, recordExit, onWritten }) };
}

it('writes at once where there is room', () => {
  const { disk, exits, onWritten } = recording();
  exits.add(ended('u/main/0'));
  expect([disk.recorded, exits.isWaiting]).toEqual([['u/main/0'], false]);
  expect(onWritten).not.toHaveBeenCalled();
});

it('tries again on a full disk until all is written, in order', () => {
  const { clock, disk, exits, onWritten } = recording();
  disk.isFull = true;
  for (const id of ['u/main/0', 'v/main/0', 'u/main/1']) exits.add(ended(id));
  clock.advance(60_000);
  expect([disk.recorded, exits.isWaiting, onWritten.mock.calls]).toEqual([[], true, []]);
  disk.isFull = false;
  clock.advance(1000);
  expect([disk.recorded, exits.isWaiting]).toEqual([['u/main/0', 'v/main/0', 'u/main/1'], false]);
  expect(onWritten).toHaveBeenCalledOnce();
});

it('drops what no agent will ask for', () => {
  const { clock, disk, exits, onWritten } = recording();
  disk.isFull = true;
  exits.add(ended('u/main/0'));
  exits.add(ended('v/main/0'));
  exits.forget('u');
  disk.isFull = false;
  clock.advance(1000);
  expect(disk.recorded).toEqual(['v/main/0']);
  expect(onWritten).toHaveBeenCalledOnce();
});
