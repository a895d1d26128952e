import { expect, it } from 'vitest';
import { HandlerLog } from '../../src/kubelet/hooks/handler-log.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

it('passes on whole lines, of both streams, and what has no end when all is over', async () => {
  const said: string[] = [];
  const clock = new ManualClock();
  const log = new HandlerLog(clock, (stream, lines) => said.push(`${stream ?? 'note'}:${lines.toString()}`));
  log.output('stdout', Buffer.from('one\ntw'));
  log.output('stderr', Buffer.from('oops'));
  log.output('stdout', Buffer.from('o\nthree'));
  expect(said).toEqual(['stdout:one\n', 'stdout:two\n']);
  await clock.run(1250);
  log.ended('exit code 0');
  expect(said.slice(2)).toEqual(['stdout:three\n', 'stderr:oops\n', 'note:ended after 1.250s: exit code 0\n']);
});

it('does not wait for ever for the end of a line', () => {
  const lengths: number[] = [];
  const log = new HandlerLog(new ManualClock(), (_, lines) => lengths.push(lines.length));
  for (let piece = 0; piece < 5; piece++) log.output('stdout', Buffer.alloc(10_000, 'x'));
  expect(lengths).toEqual([20_001, 20_001]);
});
