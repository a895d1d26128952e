import * as fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { LineMachine } from '../../../src/api/lines/line-machine.ts';
import { LogFormat, type LogFormatOptions } from '../../../src/cli/logs/log-format.ts';
import { recordTime } from '../../../src/store/logs/cri-line.ts';

const BEGIN_MS = Date.UTC(2026, 10, 20, 20, 1, 2, 123);

afterEach(() => vi.restoreAllMocks());

const timed = (ms: number, rest: string): string => `${recordTime(BEGIN_MS + ms)} ${rest}`;
const anyContent = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.constantFrom('', ' ', 'F ', 'stdout F x', 'y'.repeat(500)),
);
const plainRecord = fc
  .record({
    ms: fc.integer({ min: 0, max: 20 }),
    stream: fc.constantFrom('stdout', 'stderr'),
    tag: fc.constantFrom('F', 'P'),
    content: anyContent,
  })
  .map(({ ms, stream, tag, content }) => timed(ms, `${stream} ${tag} ${content}`));
/** Lines of hooks, of other runtimes, and lines that a crash has torn. */
const oddRecord = fc.constantFrom(
  timed(9, 'stdout F:preStop draining'),
  timed(9, 'stdout F:preStop:note begins'),
  timed(9, 'stdout F'),
  timed(9, ''),
  timed(9, 'stdout Q what'),
  timed(9, 'stdrrr F what'),
  '2026-11-20T20:01:02.12Z stderr F short time',
  'torn',
  '',
);
const anyRecord = fc.oneof({ weight: 20, arbitrary: plainRecord }, { weight: 1, arbitrary: oddRecord });
const anyOptions: fc.Arbitrary<LogFormatOptions> = fc.record({
  timestamps: fc.boolean(),
  prefix: fc.constantFrom('', '[pod/web/main] '),
  limitBytes: fc.option(fc.nat(2000), { nil: undefined }),
  sinceMs: fc.option(fc.constantFrom(BEGIN_MS, BEGIN_MS + 9, BEGIN_MS + 9.5, BEGIN_MS + 1000), { nil: undefined }),
});

const formatted = (blocks: readonly Buffer[], options: LogFormatOptions): string => {
  const format = new LogFormat(options);
  return Buffer.concat(blocks.map((block) => format.format(block))).toString('latin1');
};

it('prints many records at a time as it prints them one by one', () => {
  expect(LineMachine.get()).toBeDefined();
  fc.assert(
    fc.property(fc.array(fc.array(anyRecord, { maxLength: 30 }), { maxLength: 4 }), anyOptions, (parts, options) => {
      const clean = parts.map((records) => records.map((record) => `${record.replaceAll('\n', '')}\n`).join(''));
      const blocks = clean.map((text) => Buffer.from(text));
      const atOnce = formatted(blocks, options);
      const without = vi.spyOn(LineMachine, 'get').mockReturnValue(undefined);
      const oneByOne = formatted(blocks, options);
      without.mockRestore();
      expect(atOnce).toBe(oneByOne);
    }),
    { numRuns: 300 },
  );
});

it('takes a block of any size', () => {
  const options = { timestamps: false, prefix: '', limitBytes: undefined, sinceMs: undefined };
  const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index} of many`);
  const block = Buffer.from(lines.map((line) => `${timed(1, `stdout F ${line}`)}\n`).join(''));
  expect(formatted([block], options) === `${lines.join('\n')}\n`).toBe(true);
});
