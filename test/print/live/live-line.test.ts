import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveColumns, podLabel } from '../../../src/print/live/live-columns.ts';
import {
  continuedLog,
  logPrefix,
  renderRemark,
  renderTransition,
  type LiveStyle,
} from '../../../src/print/live/live-line.ts';
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
  it('keeps the name of a container that joins later, and moves its text', () => {
    const debug: Transition = { ...started, pod: 'a', container: 'debugger-abcde', role: 'debug' };
    const columns = liveColumns({ pods: [webPod({ metadata: { name: 'a' } })], workloads: [] });
    for (const width of [undefined, 80])
      expect(renderTransition(debug, 1000, { columns, color: PLAIN, width })).toBe(
        '   0.42s  › debugger-abcde  debug  started',
      );
    expect(renderTransition(debug, 1000, { columns, color: PLAIN, width: 50 })).toMatch(
      /› d\S+…-abcde {2}debug {2}started$/,
    );
  });

  it('lines up time, sign, name and role, and says what changed and why', () => {
    const migrated: Transition = {
      ...started,
      atMs: 1500,
      container: 'migrate',
      role: 'init',
      text: 'done in 80ms',
      tone: 'good',
    };
    const failed: Transition = {
      atMs: 65_000,
      pod: 'a-long-name',
      kind: 'phase',
      text: 'Failed',
      why: 'Evicted',
      tone: 'bad',
    };
    const served: Transition = {
      ...failed,
      pod: '',
      subject: 'service/web',
      text: 'http://127.96.0.1:80',
      why: undefined,
      tone: 'good',
    };
    expect([migrated, started, failed, served].map((one) => renderTransition(one, 1000, style))).toEqual([
      '   0.50s  ✓ web/migrate       init  done in 80ms',
      '   0.42s  › web/main                started',
      '  64.00s  ✗ a-long-name             Failed: Evicted',
      '  64.00s  ✓ service/web             http://127.96.0.1:80',
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

  it('shows the time of day with --timestamps, also before output', () => {
    const timed = { ...style, hasTimestamps: true };
    expect(renderTransition(started, 0, timed)).toMatch(/^1970-01-01T00:00:01\.420Z {2}› web\/main /);
    expect(logPrefix({ pod: 'web', container: 'main', atMs: 1420 }, timed)).toMatch(
      /^1970-01-01T00:00:01\.420Z {2}│ web/,
    );
    expect(continuedLog(timed).prefix.trimEnd()).toBe(`${' '.repeat(26)}│`);
  });

  it('stays on one line and harmless to the terminal with any text of a manifest', () => {
    const line = renderTransition({ ...started, why: ' one\n\n  two\u001B[2J\n' }, 0, style);
    expect(line).toMatch(/started: one ⏎ two\^\[\[2J$/);
  });

  it('paints time and reason faintly, the sign and the change by tone, the container in its own colour', () => {
    expect(renderTransition({ ...started, why: 'x' }, 1000, { ...style, color: tags })).toBe(
      `<muted>   0.42s  </muted><info>› </info><1>${'web/main'.padEnd(24)}</1><info>started</info><muted>: x</muted>`,
    );
  });

  it('quotes only the beginning of a very long text', () => {
    expect(renderTransition({ ...started, why: 'x'.repeat(4096) }, 0, style)).toMatch(/: x{399}…$/);
  });

  it('continues below where a line of the terminal is full, and cuts no character in half', () => {
    const why = 'Get "http://127.0.0.1:8080/": dial tcp 127.0.0.1:8080: connect: connection refused';
    const shown = (width: number): string => renderTransition({ ...started, why }, 1000, { ...style, width });
    const indent = ' '.repeat(36);
    expect(shown(80).split('\n')).toEqual([
      '   0.42s  › web/main                started: Get "http://127.0.0.1:8080/": dial',
      `${indent}tcp 127.0.0.1:8080: connect: connection`,
      `${indent}refused`,
    ]);
    expect(shown(40).split('\n')).toEqual([
      '   0.42s  › web/main                ',
      '            started: Get',
      '            "http://127.0.0.1:8080/":',
      '            dial tcp 127.0.0.1:8080:',
      '            connect: connection refused',
    ]);
    expect(renderTransition({ ...started, text: '🎉'.repeat(20) }, 0, { ...style, width: 75 })).toContain(
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

it('a remark stands where names stand', () => {
  const remark = { atMs: 1420, text: 'goal met, ending the Pods', tone: 'muted' } as const;
  expect(renderRemark(remark, 1000, style)).toBe('   0.42s  · goal met, ending the Pods');
  expect(renderRemark(remark, 1000, { ...style, width: 30 }).split('\n')).toEqual([
    '   0.42s  · goal met, ending',
    '            the Pods',
  ]);
});

describe('the names of Pods and containers', () => {
  const long = 'payments-reconciliation-worker-nightly-7c9d8f6b54-x2lqv';
  const [one, other] = [webPod({ metadata: { name: long } }), webPod()];

  it('a single Pod is named in lines about itself only', () => {
    const alone: LiveStyle = { columns: liveColumns({ pods: [other], workloads: [] }), color: PLAIN };
    expect(renderTransition({ ...started, container: undefined }, 1000, alone)).toBe('   0.42s  › web   started');
    expect(renderTransition(started, 1000, alone)).toBe('   0.42s  › main  started');
    expect(logPrefix({ pod: 'web', container: 'main', atMs: 0 }, alone)).toBe('          │ main  ');
  });

  it('a Pod with the name of its container is named with its kind', () => {
    const pod = webPod({ spec: { containers: [container('web')] } });
    const alone: LiveStyle = { columns: liveColumns({ pods: [pod], workloads: [] }), color: PLAIN };
    const ofPod = renderTransition({ ...started, container: undefined }, 1000, alone);
    expect(ofPod).toMatch(/› pod\/web/);
    expect(renderTransition({ ...started, container: 'web' }, 1000, alone)).toMatch(/› web /);
  });

  it('a single Pod is named where static Pods may come', () => {
    const growing: LiveStyle = { columns: liveColumns({ pods: [], workloads: [], hasMore: true }), color: PLAIN };
    expect(renderTransition({ ...started, pod: 'web-vm' }, 1000, growing)).toBe(
      '   0.42s  › web-vm/main       started',
    );
  });

  it('a terminal shows the name of a Pod without its hash, and shortens its middle last', () => {
    const hashed = { name: long, labels: { 'pod-template-hash': '7c9d8f6b54' } };
    expect(podLabel(webPod({ metadata: hashed }))).toBe('payments-reconciliation-worker-nightly-x2lqv');
    expect(podLabel(webPod({ metadata: { name: 'web-7c9d8f6b54-x2lqv' } }))).toBe('web-7c9d8f6b54-x2lqv');
    const labels = new Map([[long, podLabel(webPod({ metadata: hashed }))]]);
    const columns = { ...liveColumns({ pods: [one, other], workloads: [] }, 80), labels };
    const narrow: LiveStyle = { columns, color: PLAIN, width: 80 };
    expect(renderTransition({ ...started, pod: long }, 1000, narrow)).toBe(
      '   0.42s  › payments-reconci…-x2lqv/main  started',
    );
    const piped: LiveStyle = { columns: liveColumns({ pods: [one, other], workloads: [] }), color: PLAIN };
    expect(renderTransition({ ...started, pod: long }, 1000, piped)).toBe(`   0.42s  › ${long}/main  started`);
  });
});

describe('output', () => {
  it('hangs below the name of its container; a hook stands where roles stand', () => {
    const web = { pod: 'web', container: 'main', atMs: 0 };
    expect(logPrefix(web, style)).toBe(`          │ ${'web/main'.padEnd(24)}`);
    const hooks = webPod({ spec: { containers: [container('main', { lifecycle: { preStop: {} } })] } });
    const own: LiveStyle = { columns: liveColumns({ pods: [hooks], workloads: [] }), color: PLAIN };
    expect(logPrefix({ ...web, hook: 'preStop' }, own)).toBe('          │ main  preStop  ');
  });

  it('has the colour that the container has in the transitions, and another than its neighbours', () => {
    const prefixOf = (pod: string, name: string): string | undefined =>
      /<(\d)>/.exec(logPrefix({ pod, container: name, atMs: 0 }, { ...style, color: tags }))?.[1];
    expect([prefixOf('web', 'migrate'), prefixOf('web', 'main'), prefixOf('a-long-name', 'main')]).toEqual([
      '0',
      '1',
      '2',
    ]);
    expect(prefixOf('web', 'debugger')).toBe('3');
  });
});
