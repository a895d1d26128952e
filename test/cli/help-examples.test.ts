import type { StoredKubeObject } from '../../src/api/base/objects.ts';
import { everyResourceType } from '../../src/api/resource-types.ts';
import { keyOf } from '../../src/store/base/metadata.ts';
import { spawn } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyCommandName } from './commands.ts';
import { type Ending, ENDINGS, FILES, PROGRAMS, SETTINGS, STORE_ONLY, WORKLOADS, WORLDLESS } from './example-world.ts';
import { runHere } from './in-process.ts';
import { startProgramAtTerminal } from './own-terminal.ts';
import { freePort } from '../free-port.ts';
import { has, type Need, needs } from '../needs.ts';
import { argumentsOf } from './transcripts.ts';
import { putWorkloads } from './workloads/golden-workloads.ts';
import { putObjects, storeOf } from './prepared-store.ts';
import { type Ended, Podrun, Workshop } from './workshop.ts';

const hasNamespaces = has('namespaces');
const workshop = new Workshop();
const commands = ['', ...(await everyCommandName(workshop)).toSorted(worldlessFirst)];
const examples = new Map(
  await Promise.all(commands.map(async (command) => [command, await examplesOf(command)] as const)),
);
let hasWorld = false;

function worldlessFirst(a: string, b: string): number {
  const isWorldless = (command: string): boolean => WORLDLESS.has(command) || STORE_ONLY.test(command);
  return Number(isWorldless(b)) - Number(isWorldless(a));
}

/** The lines below `Examples:`, without their comments. */
async function examplesOf(command: string): Promise<string[]> {
  const { stdout } = await workshop.run([...command.split(' ').filter(Boolean), '--help']);
  const [block = ''] = (stdout.split('\nExamples:\n')[1] ?? '').split('\n\n');
  return block.split('\n').flatMap((line) => line.replace(/ {2,}# .*$/, '').trim() || []);
}

beforeAll(() => {
  for (const name of ['bin', 'site', 'deploy', 'logs', 'src', 'config', 'config/crd']) workshop.folderNamed(name);
  for (const [name, text] of Object.entries(FILES(workshop.folder, hasNamespaces))) workshop.file(name, text);
  const podrun = workshop.commandLine([]).map((word) => `'${word}'`);
  const programs = { ...PROGRAMS, podrun: `exec ${podrun.join(' ')} "$@"` };
  for (const [name, script] of Object.entries(programs)) {
    chmodSync(workshop.file(`bin/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
  }
  chmodSync(`${workshop.folder}/smoke.sh`, 0o755);
});

afterAll(async () => {
  await runPlain('podrun delete jobs,pods --all -A --now --timeout=20s');
  await workshop.close();
});

function environment(): Record<string, string> {
  const own = { PODRUN_STATE_DIR: workshop.stateDir, PATH: `${workshop.folder}/bin:${process.env['PATH'] ?? ''}` };
  const data = { XDG_DATA_HOME: `${workshop.folder}/data` };
  return { ...(process.env as Record<string, string>), NO_COLOR: '1', CI: 'true', ...own, ...data };
}

function run(line: string, shell: string = 'sh'): Podrun {
  const child = spawn(shell, ['-c', line], {
    cwd: workshop.folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  return new Podrun(child);
}

/** Makes the Pods that the examples name: web has run twice, and was restarted once. */
async function buildWorld(): Promise<void> {
  hasWorld = true;
  // Without namespaces, `cp` would write to the machine itself.
  const tier = hasNamespaces ? '--runtime=namespace' : '--runtime=process';
  const restarted = "--for=jsonpath='{.status.containerStatuses[0].restartCount}'=1 --timeout=3m";
  rmSync(`${workshop.folder}/crashed`, { force: true });
  await mustRun('podrun delete pods --all -A --now');
  await mustRun('podrun apply first-web.yaml');
  await mustRun(`podrun apply -d ${tier} world.yaml`);
  await mustRun(`podrun wait pod/web ${restarted}`);
  await mustRun('podrun wait pod/web --for=condition=Ready --timeout=3m');
}

/** Stores recorded workloads, as they were when they were recorded. No agent acts on them. */
function putWorkloadsAgain(): void {
  const store = storeOf(workshop);
  for (const { plural } of everyResourceType().filter(({ plural: resource }) => resource !== 'pods')) {
    for (const object of store.list<StoredKubeObject>(plural)) {
      const { namespace, name } = keyOf(object);
      store.delete(plural, namespace, name);
    }
  }
  for (const state of WORKLOADS) putWorkloads(workshop, state);
  putObjects(store, [SETTINGS]);
}

async function mustRun(line: string | undefined): Promise<void> {
  if (line === undefined) return;
  const { exitCode, stdout, stderr } = await (PLAIN.test(line) ? runPlain(line) : run(line).ended);
  if (exitCode !== 0) throw new Error(`cannot be prepared: ${line}\n${stdout}${stderr}`);
}

/** An example that a shell does not have to read, of a command that needs no process of its own. */
const PLAIN = new RegExp(
  String.raw`^podrun (get|describe|events|logs|probes|history|timeline|diff|advise|explain|version|help|completion|` +
    String.raw`validate|patch|label|annotate|condition|scale|rollout|set|init|create|expose|taint|cordon|uncordon|` +
    String.raw`autoscale|drain|delete|gc|top|apply|replace|wait|simulate|images|image|pull|netpol|why)( [^|;&<>$]*)?$`,
);

function runPlain(line: string): Promise<Ended> {
  return runHere(workshop, argumentsOf(line), { env: environment() });
}

/** The first example of each verb is always run by a shell, with the built program. */
function isFirstOfAny(line: string): boolean {
  return [...examples].some(([command, [first]]) => first === line && !command.includes(' '));
}

async function atFreePort(line: string, { port }: Ending): Promise<string> {
  return port === undefined ? line : line.replace(`${port}`, `${await freePort()}`);
}

/** Runs an example to its end. Answers its output. */
async function tryExample(line: string, { shows, keys, during, shell }: Ending): Promise<Ended> {
  if (keys !== undefined) return atTerminal(line, keys, shows);
  const runsProgram = line.includes(' -- ') && !line.startsWith('podrun create ');
  const isPlain = PLAIN.test(line) && !runsProgram && shows === undefined && during === undefined;
  if (isPlain && !isFirstOfAny(line)) return runPlain(line);
  const podrun = run(line, shell);
  if (during !== undefined) await run(during).ended;
  if (shows !== undefined) {
    await podrun.until(({ stdout, stderr }) => shows.test(stdout + stderr));
    process.kill(-podrun.pid, 'SIGINT');
  }
  return podrun.ended;
}

/** The prompt of a shell. The advice to press enter comes before or after the prompt. */
const PROMPT = /[$#] (?:If you don't see a command prompt[^\n]*\n)?$/;

async function atTerminal(line: string, keys: string, prompt: RegExp = PROMPT): Promise<Ended> {
  const terminal = startProgramAtTerminal(workshop, ['sh', '-c', line], { ...environment(), CI: undefined });
  await terminal.shows(prompt);
  terminal.type(keys);
  return { exitCode: await terminal.ended, stdout: '', stderr: '' };
}

function needsOf({ keys, shell, needs: own = [] }: Ending): Need[] {
  return [
    ...own,
    ...(keys === undefined ? [] : ['terminals' as const]),
    ...(shell === undefined ? [] : [`program ${shell}` as const]),
  ];
}

describe.each([...examples])('the help of podrun %s', (command, lines) => {
  it('has examples with real names and no placeholders', () => {
    expect(lines).not.toEqual([]);
    expect(lines.filter((line) => !line.includes(`podrun ${command}`))).toEqual(
      command === 'debug' ? ['podrun logs web -c probe'] : [],
    );
    expect(
      lines.filter((line) => /(?<![\w.$])(POD|NAME|TYPE|FILE|CONTAINER|COMMAND|PATH)(?![\w:=])/.test(line)),
    ).toEqual([]);
  });

  for (const line of lines) {
    const ending = ENDINGS[line] ?? {};
    it(`ends as it says: ${line}`, needs(...needsOf(ending)), async () => {
      if (STORE_ONLY.test(command)) putWorkloadsAgain();
      else if (!WORLDLESS.has(command) && (!hasWorld || ending.isRebuilt === true)) await buildWorld();
      await mustRun(ending.before);
      const { exitCode, stdout, stderr } = await tryExample(await atFreePort(line, ending), ending);
      const wanted = ending.exitCode ?? (ending.shows !== undefined && ending.keys === undefined ? 130 : 0);
      expect({ exitCode, said: exitCode === wanted ? '' : stdout + stderr }).toEqual({ exitCode: wanted, said: '' });
    });
  }
});

it('prepares no example that help does not show', () => {
  const all = new Set([...examples.values()].flat());
  expect(Object.keys(ENDINGS).filter((line) => !all.has(line))).toEqual([]);
});
