import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { type Goal, PodrunError, run } from '../../src/library/index.ts';
import type { Ended, Workshop } from '../cli/workshop.ts';
import type { Situation } from './situations.ts';

/** A way to run objects and to hear the verdict. */
export type Door = 'apply' | 'detach' | 'library' | 'serve';

/** The verdict, as a door gives it. */
export interface Seen {
  readonly exitCode: number;
  readonly stdout: string;
  /** The errors, without `error: `. */
  readonly errors: readonly string[];
  /** The names of the JUnit cases that have failed. Undefined: the door writes no report. */
  readonly failed?: readonly string[];
  /** True when GitHub shows an error. Undefined: the door has no annotations. */
  readonly isAnnotated?: boolean;
}

type Subject = Pick<Situation, 'objects' | 'until' | 'command'>;

export const DOORS: Readonly<Record<Door, (workshop: Workshop, situation: Subject) => Promise<Seen>>> = {
  apply: async (workshop, situation) => {
    const args = applyArgs(workshop, situation, ['--report', 'report', '--annotations', 'github']);
    const seen = seenOf(await workshop.run(args, variables(workshop)));
    const hasPods = situation.objects.some((object) => 'spec' in object);
    return { ...seen, failed: hasPods ? failedCases(workshop) : [] };
  },
  detach: async (workshop, situation) => {
    const args = applyArgs(workshop, situation, ['--detach', '--wait', '--annotations', 'github']);
    return seenOf(await workshop.run(args, variables(workshop)));
  },
  library: async (workshop, { objects, until, command }) => {
    const { folder: cwd, stateDir } = workshop;
    const fromEnv = { NO_COLOR: '1', PODRUN_STATE_DIR: stateDir };
    const goals = (until.length === 0 ? ['up'] : until) as Goal[];
    let stdout = '';
    try {
      await using pods = await run([...objects], { cwd, stateDir, config: false });
      for (const goal of goals) await pods.until(goal);
      if (command === undefined) return { exitCode: 0, stdout, errors: [] };
      const ended = await shell(command, cwd, { ...variables(workshop), ...fromEnv });
      stdout = ended.stdout;
      for (const goal of goals) await pods.until(goal, { timeout: '500ms', settle: 0 });
      return { exitCode: ended.exitCode, stdout, errors: [] };
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      return { exitCode: 1, stdout, errors: [error.message] };
    }
  },
  serve: async (workshop, { command = ':', ...situation }) => {
    const file = workshop.file('objects.json', JSON.stringify(situation.objects));
    // COMMAND waits as long as it likes: the verdict of the server is about what it finds then.
    // A Job about which COMMAND is may not have ended before it.
    const untilEnd = command.includes('job/') ? [] : ['jobs'];
    const script = [process.execPath, CREATE, file, ...untilEnd, '|| exit 99\n', command].join(' ');
    const args = ['serve', '--once', '--network', 'host', '--runtime', 'process', '--', 'sh', '-c', script];
    return seenOf(await workshop.start(args, { ...variables(workshop), GITHUB_ACTIONS: 'true' }).ended);
  },
};

/** The words of an `apply` of the situation. */
export function applyArgs(workshop: Workshop, situation: Subject, flags: readonly string[] = []): readonly string[] {
  const { objects, until, command } = situation;
  const text = objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
  const goals = until.flatMap((goal) => ['--until', goal]);
  const behind = command === undefined ? [] : ['--', 'sh', '-c', command];
  return ['apply', workshop.file('app.yaml', text), '--timeout', '60s', ...flags, ...goals, ...behind];
}

/** A client of the API, which creates the objects of a file, and waits for them. */
const CREATE = path.join(import.meta.dirname, 'create.mjs');

function variables(workshop: Workshop): Record<string, string> {
  return { PODRUN: workshop.commandLine([]).join(' ') };
}

function seenOf({ exitCode, stdout, stderr }: Ended): Seen {
  const errors = stderr.split('\n').flatMap((line) => (line.startsWith('error: ') ? [line.slice(7)] : []));
  return { exitCode, stdout, errors, isAnnotated: `\n${stdout}`.includes('\n::error ') };
}

/** The names of the cases in a JUnit report that have failed. */
function failedCases(workshop: Workshop): readonly string[] {
  const text = readFileSync(path.join(workshop.folder, 'report/junit.xml'), 'utf8');
  return [...text.matchAll(/<testcase [^>]*?\bname="([^"]*)"[^>]*>\s*<failure/g)].map(([, name = '']) => name);
}

function shell(script: string, cwd: string, env: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', script], { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
