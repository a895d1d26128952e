import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { HOST } from '../../src/runtime/base/inside.ts';
import type { MainProcess } from '../../src/runtime/start/main-process.ts';
import { startUnderScript } from '../../src/runtime/terminal/script-terminal.ts';
import { makeRig, PATH, sh, until } from './support/process-rig.ts';

const rig = makeRig();
const inTerminal = { tty: true, stdin: true, env: { PATH, TERM: 'xterm' } };

/** Leaves the event loop waiting, as a busy machine does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a container in a terminal', () => {
  it('has one as its three standard streams, and learns its size', async () => {
    const script = 'for fd in 0 1 2; do [ -t $fd ] && echo $fd; done; stty size; echo error >&2; exit 7';
    const { exit, text, started } = await rig.run(sh(script), inTerminal);
    expect(text).toBe('0\r\n1\r\n2\r\n24 80\r\nerror\r\n');
    expect(started.pieces.every(({ stream }) => stream === 'stdout')).toBe(true);
    expect(exit).toMatchObject({ exitCode: 7, signal: undefined });
  });

  it('reads what is typed, and Ctrl-D ends its input', async () => {
    const started = await rig.start(sh('stty -echo; echo ready; cat; echo end'), inTerminal);
    await until(() => started.text().includes('ready'), started.text);
    await started.container.streams?.input?.write(Buffer.from('hello\n'));
    started.container.streams?.input?.end();
    expect(await started.exit).toMatchObject({ exitCode: 0 });
    expect(started.text()).toBe('ready\r\nhello\r\nend\r\n');
  });

  it('hears of a new size', async () => {
    const started = await rig.start(sh('trap "stty size; exit 0" WINCH; echo ready; read line'), inTerminal);
    await until(() => started.text().includes('ready'), started.text);
    started.container.streams?.terminal?.resize({ columns: 132, rows: 50 });
    await started.exit;
    expect(started.text()).toBe('ready\r\n50 132\r\n');
    // A resize after the end has no effect.
    started.container.streams?.terminal?.resize({ columns: 80, rows: 24 });
  });

  it('gets the stop signal itself, and takes everything with it', async () => {
    const script = 'trap "exit 3" TERM; setsid sleep 100 & sleep 100 & echo ready; while :; do sleep 0.02; done';
    const started = await rig.start(sh(script), inTerminal);
    await until(() => started.text().includes('ready'), started.text);
    started.container.signal('SIGTERM');
    expect(await started.exit).toMatchObject({ exitCode: 3 });
    await started.gone;
  });

  it('that is killed has the exit code of that', async () => {
    const started = await rig.start(['sleep', '100'], inTerminal);
    started.container.kill();
    expect(await started.exit).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
  });

  it('loses nothing when its output is held for a while', async () => {
    const started = await rig.start(sh('stty -echo; read go; seq 100000; echo end'), inTerminal);
    started.container.streams?.holdOutput(true);
    await started.container.streams?.input?.write(Buffer.from('\n'));
    started.container.streams?.holdOutput(false);
    await started.exit;
    expect(started.text()).toMatch(/\r\n100000\r\nend\r\n$/);
  });

  it('loses nothing when this process gets late to its last pieces, and takes its time with each', async () => {
    let text = '';
    const onOutput = (_stream: string, chunk: Buffer): void => {
      text += chunk.toString();
      block(200);
    };
    const started = await rig.start(sh('stty -echo; read go; seq 3000; echo end'), { ...inTerminal, onOutput });
    await started.container.streams?.input?.write(Buffer.from('\n'));
    // The program ends meanwhile: a terminal holds as much.
    block(500);
    await started.exit;
    expect(text).toMatch(/\r\n3000\r\nend\r\n$/);
  });
});

describe('the terminal of script(1)', () => {
  const start = async (script: string): Promise<{ main: MainProcess; text: () => string }> => {
    let text = '';
    const launch = {
      id: 'script-test',
      argv: sh(script),
      env: { PATH, SHELL: "/odd'shell" },
      cwd: rig.folder,
      stdin: true,
      onOutput: (_stream: string, chunk: Buffer) => void (text += chunk.toString()),
      onExit: () => expect.unreachable(),
    };
    const outcome = await startUnderScript({
      launch,
      call: { ...launch, file: 'sh' },
      inside: HOST,
      size: { columns: 90, rows: 20 },
      endOfInput: Buffer.from([4]),
    });
    if (!outcome.ok) throw new Error(outcome.why);
    expect(outcome.notice).toContain('not installed');
    return { main: outcome.process, text: () => text };
  };

  it('has a size, the requested environment, and passes on the exit code', async () => {
    const { main, text } = await start('stty size; echo "$SHELL"; exit 7');
    expect(await main.ended).toMatchObject({ exitCode: 7 });
    await main.finishOutput();
    expect(text()).toBe("20 90\r\n/odd'shell\r\n");
  });

  it('lets the program see a stop signal, and end in its own time', async () => {
    const { main, text } = await start('trap "echo bye; exit 3" TERM; echo ready; while :; do sleep 0.02; done');
    await until(() => text().includes('ready'), text);
    main.signal(constants.signals.SIGTERM);
    expect(await main.ended).toMatchObject({ exitCode: 3 });
    await main.finishOutput();
    expect(text()).toContain('bye');
  });

  it('passes on what is typed', async () => {
    const { main, text } = await start('stty -echo; echo ready; cat');
    await until(() => text().includes('ready'), text);
    await main.streams.input?.write(Buffer.from('hello\n'));
    main.streams.input?.end();
    expect(await main.ended).toMatchObject({ exitCode: 0 });
    expect(text()).toBe('ready\r\nhello\r\n');
  });
});
