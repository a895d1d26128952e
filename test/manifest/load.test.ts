import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadManifests, type LoadOptions, type LoadResult } from '../../src/manifest/check/load.ts';
import type { ManifestMistake } from '../../src/manifest/check/manifest-mistake.ts';
import { loadText } from './load-text.ts';
import { needs } from '../needs.ts';

const POD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: demo\nspec:\n  containers:\n  - {name: app, image: i:1}\n';
const config = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

const namesOf = ({ objects }: LoadResult): unknown[] => objects.map(({ object }) => object.metadata.name);

/** One line for each mistake: stage, place, path and detail. */
const mistakeLines = ({ errors }: LoadResult): string[] => errors.map(mistakeLine);

function mistakeLine(error: ManifestMistake): string {
  if (error.stage === 'input') return error.message;
  const { stage, position } = error;
  return `${stage} ${position.line}:${position.column} ${error.error.path} ${error.error.detail}`
    .replace('  ', ' ')
    .trimEnd();
}

describe('files and folders', () => {
  let folder: string;
  const load = (files: string[], options: Partial<LoadOptions> = {}): Promise<LoadResult> =>
    loadManifests({ files: files.map((file) => (file === '-' ? file : path.join(folder, file))), ...options });

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'podrun-manifest-'));
    await mkdir(path.join(folder, 'all/sub.yaml'), { recursive: true });
    await mkdir(path.join(folder, 'none/deeper'), { recursive: true });
    await writeFile(path.join(folder, 'all/b.yml'), config('b'));
    await writeFile(path.join(folder, 'all/a.yaml'), `${config('a1')}---\n${config('a2')}`);
    await writeFile(path.join(folder, 'all/c.json'), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}');
    await writeFile(path.join(folder, 'all/notes.txt'), 'not a manifest');
    await writeFile(path.join(folder, 'all/sub.yaml/d.yaml'), config('d'));
    await writeFile(path.join(folder, 'none/deeper/e.yaml'), config('e'));
    await writeFile(path.join(folder, 'manifest.txt'), config('f'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('are read one level deep, by name', async () => {
    expect(namesOf(await load(['all']))).toEqual(['a1', 'a2', 'b', 'c']);
  });

  it('are read at all levels with -R', async () => {
    expect(namesOf(await load(['all'], { recursive: true }))).toEqual(['a1', 'a2', 'b', 'c', 'd']);
  });

  it('are read in the order of the command line, whatever a named file is called', async () => {
    const stdin = async function* stdin(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(config('in'));
    };
    const result = await load(['manifest.txt', '-', 'all/b.yml'], { stdin });
    expect(namesOf(result)).toEqual(['f', 'in', 'b']);
    expect(result.objects.map(({ file }) => path.basename(file))).toEqual(['manifest.txt', 'STDIN', 'b.yml']);
  });

  it('know the line where each object begins', async () => {
    const { objects } = await load(['all/a.yaml']);
    expect(objects.map(({ line }) => line)).toEqual([1, 5]);
  });

  it('that do not exist or hold no manifest are all named', async () => {
    const result = await load(['nope.yaml', 'none', 'all/b.yml/x', 'all']);
    expect(mistakeLines(result)).toEqual([
      `the path "${folder}/nope.yaml" does not exist`,
      `error reading [${folder}/none]: recognized file extensions are [.json .yaml .yml]\n` +
        `The subfolders of ${folder}/none have 1 more: read them with -R.`,
      `open ${folder}/all/b.yml/x: not a directory`,
    ]);
    expect(namesOf(result)).toEqual(['a1', 'a2', 'b', 'c']);
  });

  it('that may not be read are named', needs('a user bound by modes'), async () => {
    await chmod(path.join(folder, 'all/b.yml'), 0);
    expect(mistakeLines(await load(['all/b.yml']))).toEqual([`open ${folder}/all/b.yml: permission denied`]);
  });
});

describe('the front door', () => {
  it('fills in the namespace', async () => {
    const { objects } = await loadText(
      `${POD}---\n${config('c')}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n`,
    );
    expect(objects.map(({ object }) => object.metadata.namespace)).toEqual(['default', 'default', undefined]);
    const [pod] = (await loadText(POD, { namespace: 'team-a' })).objects;
    expect(pod?.object.metadata.namespace).toBe('team-a');
  });

  it('refuses another namespace than the command line names', async () => {
    const result = await loadText(POD.replace('name: demo', 'name: demo\n  namespace: a'), { namespace: 'b' });
    expect(mistakeLines(result)).toEqual([
      'the namespace from the provided object "a" does not match the namespace "b". ' +
        "You must pass '--namespace=a' to perform this operation.",
    ]);
    expect(mistakeLines(await loadText(config('c'), { namespace: 'b' }))).toEqual([]);
  });

  it('lets only create make up names', async () => {
    const text = POD.replace('name: demo', 'generateName: job-');
    expect(mistakeLines(await loadText(text))).toEqual(['from job-: cannot use generate name with apply']);
    expect(mistakeLines(await loadText(text, { command: 'create' }))).toEqual([]);
  });

  it.each([
    ['', 'no objects passed to apply'],
    ['# nothing\n---\nnull\n', 'no objects passed to apply'],
    ['apiVersion: v1\nkind: List\nitems: []\n', 'no objects passed to apply'],
  ])('says that there is nothing in %j', async (text, message) => {
    expect(mistakeLines(await loadText(text))).toEqual([message]);
  });

  it('shows all mistakes of all documents', async () => {
    const text = [
      'apiVersion: v1\nkind: Podd\n',
      'a: [\n',
      POD.replace('image: i:1', 'image: 1, tty: 2, x: 3'),
      POD.replace('image: i:1', 'image: ""').replace('app', 'App'),
      'hello\n',
      'metadata: {name: x}\n',
      POD,
    ].join('---\n');
    const result = await loadText(text);
    expect(mistakeLines(result).map((line) => line.slice(0, 60))).toEqual([
      'kind 2:7 no matches for kind "Podd" in version "v1"',
      'parse 4:4 error converting YAML to JSON: yaml: line 4: did n',
      'decode 12:24 spec.containers[0].image expected string, got n',
      'decode 12:32 spec.containers[0].tty expected boolean, got nu',
      'strict 12:35 spec.containers[0].x unknown field "spec.contai',
      'validate 20:12 spec.containers[0].name a lowercase RFC 1123 ',
      'validate 20:24 spec.containers[0].image',
      'kind 22:1 expected an object, got a string',
      'kind 24:1 apiVersion apiVersion not set',
      'kind 24:1 kind kind not set',
    ]);
    expect(namesOf(result)).toEqual(['demo']);
  });

  it('points at the nearest parent of a missing value', async () => {
    const result = await loadText(POD.replace('name: app, ', '').replace('metadata:\n  name: demo\n', ''));
    expect(mistakeLines(result)).toEqual([
      'validate 1:1 metadata.name name or generateName is required',
      'validate 5:5 spec.containers[0].name',
    ]);
  });

  it('says where a value stands after everything was accepted', async () => {
    const [pod] = (await loadText(`# first\n${POD}`)).objects;
    expect(pod?.positionOf('spec.containers[0].image')).toEqual({ line: 8, column: 24 });
    expect(pod?.positionOf('spec.restartPolicy')).toEqual({ line: 7, column: 3 });
    expect(pod?.line).toBe(2);
  });

  it('warns of unknown and duplicate fields, or ignores them, as an option says', async () => {
    const text = POD.replace('kind: Pod', 'kind: Pod\nkind: Pod\ncolour: red');
    const warned = await loadText(text, { validate: 'warn' });
    expect(warned.warnings).toEqual(['duplicate field "kind"', 'unknown field "colour"']);
    expect(Object.keys(warned.objects[0]?.object ?? {})).not.toContain('colour');
    const ignored = await loadText(text, { validate: 'ignore' });
    expect([ignored.warnings, namesOf(ignored)]).toEqual([[], ['demo']]);
    const wrongType = await loadText(POD.replace('i:1', '1'), { validate: 'ignore' });
    expect(mistakeLines(wrongType)).toEqual(['decode 7:24 spec.containers[0].image expected string, got number']);
  });

  it('warns once of each kind that it has no use for', async () => {
    const scale = 'apiVersion: autoscaling/v1\nkind: Scale\nmetadata: {name: a}\nspec: {any: thing}\n';
    const result = await loadText(`${scale}---\n${scale}---\n${POD}`);
    expect(result.warnings).toEqual(['Scale is not supported by this runner, ignored']);
    expect(mistakeLines(result)).toEqual([]);
  });

  it('warns of fields that a cluster drops', async () => {
    const { objects, warnings } = await loadText(`${POD}  schedulingGroup: {podGroupName: g}\n`);
    expect(warnings).toEqual(['spec.schedulingGroup: dropped, its feature is off in Kubernetes v1.36']);
    expect(JSON.stringify(objects[0]?.object)).not.toContain('schedulingGroup');
  });

  it('refuses what cannot run here only when it is to run', async () => {
    const text = `${POD}  resourceClaims: [{name: gpu, resourceClaimName: g}]\n  hostname: x\n`;
    expect(mistakeLines(await loadText(text))).toEqual([]);
    const result = await loadText(text, { forRunning: true });
    expect(mistakeLines(result)).toEqual([
      'support 8:19 spec.resourceClaims not supported by this runner: there are no devices to claim',
    ]);
    expect(namesOf(result)).toEqual([]);
  });

  it('refuses what would have no effect when nothing may be left out, also when nothing is run', async () => {
    const text = `${POD}  resourceClaims: [{name: gpu, resourceClaimName: g}]\n  schedulerName: x\n`;
    const want = [
      expect.stringMatching(/^support 8:19 spec\.resourceClaims not supported by this runner: /),
      'support 9:18 spec.schedulerName not supported by this runner: there is one scheduler',
    ];
    expect(mistakeLines(await loadText(text, { refusesWithoutEffect: true }))).toEqual(want);
    expect(mistakeLines(await loadText(text, { forRunning: true, refusesWithoutEffect: true }))).toEqual(want);
    expect(mistakeLines(await loadText(POD, { forRunning: true, refusesWithoutEffect: true }))).toEqual([]);
  });

  it('warns of fields that are not enforced, in one line', async () => {
    const profile = 'securityContext: {appArmorProfile: {type: RuntimeDefault}}';
    const text = POD.replace('i:1', `i:1, ${profile}`).replace('spec:', `spec:\n  ${profile}`);
    const { warnings } = await loadText(text, { forRunning: true });
    expect(warnings).toEqual([expect.stringMatching(/^not enforced by this runner: spec\.securityContext\.\S+, \S+$/)]);
    expect((await loadText(text)).warnings).toEqual([]);
  });

  it('flattens lists, lists of lists and typed lists', async () => {
    const item = '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}';
    const text =
      `apiVersion: v1\nkind: List\nitems:\n- ${item}\n- {apiVersion: v1, kind: List, items: [${item}]}\n` +
      '- {apiVersion: v1, kind: ConfigMapList, metadata: {resourceVersion: "1"}, items: [{metadata: {name: b}}]}\n';
    const result = await loadText(text);
    expect(namesOf(result)).toEqual(['a', 'a', 'b']);
    expect(result.objects.map(({ line }) => line)).toEqual([4, 5, 6]);
  });

  it('names mistakes in a list by item until it knows the object, then by field', async () => {
    const text =
      'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: List, items: [{apiVersion: v1}]}\n- 5\n' +
      '- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, dat: {}}\n- {apiVersion: v1, kind: List, items: 3}\n';
    expect(mistakeLines(await loadText(text))).toEqual([
      'kind 4:40 items[0].items[0].kind kind not set',
      'kind 5:3 items[1] expected an object, got a number',
      'strict 6:58 dat unknown field "dat"',
      'kind 7:39 items[3].items expected list, got number',
    ]);
  });

  it('reads objects that a cluster gave back', async () => {
    const text = POD.replace(
      'name: demo',
      'name: demo\n  uid: u\n  creationTimestamp: "2024-01-01T00:00:00Z"\n  generation: 7',
    );
    const [pod] = (await loadText(`${text}status: {phase: Running, podIP: 10.0.0.1}\n`)).objects;
    expect(pod?.object.metadata).toEqual({ name: 'demo', namespace: 'default', generation: 1 });
    expect(pod?.object['status']).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  it('falls back to YAML where JSON is not quite JSON', async () => {
    const { objects, errors } = await loadText('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},}');
    expect([errors, objects.length]).toEqual([[], 1]);
  });
});
