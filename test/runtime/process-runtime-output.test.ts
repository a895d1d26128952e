import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContainerLaunch } from '../../src/runtime/base/runtime.ts';
import { makeRig, sh, until } from './support/process-rig.ts';

// Both kinds of pipes: FIFOs on Linux, Node's pipes on macOS.
const rigs = { fifo: makeRig('fifo'), pipe: makeRig('pipe') };

describe.each(['fifo', 'pipe'] as const)('output through a %s', (kind) => {
  const rig = rigs[kind];

  it('arrives whole, byte for byte, also 10 MB of it', async () => {
    const hash = createHash('sha256');
    let bytes = 0;
    let checksum = '';
    const started = await rig.start(sh('head -c 10000000 /dev/urandom > data; cat data; sha256sum < data >&2'), {
      onOutput: (stream, chunk) => {
        if (stream === 'stderr') checksum += chunk.toString();
        else hash.update(chunk);
        bytes += stream === 'stdout' ? chunk.length : 0;
      },
    });
    await started.gone;
    expect(bytes).toBe(10_000_000);
    expect(checksum).toContain(hash.digest('hex'));
  });

  it('is all there when the process ends right after writing it', async () => {
    for (let round = 0; round < 30; round++) {
      const { text } = await rig.run(sh('seq 1 12000'));
      expect(text.length).toBe(60_894);
      expect(text.endsWith('\n11999\n12000\n')).toBe(true);
    }
  });

  it('arrives at once, also an unfinished line, and while the program runs', async () => {
    const started = await rig.start(sh('printf unfinished; exec sleep 60'));
    await until(() => started.text() === 'unfinished', started.text);
    started.container.kill();
    expect((await started.exit).exitCode).toBe(137);
  });

  it('keeps the order of the two streams when each piece has arrived before the next is written', async () => {
    const words = ['one', 'two', 'three', 'four', 'five'];
    const pieces: { stream: string; text: string }[] = [];
    const onOutput: ContainerLaunch['onOutput'] = (stream, chunk) => {
      pieces.push({ stream, text: chunk.toString() });
      writeFileSync(join(rig.folder, `seen-${chunk.toString().trim()}`), '');
    };
    const commands = words.map((word, index) => {
      return `echo ${word} >&${(index % 2) + 1}; until [ -e seen-${word} ]; do sleep 0.01; done`;
    });
    await rig.run(sh(commands.join('; ')), { onOutput });
    expect(pieces).toEqual(
      words.map((word, index) => ({ stream: index % 2 === 0 ? 'stdout' : 'stderr', text: `${word}\n` })),
    );
  });

  it('ends with the main process: what other processes write later is dropped', async () => {
    const { text } = await rig.run(sh('setsid sh -c "while :; do echo noise; done" & echo first; exit 0'));
    expect(text).toContain('first\n');
  });

  it('may be closed early by the program', async () => {
    const { exit, text } = await rig.run(sh('echo before; exec >&- 2>&-; sleep 0.05; exit 5'));
    expect(text).toBe('before\n');
    expect(exit.exitCode).toBe(5);
  });

  it('comes after the start was reported, however slowly that is', async () => {
    const seen: string[] = [];
    const started = await rig.start(sh('echo out; sleep 60'), {
      onOutput: (_stream, chunk) => seen.push(chunk.toString()),
    });
    expect(seen).toEqual([]);
    seen.push('told');
    await until(
      () => seen.length > 1,
      () => seen.join(),
    );
    expect(seen).toEqual(['told', 'out\n']);
    started.container.kill();
    await started.gone;
  });

  it('holds a program back while no reader reads, and loses nothing', async () => {
    const started = await rig.start(sh('seq 1 200000'));
    // Blocks the event loop, as a slow disk would.
    const untilMs = performance.now() + 100;
    while (performance.now() < untilMs);
    await started.gone;
    expect(started.text().length).toBe(1_288_895);
  });
});

describe('output through a FIFO', () => {
  it('can be opened anew as /dev/stdout, and nothing is cut off', async () => {
    const { started } = await rigs.fifo.run(
      sh('echo one; echo two > /dev/stdout; echo three >> /dev/stdout; echo four; echo five > /dev/stderr'),
    );
    const text = (stream: string): string =>
      started.pieces
        .filter((piece) => piece.stream === stream)
        .map((piece) => piece.text)
        .join('');
    expect(text('stdout')).toBe('one\ntwo\nthree\nfour\n');
    expect(text('stderr')).toBe('five\n');
  });

  it('is a pipe for the program, not a terminal and not a file', async () => {
    const { text } = await rigs.fifo.run(sh('test -p /proc/self/fd/1 && echo pipe'));
    expect(text).toBe('pipe\n');
  });
});
