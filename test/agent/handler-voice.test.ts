import { expect, it } from 'vitest';
import { HandlerVoice } from '../../src/agent/handler-voice.ts';
import { ManualClock } from '../simulation/manual-clock.ts';

it('passes on whole lines, of both streams, and what has no end when all is over', async () => {
  const said: string[] = [];
  const clock = new ManualClock();
  const voice = new HandlerVoice(clock, (stream, lines) => said.push(`${stream ?? 'note'}:${lines.toString()}`));
  voice.output('stdout', Buffer.from('one\ntw'));
  voice.output('stderr', Buffer.from('oops'));
  voice.output('stdout', Buffer.from('o\nthree'));
  expect(said).toEqual(['stdout:one\n', 'stdout:two\n']);
  await clock.run(1250);
  voice.ended('exit code 0');
  expect(said.slice(2)).toEqual(['stdout:three\n', 'stderr:oops\n', 'note:ended after 1.250s: exit code 0\n']);
});

it('does not wait for ever for the end of a line', () => {
  const lengths: number[] = [];
  const voice = new HandlerVoice(new ManualClock(), (_, lines) => lengths.push(lines.length));
  for (let piece = 0; piece < 5; piece++) voice.output('stdout', Buffer.alloc(10_000, 'x'));
  expect(lengths).toEqual([20_001, 20_001]);
});
