import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { type KubeObject, withoutNulls } from '../../src/api/index.ts';
import { type KubernetesServer, run, serve } from '../../src/library/index.ts';
import { has } from '../needs.ts';
import { PATIENCE_MS } from '../patience.ts';
import { comparableObject, CORPUS, CORPUS_TEXTS, nameInCorpus, post, storageInCorpus } from './corpus.ts';
import { storeOf } from './prepared-store.ts';
import { type Workshop, workshopFor } from './workshop.ts';

/*
 * The whole corpus in one file, through every door: `apply` in the foreground and in the background, run() of the
 * library, and an upload to a server, by kubectl where there is one. Lines, warnings and stored objects are the same.
 */

const HOST = { runtime: 'process', network: 'host', imageSource: 'host', config: false } as const;
const FLAGS = ['--runtime', 'process', '--network', 'host'];

/** The outcome of an upload or an `apply`. */
interface Outcome {
  /** The lines `configmap/web created`. Undefined: the door prints none. */
  readonly lines?: readonly string[];
  readonly warnings: readonly string[];
  readonly objects: Readonly<Record<string, unknown>>;
}

/** Lines that only some doors say, and why. Every other line is the same. */
const OWN_LINES: readonly { readonly text: RegExp; readonly why: string }[] = [
  {
    text: /^Warning: \S+: NetworkPolicy "\S+": spec: NetworkPolicies need Pods with networks of their own/,
    why: 'podrun tells what does not hold in a run; for a server there is an event',
  },
  { text: /^Warning: \w+\/\S+: no effect: /, why: 'the same' },
  { text: /^Warning: service\/\S+: spec\.\w+: /, why: 'the same' },
  {
    text: /^Warning: ingress\/\S+: spec\..*: there is no Service/,
    why: 'podrun looks for names that lead nowhere in all manifests of a run; a server gets one after the other',
  },
];

const isShared = (line: string): boolean => !OWN_LINES.some(({ text }) => text.test(line));

/** The objects of the corpus in a state folder. */
function storedIn(workshop: Workshop): Record<string, unknown> {
  const store = storeOf(workshop);
  const wanted = new Set(CORPUS_TEXTS.map(({ name }) => name));
  const storages = new Set(CORPUS_TEXTS.map(({ object }) => storageInCorpus(object)));
  const objects = [...storages].flatMap((storage) => store.list(storage));
  const named = objects.map((object) => [nameInCorpus(object), comparableObject(object)] as const);
  return Object.fromEntries(named.filter(([name]) => wanted.has(name)));
}

/** The warnings on standard error, each once. */
function warningsIn(stderr: string): string[] {
  const lines = stderr.split('\n').filter((line) => line.startsWith('Warning: ') && isShared(line));
  return [...new Set(lines.map((line) => line.slice('Warning: '.length)))].toSorted();
}

const createdIn = (stdout: string): string[] =>
  stdout
    .split('\n')
    .filter((line) => line.endsWith(' created'))
    .toSorted();

/** Uploads with kubectl. It looks up all kinds before it creates any: custom resources come with a second call. */
async function byKubectl({ kubeconfig }: KubernetesServer, workshop: Workshop): Promise<Omit<Outcome, 'objects'>> {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const uploads = [false, true].map((isCustom) => {
    const texts = CORPUS_TEXTS.filter((each) => each.isCustom === isCustom).map(({ text }) => text);
    return workshop.file(`custom-${isCustom}.yaml`, texts.join('\n---\n'));
  });
  let [stdout, stderr] = ['', ''];
  for (const file of uploads) {
    const ended = await promisify(execFile)('kubectl', ['apply', '-f', file], { env });
    [stdout, stderr] = [stdout + ended.stdout, stderr + ended.stderr];
  }
  return { lines: createdIn(stdout), warnings: warningsIn(stderr) };
}

/** Uploads with the requests of kubectl, which sends no nulls. */
async function byRequests(server: KubernetesServer): Promise<Omit<Outcome, 'objects'>> {
  const ordered = CORPUS_TEXTS.toSorted((one, other) => Number(one.isCustom) - Number(other.isCustom));
  const warnings: string[] = [];
  const refused: unknown[] = [];
  for (const { object } of ordered) {
    const response = await post(server, withoutNulls(object) as KubeObject);
    warnings.push(...response.warnings);
    if (response.body.kind === 'Status') refused.push(response.body);
  }
  expect(refused).toEqual([]);
  return { warnings: [...new Set(warnings)].toSorted() };
}

async function uploaded(workshop: Workshop): Promise<Outcome> {
  await using server = await serve({ ...HOST, stateDir: workshop.stateDir });
  const outcome = await (has('program kubectl') ? byKubectl(server, workshop) : byRequests(server));
  return { ...outcome, objects: storedIn(workshop) };
}

async function inForeground(workshop: Workshop, file: string): Promise<Outcome> {
  const applied = workshop.start(['apply', file, ...FLAGS]);
  await applied.until(({ stdout }) => stdout.includes('island.corpus.example.com/alone created'));
  const objects = storedIn(workshop);
  applied.signal('SIGINT');
  const { stderr } = await applied.ended;
  return { warnings: warningsIn(stderr), objects };
}

async function inBackground(workshop: Workshop, file: string): Promise<Outcome> {
  const { exitCode, stdout, stderr } = await workshop.start(['apply', '-d', file, ...FLAGS]).ended;
  expect([exitCode, stderr.split('\n').filter((line) => line.startsWith('error'))]).toEqual([0, []]);
  return { lines: createdIn(stdout), warnings: warningsIn(stderr), objects: storedIn(workshop) };
}

async function byLibrary(workshop: Workshop): Promise<Outcome> {
  await using pods = await run({ yaml: CORPUS }, { ...HOST, stateDir: workshop.stateDir, cwd: workshop.folder });
  const warnings = pods.warnings.map((text) => `Warning: ${text}`).join('\n');
  return { warnings: warningsIn(warnings), objects: storedIn(workshop) };
}

it(
  'the corpus has the same lines, warnings and objects at every door',
  { timeout: 10 * PATIENCE_MS },
  async (context) => {
    const place = (): Workshop => workshopFor(context, { leavesPods: true });
    const file = place().file('corpus.yaml', CORPUS);
    const served = await uploaded(place());
    expect(Object.keys(served.objects).toSorted()).toEqual(CORPUS_TEXTS.map(({ name }) => name).toSorted());
    const detached = await inBackground(place(), file);
    expect(detached).toEqual({ ...served, lines: served.lines ?? detached.lines });
    const { warnings, objects } = served;
    expect(await inForeground(place(), file)).toEqual({ warnings, objects });
    expect(await byLibrary(place())).toEqual({ warnings, objects });
  },
);
