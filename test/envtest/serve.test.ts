import { type ChildProcess, execFileSync, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quietly } from '../../src/quietly.ts';
import { removeTree } from '../../src/remove-tree.ts';
import { needs } from '../needs.ts';
import { PODRUN } from './control-plane.ts';
import { callerOf } from './suite-caller.ts';

const CONFIG = path.join(import.meta.dirname, 'config');
const PYTHON = '/usr/bin/python3';
const PACKAGES = '/usr/lib/python3/dist-packages';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-suite-'));
  for (const name of ['home', 'tmp', 'work']) mkdirSync(path.join(folder, name));
  env = { PATH: process.env['PATH'], HOME: path.join(folder, 'home'), TMPDIR: path.join(folder, 'tmp') };
});
afterEach(() => removeTree(folder));

/** The lines of JSON that a server prints. */
interface Facts {
  readonly url: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  readonly token: string;
  readonly kubeconfig: string;
}

/** A server in a process of its own. */
interface Served {
  readonly child: ChildProcess;
  /** Resolves with the first line of its output. */
  readonly line: Promise<string>;
  /** All that it has written to standard error. */
  readonly stderr: () => string;
  readonly ended: Promise<number | string>;
}

function serve(args: readonly string[], more: NodeJS.ProcessEnv = {}): Served {
  const stdio: StdioOptions = ['pipe', 'pipe', 'pipe'];
  const cwd = path.join(folder, 'work');
  const child = spawn(process.execPath, [PODRUN, 'envtest', 'serve', ...args], {
    env: { ...env, ...more },
    cwd,
    stdio,
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (errors += piece));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const first = once(createInterface(child.stdout!), 'line').then(([line]) => line as string);
  const line = Promise.race([first, ended.then((code) => `ended with ${code}: ${errors}`)]);
  return { child, line, stderr: () => errors, ended };
}

const factsIn = async ({ line }: Served): Promise<Facts> => JSON.parse(await line) as Facts;
/** The files that podrun has left, but for its code cache. */
const left = (): string[] =>
  ['home', 'tmp', 'work']
    .flatMap((name) => readdirSync(path.join(folder, name), { recursive: true }).map(String))
    .filter((name) => !name.startsWith('.cache'));
const isRunning = (pid: number): boolean => (quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '') !== '';

describe('podrun envtest serve', () => {
  it('prints a line of JSON when the kinds are served, and ends with its standard input', async () => {
    writeFileSync(path.join(folder, 'work/podrun.yaml'), 'wrong: [');
    const served = serve(['--json', '--crds', path.join(CONFIG, 'crd')]);
    const facts = await factsIn(served);
    expect(Object.keys(facts)).toEqual(['url', 'ca', 'certificate', 'key', 'token', 'kubeconfig']);
    expect(readFileSync(facts.kubeconfig, 'utf8')).toContain(facts.url);
    const greetings = '/apis/example.com/v1/greetings';
    const codes = [facts, { token: facts.token }, {}].map((user) => callerOf(facts, user)('GET', greetings));
    expect((await Promise.all(codes)).map(({ code }) => code)).toEqual([200, 200, 403]);
    served.child.stdin?.end();
    expect([await served.ended, served.stderr(), left()]).toEqual([0, '', ['podrun.yaml']]);
  });

  it('ends with SIGTERM, and has the mode of PODRUN_ENVTEST and the version of a flag', async () => {
    const served = serve(['--json', '--version', '1.34'], { PODRUN_ENVTEST: 'controllers' });
    const facts = await factsIn(served);
    expect((await callerOf(facts, {})('GET', '/version')).body.minor).toBe('34');
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await expect.poll(async () => (await callerOf(facts, facts)('GET', account)).code).toBe(200);
    served.child.kill('SIGTERM');
    expect([await served.ended, served.stderr(), left()]).toEqual([0, '', []]);
  });

  it('ends when its parent is gone, also one that has left the standard input open', async () => {
    const script = '"$0" "$1" envtest serve --json <&3 & echo $!; wait';
    const parent = spawn('sh', ['-c', script, process.execPath, PODRUN], {
      env,
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    const lines: string[] = [];
    createInterface(parent.stdout!).on('line', (line) => lines.push(line));
    await expect.poll(() => lines).toHaveLength(2);
    const pid = Number(lines[0]);
    expect(isRunning(pid)).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(left()).toEqual([]);
  });

  it('removes what a killed one has left', async () => {
    const killed = serve(['--json']);
    const { kubeconfig } = await factsIn(killed);
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(existsSync(kubeconfig)).toBe(true);
    const next = serve(['--json']);
    await factsIn(next);
    expect(existsSync(kubeconfig)).toBe(false);
    next.child.stdin?.end();
    expect([await next.ended, left()]).toEqual([0, []]);
  });

  it('prints a line for a shell without --json, and leaves its standard input alone', async () => {
    const served = serve([]);
    expect(await served.line).toMatch(/^export KUBECONFIG='\/.*'$/);
    served.child.stdin?.end();
    served.child.kill('SIGINT');
    expect([await served.ended, served.stderr()]).toEqual([
      0,
      expect.stringMatching(/^serving https:\/\/127.0.0.1:\d+; Ctrl-C ends the server and removes its objects\n$/),
    ]);
  });

  it('ends with the place of a mistake in a definition', async () => {
    const wrong = readFileSync(path.join(CONFIG, 'crd/bases/greetings.yaml'), 'utf8').replace(
      'kind: Greeting,',
      'kind: "",',
    );
    writeFileSync(path.join(folder, 'work/wrong.yaml'), wrong);
    const served = serve(['--json', '--crds', 'wrong.yaml']);
    expect(await served.ended).toBe(2);
    expect(served.stderr()).toMatch(
      /^The CustomResourceDefinition "greetings.example.com" is invalid: [^]*wrong.yaml:8:/,
    );
    expect(left()).toEqual(['wrong.yaml']);
  });

  it('runs no command, and prints no folder', async () => {
    const refused = [serve(['--', 'true']), serve(['-p', 'env'])];
    expect(await Promise.all(refused.map(({ ended }) => ended))).toEqual([2, 2]);
    expect(refused.map(({ stderr }) => stderr().split('\n')[0])).toEqual([
      'error: podrun envtest serve runs no COMMAND',
      'error: podrun envtest serve has no flag --print',
    ]);
  });
});

describe('docs/envtest.md', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/envtest.md'), 'utf8');
  /** The files that the page shows, by their names in the first line of each. */
  const files = [...page.matchAll(/^```python\n# (\w+\.py)\n([^]*?)^```$/gm)].map(([, name = '', text = '']) => ({
    name,
    text,
  }));
  const lacks = needs({
    'python3-kubernetes of Debian': existsSync(`${PACKAGES}/kubernetes`),
    'python3-pytest of Debian': existsSync(`${PACKAGES}/pytest`),
  });

  it('shows a fixture of pytest that works', lacks, () => {
    const work = path.join(folder, 'work');
    cpSync(CONFIG, path.join(work, 'config'), { recursive: true });
    for (const { name, text } of files) writeFileSync(path.join(work, name), text);
    const program = path.join(folder, 'home/podrun');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${PODRUN}' "$@"\n`);
    chmodSync(program, 0o755);
    const settings = { ...env, PATH: `${path.dirname(program)}:${env['PATH']}`, PYTHONDONTWRITEBYTECODE: '1' };
    const flags = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'];
    const report = execFileSync(PYTHON, flags, { cwd: work, env: settings, encoding: 'utf8' });
    expect(report).toMatch(/^1 passed/m);
    expect(readdirSync(path.join(folder, 'tmp'))).toEqual([]);
  });
});
