import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeScreens, type Screen, startOnScreen, startScript } from './screen.ts';
import { workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();
afterEach(closeScreens);

const FOREVER = ['sh', '-c', 'trap "exit 0" TERM; sleep 1000 & wait'];
const NEVER_READY = { exec: { command: ['false'] }, periodSeconds: 30 };

/** A Pod that is Ready, and a Pod with three containers: one is in back-off, one is not Ready. */
function twoPods(): string[] {
  const web = workshop.pod('web', {
    terminationGracePeriodSeconds: 5,
    initContainers: [{ name: 'migrate', image: 'busybox', command: ['true'] }],
    containers: [
      { name: 'app', command: FOREVER, readinessProbe: NEVER_READY },
      { name: 'crasher', command: ['sh', '-c', 'exit 3'] },
    ],
  });
  const db = workshop.pod('db', { containers: [{ name: 'main', command: FOREVER }] });
  return [web, db];
}

const apply = (...args: string[]): string[] => workshop.commandLine(['apply', ...args]);
const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

const backsOff = (screen: Screen): boolean => screen.block.some((line) => /back-off \d+s left/.test(line));

describe('the status block', needs('terminals'), () => {
  it.each([60, 80, 200])('shows Pods and containers at the bottom of %i columns', async (columns) => {
    const screen = startOnScreen(workshop, apply(...twoPods()), { columns });
    const rows = [
      /^web +CrashLoopBackOff /,
      /^ {2}› app +Running +readiness probe in \d+s, 1 /,
      /^ {2}✗ crasher +CrashLoopBackOff +back-off \d+s left/,
      /^db +Running$/,
    ];
    await screen.until((seen) => rows.every((row, index) => row.test(seen.block[index] ?? '')));
    const { block, lines } = screen;
    expect(lines.slice(-4)).toEqual(block);
    expect(block.every((line) => line.length < columns)).toBe(true);
    const keys = 'q stop  ↑↓ select  d describe  l logs off  / filter  ? help';
    expect(block[0]).toMatch(columns === 60 ? / {2}\? help$/ : columns === 80 ? / {2}\? help$/ : keys);
    expect(block).toEqual(rows.map((row) => expect.stringMatching(row) as string));
    // The transitions are above the block, each once.
    expect(screen.everything.match(/✓ web\/migrate/g)).toHaveLength(1);
    screen.type('q');
    expect(await screen.ended).toBe(130);
    expect(screen.block).toEqual([]);
  });

  it('is drawn once in a terminal that changes its size', async () => {
    const screen = startOnScreen(workshop, apply(...twoPods()), { columns: 100, rows: 30 });
    await screen.until(backsOff);
    for (const [columns, rows] of [
      [40, 30],
      [120, 12],
      [70, 40],
      [30, 10],
      [100, 24],
    ] as const) {
      screen.resize(columns, rows);
      await screen.until(({ lines, block }) => {
        const isAtBottom = block.length > 0 && block.length <= rows / 2 && lines.at(-1) === block.at(-1);
        const hasDb = lines.slice(-2).some((line) => line.startsWith('db '));
        return isAtBottom && hasDb && block[0]!.length < columns;
      });
      expect(screen.lines.filter((line) => line.startsWith('db '))).toHaveLength(1);
    }
    // No line above the block is lost or repeated.
    const told = screen.everything.replaceAll('\n', '');
    expect(told.match(/✓ web\/migrate/g)).toHaveLength(1);
    screen.resize(1, 1);
    screen.resize(80, 24);
    await screen.until(({ block }) => block.length === 4);
  });

  it('counts the Pods that do not fit; those in trouble stay visible', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `pod-${String(index).padStart(2, '0')}`);
    const files = names.map((name, index) => {
      const command = index === 44 ? ['sh', '-c', 'exit 3'] : FOREVER;
      return workshop.pod(name, { containers: [{ name: 'main', command }] });
    });
    const screen = startOnScreen(workshop, apply(...files), { rows: 20 });
    await screen.until(({ block }) => /^… and 41 more: 41 Running$/.test(block.at(-1) ?? ''));
    await screen.until(({ block }) => /^pod-44 .*back-off/.test(block.at(-2) ?? ''));
    expect(screen.block).toHaveLength(10);
    screen.type('q');
    await screen.ended;
  });
});

describe('lines above the block', needs('terminals'), () => {
  it('are whole, also when other programs write to the terminal', async () => {
    const rude = [
      String.raw`printf "\033[2J\033[Hcleared\033]0;title\007?\n"`,
      String.raw`printf "10%%\r20%%\r30%%\n"`,
      String.raw`printf "nul\000 bell\007 back\010 shift\016 csi\302\2335A end\n"`,
      String.raw`printf "\033[31mred\033[0m, 日本語 and \033[1mbold\n"`,
      String.raw`printf "\033[?1049hother screen\033[5;5r\n"`,
      'until test -e seen; do sleep 0.05; done',
      'echo another writer > "$(cat tty)"',
      'printf "half a line"',
      'sleep 0.3',
      'echo ", and the other half"',
      'sleep 1000',
    ];
    const manifest = workshop.pod('rude', {
      containers: [{ name: 'main', command: ['sh', '-c', rude.join('\n')], workingDir: workshop.folder }],
    });
    const screen = startScript(workshop, `tty > tty; exec ${quoted(apply(manifest))}`);
    // The other writer does not wait until podrun has shown the lines before.
    await screen.shows(/other screen/);
    workshop.file('seen', '');
    await screen.shows(/the other half/);
    await screen.shows(/\? help$/m);
    const lines = screen.lines.filter((line) => line !== '');
    expect(lines.filter((line) => line.includes('│') || line.includes('another'))).toEqual([
      '          │ main  cleared?',
      '          │ main  30%',
      '          │ main  nul bell back shift csi end',
      '          │ main  red, 日本語 and bold',
      '          │ main  other screen',
      'another writer',
      '          │ main  half a line, and the other half',
    ]);
    expect(lines.at(-1)).toMatch(/^rude +Running +q stop/);
  });
});

describe('keys', needs('terminals'), () => {
  it('describe the Pods, switch the output of containers, and show the help', async () => {
    const chatty = ['sh', '-c', 'while :; do echo line; sleep 0.1; done'];
    const manifest = workshop.pod('chatty', { containers: [{ name: 'main', command: chatty }] });
    const screen = startOnScreen(workshop, apply(manifest), { columns: 100, rows: 60 });
    await screen.shows(/l logs off +\/ filter +\? help/);
    screen.type('l');
    await screen.shows(/container output is off/);
    await screen.shows(/l logs on +\/ filter +\? help/);
    screen.type('?');
    await screen.shows(/d +describes the choice, or all Pods/);
    const quiet = screen.everything.match(/│ .*line/g)?.length ?? 0;
    screen.type('d');
    await screen.shows(/^Name: +chatty[^]+^Events:[^]+Started/m);
    expect(screen.everything.match(/│ .*line/g) ?? []).toHaveLength(quiet);
    screen.type('l');
    await screen.until(({ everything }) => (everything.match(/│ .*line/g)?.length ?? 0) > quiet);
    screen.type('Q');
    expect(await screen.ended).toBe(130);
  });

  it('choose a container, show its log alone, restart it, open a shell in it, and filter', async () => {
    const says = (word: string): string[] => [
      'sh',
      '-c',
      `echo ${word} begins; while :; do echo ${word}; sleep 0.5; done`,
    ];
    const manifest = workshop.pod('two', {
      terminationGracePeriodSeconds: 0,
      containers: [
        { name: 'one', command: says('first') },
        { name: 'other', command: says('second') },
      ],
    });
    const screen = startOnScreen(workshop, apply(manifest), { columns: 100, rows: 60 });
    await screen.shows(/^two +Running +✓ one ✓ other/m);
    // The Pod, then its containers.
    screen.type('\u001B[B\u001B[B\u001B[B');
    await screen.shows(/^▸ {3}✓ other +Running/m);
    screen.type('l');
    await screen.shows(/only the output of two\/other/);
    await screen.shows(/│ other +second begins$/m);
    const firsts = screen.everything.match(/│ one +first$/gm)?.length;
    screen.type('r');
    await screen.shows(/restarting two\/other/);
    await screen.shows(/› other +stopping: it is restarted \(r\)/);
    await screen.shows(/› other +started \(attempt 2\)/);
    await screen.shows(/▸ {3}✓ other +Running +1 restart/);
    expect(screen.everything.match(/│ one +first$/gm)?.length).toBe(firsts);
    screen.type('s');
    await screen.shows(/a shell in two\/other/);
    await screen.shows(/^[#$] *$/m);
    screen.type('echo in the shell; exit 5\r');
    await screen.shows(/^in the shell$/m);
    await screen.shows(/the shell has ended with code 5/);
    screen.type('\u001B');
    await screen.until(({ lines }) => lines.every((line) => !line.startsWith('▸')));
    screen.type('/one\r');
    await screen.shows(/\/one {2}Esc clears it/);
    screen.type('q');
    expect(await screen.ended).toBe(130);
  });

  it('q pressed again kills the Pods', async () => {
    const stubborn = ['sh', '-c', 'trap "" TERM; echo deaf; while :; do sleep 0.1; done'];
    const manifest = workshop.pod('stubborn', { containers: [{ name: 'main', command: stubborn }] });
    const screen = startOnScreen(workshop, apply(manifest));
    await screen.shows(/│ .*deaf/);
    await screen.shows(/q stop/);
    screen.type('q');
    await screen.shows(/stopping, \d+s of grace left/);
    // Two signals within half a second count as one.
    const again = setInterval(() => screen.type('q'), 600);
    expect(await screen.ended.finally(() => clearInterval(again))).toBe(130);
    expect(screen.everything).toContain('SIGKILL');
  });
});

describe('the terminal is restored', needs('terminals'), () => {
  const ways: Readonly<Record<string, (screen: Screen) => void>> = {
    'after q': (screen) => screen.type('q'),
    'after Ctrl-C': (screen) => screen.type('\u0003'),
    'after Ctrl-\\': (screen) => screen.type('\u001C'),
    'after SIGTERM': () => process.kill(Number(readFileSync(path.join(workshop.folder, 'pid'), 'utf8')), 'SIGTERM'),
  };

  it.each(Object.entries(ways))('%s', async (_, end) => {
    const [web = ''] = twoPods();
    const podrun = `sh -c 'echo $$ > pid; exec "$@"' sh ${quoted(apply(web))}`;
    const screen = startScript(
      workshop,
      `trap : INT QUIT; stty -a > before; ${podrun}; stty -a > after; echo "the end"; read -r line`,
    );
    await screen.until(backsOff);
    await screen.shows(/q stop/);
    end(screen);
    await screen.shows(/^the end$/m);
    const [before, after] = ['before', 'after'].map((name) => readFileSync(path.join(workshop.folder, name), 'utf8'));
    expect(after).toBe(before);
    expect(screen.isCursorShown).toBe(true);
    expect(screen.lines.findLast((line) => line !== '')).toBe('the end');
    // The whole screen scrolls, and lines wrap: the scroll margins are reset.
    await screen.write(`${'\r\n'.repeat(60)}${'x'.repeat(100)}`);
    expect(screen.lines.slice(0, -2).every((line) => line === '')).toBe(true);
    expect(screen.lines.slice(-2)).toEqual(['x'.repeat(80), 'x'.repeat(20)]);
  });

  it('after SIGKILL, by the terminal guard', async () => {
    const [web = ''] = twoPods();
    const podrun = `sh -c 'echo $$ > pid; exec "$@"' sh ${quoted(apply(web))}`;
    const order = 'until [ "$(stty -a)" = "$(cat before)" ]; do sleep 0.1; done';
    const screen = startScript(
      workshop,
      `stty -a > before; ${podrun}; ${order}; echo restored; read -r line; echo "got $line"; read -r line`,
    );
    await screen.until(backsOff);
    await screen.shows(/q stop/);
    process.kill(Number(readFileSync(path.join(workshop.folder, 'pid'), 'utf8')), 'SIGKILL');
    await screen.until(({ block, isCursorShown }) => block.length === 0 && isCursorShown);
    await screen.shows(/^restored$/m);
    screen.type('a line\r');
    await screen.shows(/^got a line$/m);
    expect(screen.lines.findLast((line) => line !== '')).toBe('got a line');
    // The whole screen scrolls: the scroll margins are reset.
    await screen.write('\r\n'.repeat(60));
    expect(screen.lines.every((line) => line === '')).toBe(true);
  });

  it('while podrun is stopped with Ctrl-Z or in the background; after fg, the block appears again', async () => {
    const screen = startOnScreen(workshop, ['sh', '-i'], { rows: 30 });
    screen.type(`stty -a > before; ${quoted(apply(...twoPods()))}\r`);
    await screen.until(backsOff);
    screen.type('\u001A');
    await screen.shows(/Stopped/);
    await screen.until(({ block }) => block.length === 0);
    expect(screen.isCursorShown).toBe(true);
    screen.type('stty -a > after; bg; echo in the shell\r');
    await screen.shows(/^in the shell$/m);
    screen.type('fg\r');
    await screen.until(backsOff);
    screen.type('q');
    await screen.until(({ block, everything }) => block.length === 0 && /✗ web +Failed/.test(everything));
    screen.type('stty -a > last; exit 7\r');
    expect(await screen.ended).toBe(7);
    const [before, ...others] = ['before', 'after', 'last'].map((name) =>
      readFileSync(path.join(workshop.folder, name), 'utf8'),
    );
    expect(others).toEqual([before, before]);
  });

  it('a background job is not stopped, and draws nothing', async () => {
    const manifest = workshop.pod('brief', {
      restartPolicy: 'Never',
      containers: [{ name: 'main', command: ['sh', '-c', 'sleep 1.5'] }],
    });
    const screen = startOnScreen(workshop, ['sh', '-i'], { rows: 30 });
    screen.type(`${quoted(apply(manifest))} & wait $!; echo "code $?"\r`);
    await screen.shows(/^code 0$/m);
    expect(screen.everything).not.toMatch(/Stopped|\? help/);
    expect(screen.everything).toMatch(/✓ brief +Succeeded/);
  });
});
