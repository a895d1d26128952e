import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { KubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { allContainerStatuses } from '../../src/api/base/objects.ts';
import { resourceTypeNamed, resourceTypeOf } from '../../src/api/resource-types.ts';
import type { FileStore } from '../../src/store/file-store.ts';
import { ContainerLog } from '../../src/store/logs/container-log.ts';
import { instanceLogPath } from '../../src/store/logs/log-files.ts';
import { goldenStates } from '../print/golden.ts';
import { runHere } from './in-process.ts';
import { GOLDEN_ENV, putObjects, putStates, storeOf, withNamespaces } from './prepared-store.ts';
import type { Podrun, Workshop } from './workshop.ts';

/** A recorded command of kubectl with its outcome: see test/golden/README.md. */
export interface Transcript {
  readonly name: string;
  readonly command: string;
  readonly state: readonly string[];
  readonly extra_objects?: readonly KubeObject[];
  /** True when the command starts with the objects of the command before. */
  readonly continues_previous?: boolean;
  readonly stdin?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly container_logs?: Readonly<Record<string, string>>;
  readonly changes?: ReadonlyArray<{
    readonly objects?: readonly KubeObject[];
    readonly del?: ReadonlyArray<{ readonly plural: string; readonly ns: string; readonly name: string }>;
  }>;
  /** Set when the recording ended with Ctrl-C. */
  readonly sigint_after_seconds?: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
  /** The requests of kubectl. */
  readonly requests: readonly unknown[];
}

/** The parts that a test can use while the command runs. */
export interface Stage {
  readonly store: FileStore;
  readonly podrun: Podrun;
}

/** A recorded command to which podrun answers something else, and the reason. */
export type Difference =
  /** A command without a counterpart in podrun. */
  | { readonly reason: string; readonly isLeftOut: true }
  | {
      readonly reason: string;
      readonly isLeftOut?: false;
      /** Changes the command line, for example to a shorter time-out. The text begins with `kubectl`. */
      readonly command?: (command: string) => string;
      /** Adds objects before the command. */
      readonly prepare?: (store: FileStore) => void;
      readonly exit?: number;
      readonly stdout?: (text: string) => string;
      readonly stderr?: (text: string) => string;
      /** podrun prints more on standard error, behind kubectl's text. */
      readonly saysMore?: true;
      /** Acts while the command runs. */
      readonly meanwhile?: (stage: Stage) => Promise<void>;
    };

/** A usage error: kubectl has no exit code of its own for it. */
export const USAGE: Difference = { reason: 'wrong usage has its own exit code', exit: 2, saysMore: true };

/** A command, a flag or an object that podrun does not have. */
export function leftOut(reason: string): Difference {
  return { reason, isLeftOut: true };
}

const folder = path.join(import.meta.dirname, '../golden/transcripts');

/**
 * Declares a test for each recorded command of a file, except those that are left out: podrun prints the same bytes,
 * and ends with the same exit code.
 */
export function compareTranscripts(
  file: string,
  workshop: Workshop,
  differences: Readonly<Record<string, Difference>>,
): void {
  const all = transcriptsOf(file);

  it('lists no difference of a command that was never recorded', () => {
    const names = new Set(all.map(({ name }) => name));
    expect(Object.keys(differences).filter((name) => !names.has(name))).toEqual([]);
  });

  const stories = storiesOf(all).map((story) => story.filter(({ name }) => !differences[name]?.isLeftOut));
  const told = stories.filter((story) => story.length > 0).map((story) => ({ name: nameOf(story), story }));
  it.each(told)('$name', async ({ story }) => {
    for (const transcript of story) {
      const { answer, expected } = await replay(transcript, workshop, differences[transcript.name]);
      expect(answer).toEqual(expected);
    }
  });
}

/**
 * The transcripts of a file, with the files of earlier ones: all files were in one folder until another one replaced
 * them.
 */
export function transcriptsOf(file: string): Transcript[] {
  let files: Transcript['files'] = {};
  const all = JSON.parse(readFileSync(path.join(folder, `${file}.json`), 'utf8')) as Transcript[];
  return all.map((transcript) => ({ ...transcript, files: (files = { ...files, ...transcript.files }) }));
}

export function nameOf(story: readonly Transcript[]): string {
  return story.map(({ name, command }) => `${name}: ${command}`).join('; then ');
}

/** Groups commands with the commands before them that they continue. */
export function storiesOf(all: readonly Transcript[]): Transcript[][] {
  const stories: Transcript[][] = [];
  for (const transcript of all) {
    if (transcript.continues_previous === true) stories.at(-1)?.push(transcript);
    else stories.push([transcript]);
  }
  return stories;
}

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

async function replay(
  transcript: Transcript,
  workshop: Workshop,
  difference: Difference | undefined,
): Promise<{ answer: Answer; expected: Answer }> {
  const { command = (text: string) => text, saysMore, exit, meanwhile, ...more } = differing(difference);
  const store = storeOf(workshop);
  if (transcript.continues_previous !== true) prepare(store, transcript);
  more.prepare?.(store);
  for (const [name, text] of Object.entries(transcript.files ?? {})) workshop.file(name, text);
  const args = argumentsOf(command(transcript.command));
  const { stdin: input, changes, sigint_after_seconds } = transcript;
  const isAlone =
    args[0] !== 'apply' && meanwhile === undefined && changes === undefined && sigint_after_seconds === undefined;
  const { stdout, stderr, exitCode } = isAlone
    ? await runHere(workshop, args, { env: GOLDEN_ENV, ...(input !== undefined && { input }) })
    : await watched({ store, podrun: workshop.start(args, GOLDEN_ENV, input) }, transcript, meanwhile);
  const expected = {
    stdout: (more.stdout ?? same)(withNamespaces(transcript.stdout)),
    stderr: (more.stderr ?? same)(transcript.stderr).replaceAll("'kubectl ", "'podrun "),
    exitCode: exit ?? transcript.exit,
  };
  const said = saysMore && stderr.startsWith(expected.stderr) ? expected.stderr : stderr;
  return { answer: { stdout, stderr: said, exitCode }, expected };
}

/** Changes the objects while a command runs, and ends the command as in the recording. */
async function watched(
  stage: Stage,
  { state, stdout, stderr, changes, sigint_after_seconds }: Transcript,
  meanwhile: ((stage: Stage) => Promise<void>) | undefined,
): Promise<Answer> {
  const { podrun } = stage;
  const isWatch = sigint_after_seconds !== undefined;
  if (meanwhile !== undefined) await meanwhile(stage);
  else if (changes !== undefined) {
    // A watch until Ctrl-C first prints the present objects: an earlier change is not printed as a change.
    if (isWatch && state.length > 0) await podrun.until((seen) => seen.stdout !== '');
    await change(stage, changes);
  }
  // A command with an error ended before Ctrl-C.
  if (isWatch && stderr === '') {
    await podrun.until((seen) => seen.stdout.length >= stdout.length);
    podrun.signal('SIGINT');
  }
  return podrun.ended;
}

function differing(difference: Difference | undefined): Partial<Exclude<Difference, { isLeftOut: true }>> {
  return difference === undefined || difference.isLeftOut ? {} : difference;
}

const same = (text: string): string => text;

/** Stores the objects of a recording. Some states of recordings were not kept. */
export function prepare(store: FileStore, { state, extra_objects, container_logs = {} }: Transcript): void {
  putStates(
    store,
    state.filter((name) => goldenStates.includes(name)),
  );
  for (const object of extra_objects ?? []) {
    const { namespace = 'default', name = '' } = object.metadata;
    // The object replaces the one of the state with the same name.
    store.delete(resourceTypeOf(object).plural, namespace, name);
    putObjects(store, [object]);
  }
  for (const [key, text] of Object.entries(container_logs)) putLog(store, key, text);
}

/** The time of all log lines on the recorded server. */
const WRITTEN_MS = Date.UTC(2026, 0, 15, 11, 59, 0, 123) + 0.456;

/**
 * Writes the log of a container.
 * @param key NAMESPACE/POD/CONTAINER, with `#prev` behind it for the run before; the Pod need not exist
 */
export function putLog(store: FileStore, key: string, text: string): void {
  const [, namespace = '', pod = '', container = '', previous] = /^(.*?)\/(.*?)\/(.*?)(#prev)?$/.exec(key) ?? [];
  const status = store.get<StoredPod>('pods', namespace, pod)?.status;
  const own = status && allContainerStatuses(status).find(({ name }) => name === container);
  if (own === undefined) return;
  const restartCount = previous === undefined || own.state?.waiting ? own.restartCount : own.restartCount - 1;
  const log = new ContainerLog(instanceLogPath(store.paths(namespace, pod).logs, container, restartCount));
  log.write('stdout', Buffer.from(text), WRITTEN_MS);
  log.close();
}

/** Changes the objects when the command watches them. */
async function change({ store, podrun }: Stage, changes: NonNullable<Transcript['changes']>): Promise<void> {
  await podrun.untilWatching();
  for (const { objects = [], del = [] } of changes) {
    for (const object of objects) putOrChange(store, object);
    for (const { plural, ns, name } of del) {
      store.delete(resourceTypeNamed(plural)?.plural ?? plural, ns, name);
    }
  }
}

export function putOrChange(store: FileStore, object: KubeObject): void {
  const resource = resourceTypeOf(object).plural;
  const { namespace = 'default', name = '' } = object.metadata;
  const stored = store.get(resource, namespace, name);
  if (stored === undefined) putObjects(store, [object]);
  else store.updateStatus(resource, { ...stored, status: object['status'] });
}

/** The words of a command line without the program. Handles quotes as a shell does. */
export function argumentsOf(command: string): string[] {
  const words = command.match(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g) ?? [];
  return words.slice(1).map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}
