import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveColumns } from '../../../src/print/live/live-columns.ts';
import { renderLogLine, renderTransition, type LiveStyle } from '../../../src/print/live/live-line.ts';
import { type Painter, PLAIN } from '../../../src/print/text/painter.ts';
import type { Transition } from '../../../src/print/live/transition.ts';
import { container, webPod } from '../pods.ts';

const pods = [
  webPod({ spec: { initContainers: [container('migrate')], containers: [container('main')] } }),
  webPod({ metadata: { name: 'a-long-name' } }),
];
const style: LiveStyle = { columns: liveColumns({ pods, workloads: [] }), color: PLAIN };
const started: Transition = {
  atMs: 1420,
  pod: 'web',
  container: 'main',
  kind: 'container',
  text: 'started',
  tone: 'info',
};

/** A painter that shows its colours as tags. */
const tags: Painter = {
  tone: (tone, text) => `<${tone}>${text}</${tone}>`,
  series: (index, text) => `<${index}>${text}</${index}>`,
};
const unpainted = (text: string): string => text.replaceAll(/<\/?\w+>/g, '');

describe('renderTransition()', () => {
  it('lines up time, Pod, sign, subject, and says what changed and why', () => {
    const failed: Transition = {
      atMs: 65_000,
      pod: 'a-long-name',
      kind: 'phase',
      text: 'Failed',
      why: 'Evicted',
      tone: 'bad',
    };
    expect([started, failed].map((one) => renderTransition(one, 1000, style))).toEqual([
      '   0.42s  web          › main     started',
      '  64.00s  a-long-name  ✗ Pod      Failed: Evicted',
    ]);
  });

  it.each([
    [0, '   0.00s'],
    [-5, '   0.00s'],
    [899_990, ' 899.99s'],
    [900_000, '   15m0s'],
    [3_725_500, '  1h2m5s'],
  ])('shows %d ms since the start as "%s"', (ms, text) => {
    expect(renderTransition({ ...started, atMs: ms }, 0, style).slice(0, 8)).toBe(text);
  });

  it('stays on one line and harmless to the terminal, whatever others wrote', () => {
    const line = renderTransition({ ...started, why: ' one\n\n  two\u001B[2J\n' }, 0, style);
    expect(line).toMatch(/started: one ⏎ two\^\[\[2J$/);
  });

  it('paints time and reason faintly, the sign and the change by tone, the container in its own colour', () => {
    expect(renderTransition({ ...started, why: 'x' }, 1000, { ...style, color: tags })).toBe(
      '<muted>   0.42s  </muted>web          <info>› </info><1>main     </1><info>started</info><muted>: x</muted>',
    );
  });

  it('quotes only the beginning of a very long text', () => {
    expect(renderTransition({ ...started, why: 'x'.repeat(4096) }, 0, style)).toMatch(/: x{399}…$/);
  });

  it('goes on below where a line of the terminal is full, and cuts no character in half', () => {
    const why = 'Get "http://127.0.0.1:8080/": dial tcp 127.0.0.1:8080: connect: connection refused';
    const shown = (width: number): string => renderTransition({ ...started, why }, 1000, { ...style, width });
    const indent = ' '.repeat(34);
    expect(shown(80).split('\n')).toEqual([
      '   0.42s  web          › main     started: Get "http://127.0.0.1:8080/": dial',
      `${indent}tcp 127.0.0.1:8080: connect: connection`,
      `${indent}refused`,
    ]);
    expect(shown(40).split('\n')).toEqual([
      '   0.42s  web          › main     ',
      '          started: Get',
      '          "http://127.0.0.1:8080/": dial',
      '          tcp 127.0.0.1:8080: connect:',
      '          connection refused',
    ]);
    expect(renderTransition({ ...started, text: '🎉'.repeat(20) }, 0, { ...style, width: 73 })).toContain(
      `${'🎉'.repeat(19)}\n${indent}🎉`,
    );
  });

  it('keeps to the width of the terminal, leaves nothing out, and is painted in pieces', () => {
    // Brackets would look like tags.
    const why = fc.string({ unit: 'grapheme-ascii' }).map((text) => text.replaceAll(/[<>]/g, '-'));
    fc.assert(
      fc.property(why, fc.integer({ min: 40, max: 120 }), (text, width) => {
        const whole = renderTransition({ ...started, why: text }, 0, style);
        const painted = renderTransition({ ...started, why: text }, 0, { ...style, width, color: tags });
        const lines = renderTransition({ ...started, why: text }, 0, { ...style, width }).split('\n');
        expect(lines.every(({ length }) => length <= width)).toBe(true);
        expect(lines.join('').replaceAll(' ', '')).toBe(whole.replaceAll(' ', ''));
        expect(unpainted(painted)).toBe(lines.join('\n'));
      }),
    );
  });
});

describe('the names of Pods and containers', () => {
  const long = 'payments-reconciliation-worker-nightly-7c9d8f6b54-x2lqv';
  const [one, other] = [webPod({ metadata: { name: long } }), webPod()];

  it('a single Pod is named in no line', () => {
    const alone: LiveStyle = { columns: liveColumns({ pods: [one], workloads: [] }), color: PLAIN };
    expect(renderTransition({ ...started, pod: long }, 1000, alone)).toBe('   0.42s  › main  started');
    expect(renderLogLine({ pod: long, container: 'main', text: 'hello' }, alone)).toBe('main | hello');
  });

  it('a single Pod is named where static Pods may come', () => {
    const growing: LiveStyle = { columns: liveColumns({ pods: [], workloads: [], hasMore: true }), color: PLAIN };
    expect(renderTransition({ ...started, pod: 'web-vm' }, 1000, growing)).toBe(
      '   0.42s  web-vm            › main  started',
    );
  });

  it('a long one is shortened in a terminal, where the message needs the room, and nowhere else', () => {
    const narrow: LiveStyle = {
      columns: liveColumns({ pods: [one, other], workloads: [] }, 80),
      color: PLAIN,
      width: 80,
    };
    expect(renderTransition({ ...started, pod: long }, 1000, narrow)).toBe(
      '   0.42s  payment…54-x2lqv  › main  started',
    );
    expect(renderLogLine({ pod: long, container: 'main', text: 'hello' }, narrow)).toBe(
      'payment…54-x2lqv/main | hello',
    );
    const piped: LiveStyle = { columns: liveColumns({ pods: [one, other], workloads: [] }), color: PLAIN };
    expect(renderTransition({ ...started, pod: long }, 1000, piped)).toBe(`   0.42s  ${long}  › main  started`);
  });
});

describe('renderLogLine()', () => {
  it('puts the container in front, so that lines of several line up', () => {
    expect(renderLogLine({ pod: 'web', container: 'main', text: 'hello' }, style)).toBe('web/main         | hello');
    expect(renderLogLine({ pod: 'a-long-name', container: 'main', text: '' }, style)).toBe('a-long-name/main | ');
    const draining = { pod: 'web', container: 'main', hook: 'preStop', text: 'draining' };
    expect(renderLogLine(draining, style)).toBe('web/main (preStop) | draining');
  });

  it('has the colour that the container has in the transitions, and another than its neighbours', () => {
    const prefixOf = (pod: string, name: string): string | undefined =>
      /^<(\d)>/.exec(renderLogLine({ pod, container: name, text: 'x' }, { ...style, color: tags }))?.[1];
    expect([prefixOf('web', 'migrate'), prefixOf('web', 'main'), prefixOf('a-long-name', 'main')]).toEqual([
      '0',
      '1',
      '2',
    ]);
    expect(prefixOf('web', 'debugger')).toBe('3');
  });
});
