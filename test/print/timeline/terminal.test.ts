import { expect, it } from 'vitest';
import { timelineOf } from '../../../src/history/timeline/critical-path.ts';
import type { Timeline } from '../../../src/history/timeline/model.ts';
import { PLAIN } from '../../../src/print/text/painter.ts';
import { ASCII_GLYPHS, type Glyphs, UNICODE_GLYPHS } from '../../../src/print/timeline/glyphs.ts';
import { tickLabel, ticksMs } from '../../../src/print/timeline/scale.ts';
import { renderTimelines } from '../../../src/print/timeline/terminal.ts';
import { recordedIn } from '../../history/simulated-run.ts';
import { recordedOnNode } from '../../history/traces.ts';
import { PodSimulation } from '../../simulation/pod-simulation.ts';

/** An init container, and a container that fails once and then takes three attempts of its startup probe. */
async function web(): Promise<Timeline> {
  let asked = 0;
  const startupProbe = { exec: { command: ['up'] }, periodSeconds: 2, failureThreshold: 9 };
  const simulation = new PodSimulation({
    spec: {
      initContainers: [{ name: 'fetch', image: 'app' }],
      containers: [{ name: 'main', image: 'app', startupProbe }],
    },
    behave: (name, attempt) => {
      if (name === 'fetch') return { exitAfterMs: 1000 };
      return attempt === 0 ? { exitAfterMs: 1500, exitCode: 3 } : {};
    },
    behaveExec: () => ({ exitCode: asked++ < 2 ? 1 : 0, stdout: 'not \u001b[31mup\n' }),
  });
  await simulation.start();
  await simulation.clock.run(12_000);
  return timelineOf(recordedIn(simulation), Date.UTC(2026, 0, 1, 0, 0, 12))!;
}

function drawn(timelines: readonly Timeline[], glyphs: Glyphs, width: number): string[] {
  const runs = timelines.map((timeline) => ({ run: timeline.name, timeline }));
  return renderTimelines(runs, { width, color: PLAIN, glyphs }).split('\n');
}

it('draws what happened to a Pod, explains the marks, and names the critical path', async () => {
  expect(drawn([await web()], UNICODE_GLYPHS, 72)).toMatchInlineSnapshot(`
    [
      "web: Ready after 6s, 1 restart, Running, 12s old",
      "",
      "              0s                      5s                      10s",
      "              +-----------------------+-----------------------+---------",
      "web           ····▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████████████████████████████",
      "  conditions  N   I                        R",
      "  fetch       ▒▒▒▒✓",
      "  main        ····░░░░░░░░✗░░░░░░░░░░░░░░░░████████████████████████████",
      "    startup            ◦         ◦         ▲",
      "",
      "· waiting   ░ starting up   ▒ running   █ ready   ✓ ended well",
      "✗ failed   ◦ probe failed   ▲ probe succeeded: new state",
      "N PodReadyToStartContainers   I Initialized   R Ready",
      "",
      "web was Ready after 6.00s. One after another:",
      "    1.00s  17%  ■■         init container fetch ran",
      "    1.50s  25%  ■■■        container main ran: exit code 3",
      "    1.50s  25%  ■■■        startup probe of main: until its first",
      "                           attempt",
      "    2.00s  33%  ■■■        startup probe of main: until its next attempt",
      "To shorten it: a shorter period asks sooner",
      "(spec.containers[0].startupProbe.periodSeconds)",
      "",
    ]
  `);
});

it('does so without Unicode', async () => {
  const lines = drawn([await web()], ASCII_GLYPHS, 60);
  expect(lines.join('')).toMatch(/^[ -~]*$/);
  expect(lines.find((line) => line.startsWith('  fetch'))).toMatch(/^ {2}fetch +-+v$/);
});

it.each([60, 80, 200])('no line is wider than a terminal of %i columns', (width) => {
  const timelines = ['rule-restart-all-on-main-exit', 'vol-missing-configmap-blocks', 'probe-readiness-flips']
    .flatMap(recordedOnNode)
    .flatMap((run) => timelineOf(run) ?? []);
  const wide = drawn(timelines, UNICODE_GLYPHS, width).filter((line) => line.length > width);
  // The terminal wraps text.
  expect(wide.filter((line) => !/^[a-z-]+: |^To shorten it|One after another|never Ready/.test(line))).toEqual([]);
});

it('puts several Pods on one axis', () => {
  const [run] = recordedOnNode('term-graceful-exit');
  const first = timelineOf(run!)!;
  const second = { ...first, name: 'later', createdAtMs: first.createdAtMs + first.endMs };
  const lines = drawn([first, second], UNICODE_GLYPHS, 100);
  const startOf = (name: string): number => lines.find((line) => line.startsWith(`${name} `))!.search(/·|▒|█/);
  expect(startOf('later')).toBeGreaterThan(startOf('term-graceful-exit') + 30);
});

it.each([
  [900, 3, ['0s', '500ms']],
  [4000, 4, ['0s', '1s', '2s', '3s', '4s']],
  [190_000, 4, ['0s', '1m', '2m', '3m']],
  [7_300_000, 3, ['0s', '1h', '2h']],
  [0, 5, ['0s']],
])('ticks of %i ms, at most %i', (lengthMs, most, labels) => {
  expect(ticksMs(lengthMs, most).map(tickLabel)).toEqual(labels);
});

it('has a row for each node where there are several, and the node of each Pod', async () => {
  const placed = await web();
  const pod = { ...placed.pod, spec: { ...placed.pod.spec, nodeName: 'node-1' } };
  const timeline = { ...placed, pod };
  const nodes = [
    {
      name: 'node-1',
      counts: [
        { fromMs: 0, toMs: 6000, pods: 1 },
        { fromMs: 6000, toMs: 12_000, pods: 12 },
      ],
      away: [{ fromMs: 3000, toMs: 9000, how: 'crashed' }],
    },
    { name: 'node-2', counts: [{ fromMs: 0, toMs: 12_000, pods: 0 }], away: [] },
  ];
  const style = { width: 72, color: PLAIN, glyphs: UNICODE_GLYPHS, nodes };
  const lines = renderTimelines([{ run: 'web', timeline }], style).split('\n');
  expect(lines[0]).toBe('web: on node-1, Ready after 6s, 1 restart, Running, 12s old');
  expect(lines.slice(4, 6)).toEqual([
    'node/node-1   11111111111111?????????????????????????????++++++++++++++',
    'node/node-2   000000000000000000000000000000000000000000000000000000000',
  ]);
  expect(lines.join('\n')).toContain('? node away');
  expect(lines).toContain('0-9 the number of Pods on a node, + more');
});
