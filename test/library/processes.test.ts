import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { emptyFolder, runsWith, shellPod } from './pods.ts';
import { PATIENT } from '../patience.ts';
import { memoryPlace } from '../store/memory-place.ts';
import { needs } from '../needs.ts';

const LIBRARY = pathToFileURL(path.join(import.meta.dirname, '../../dist/library/index.js')).href;
let words = 0;

/** A word that only the environment of one container contains. */
const newWord = (): string => `podrun-library-${process.pid}-${++words}`;

/** A program that uses the built library. */
class Program {
  readonly word: string = newWord();
  readonly lines: AsyncIterator<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly stderr: string }>;
  readonly #child: ReturnType<typeof spawn>;

  /** @param text the text of a module; may use `run`, `pod` (which runs for ever) and `done` (which ends) */
  constructor(text: string, more: Readonly<Record<string, string>> = {}) {
    const file = path.join(emptyFolder(), 'program.mjs');
    const env = [{ name: 'WORD', value: this.word }];
    const head = [
      `import { run } from ${JSON.stringify(LIBRARY)};`,
      `const pod = ${JSON.stringify(shellPod('web', 'sleep 600 & setsid sleep 600 & wait', { env }))};`,
      `const done = ${JSON.stringify(shellPod('web', 'echo done', { env }))};`,
    ];
    writeFileSync(file, [...head, text].join('\n'));
    this.#child = spawn(process.execPath, [file], {
      env: { ...process.env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('no pipes');
    this.lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    let said = '';
    stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve({ code, signal, stderr: said }));
    });
  }

  async line(): Promise<string> {
    return String((await this.lines.next()).value);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

const UP = "const pods = await run(pod); await pods.until('Ready'); console.log(pods.stateDir);";

describe('the containers of a process', () => {
  it.each(['SIGKILL', 'SIGINT'] as const)('end when %s ends it', async (signal) => {
    const program = new Program(UP);
    await program.line();
    expect(runsWith(program.word)).toBe(true);
    program.kill(signal);
    expect(await program.ended).toMatchObject({ signal });
    await vi.waitFor(() => expect(runsWith(program.word)).toBe(false), PATIENT);
  });

  it('end when it ends, with what was kept of them', async () => {
    const program = new Program(`${UP} process.exit(0);`);
    const stateDir = await program.line();
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    await vi.waitFor(() => expect(runsWith(program.word)).toBe(false), PATIENT);
    expect(existsSync(stateDir)).toBe(false);
  });

  it('leave nothing in memory while it keeps running', needs('namespaces', '/dev/shm in memory'), async () => {
    const place = memoryPlace();
    const program = new Program(
      `import { readdirSync } from 'node:fs';
      const pods = await run(pod, { runtime: 'namespace' });
      await pods.until('Ready');
      const during = readdirSync(process.env.XDG_RUNTIME_DIR);
      await pods.stop();
      await pods.close();
      console.log(JSON.stringify([during, readdirSync(process.env.XDG_RUNTIME_DIR)]));`,
      { XDG_RUNTIME_DIR: place },
    );
    expect(JSON.parse(await program.line())).toEqual([[expect.stringContaining('podrun-')], []]);
    await program.ended;
  });

  it('end with their worker thread, also when it is terminated', async () => {
    const program = new Program(`
      import { isMainThread, Worker, parentPort } from 'node:worker_threads';
      import { fileURLToPath } from 'node:url';
      if (isMainThread) {
        const worker = new Worker(fileURLToPath(import.meta.url));
        worker.on('message', async (text) => {
          console.log(text);
          await worker.terminate();
          console.log('terminated');
          setInterval(() => undefined, 1000);
        });
      } else {
        ${UP.replace('console.log(pods.stateDir)', 'parentPort.postMessage(pods.logs() + pods.get().status.phase)')}
      }
    `);
    expect(await program.line()).toBe('Running');
    expect(await program.line()).toBe('terminated');
    await vi.waitFor(() => expect(runsWith(program.word)).toBe(false), PATIENT);
    program.kill('SIGKILL');
    await program.ended;
  });

  it('what a killed process has left is removed by the next run', async () => {
    const killed = new Program(UP);
    const stateDir = await killed.line();
    killed.kill('SIGKILL');
    await killed.ended;
    expect(existsSync(stateDir)).toBe(true);
    const next = new Program("const pods = await run(done); await pods.until('Succeeded'); await pods.close();");
    expect(await next.ended).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(stateDir)).toBe(false);
  });
});

it('a process ends with its Pods, even if they were not closed', async () => {
  const program = new Program("const pods = await run(done); await pods.until('Succeeded'); console.log(pods.logs());");
  expect(await program.line()).toBe('done');
  expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
});

it('output is printed where that is wanted, and only there', async () => {
  const program = new Program("await run(done, { logs: 'inherit' });");
  expect(await program.line()).toBe('[web/main] done');
  expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
});
