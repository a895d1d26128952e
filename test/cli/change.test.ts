import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { putObjects, putStates, recordings, replay, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const run = (...args: string[]) => workshop.run(args);
const web = (): StoredPod => storeOf(workshop).get<StoredPod>('pods', 'default', 'web')!;
const settings: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'default' },
  data: { a: '1' },
  immutable: true,
};

describe('as kubectl does it', () => {
  it.each([
    ...recordings('metadata', ['label', 'label-same', 'label-overwrite', 'label-remove', 'annotate', 'annotate-list']),
  ])('$command', async (recording) => {
    const { stdout, stderr, exit } = recording;
    const command = recording.command.replaceAll("'", '').split(' ').slice(1);
    // The argument of -p is one word.
    expect(command.length).toBeLessThan(8);
    expect(await replay(workshop, recording)).toEqual({ stdout, stderr, exit });
  });
});

describe('patch', () => {
  beforeEach(() => putStates(storeOf(workshop), ['running-ready']));

  it('is refused for an immutable field, and changes nothing', async () => {
    const before = web();
    const { exitCode, stdout, stderr } = await run('patch', 'pod', 'web', '-p', '{"spec":{"restartPolicy":"Never"}}');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('The Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than');
    expect(web()).toEqual(before);
  });

  it('takes YAML, a file and a JSON patch, and prints the result', async () => {
    expect((await run('patch', 'pod/web', '-p', 'metadata: {labels: {tier: front}}', '-o', 'name')).stdout).toBe(
      'pod/web\n',
    );
    const file = workshop.file('patch.json', '[{"op": "remove", "path": "/metadata/labels/tier"}]');
    const { stdout } = await run('patch', 'pod/web', '--type=json', '--patch-file', file, '-o', 'json');
    expect((JSON.parse(stdout) as StoredPod).metadata.labels).not.toHaveProperty('tier');
  });

  it('increases the generation for the spec, not for the metadata', async () => {
    const { generation = 0 } = web().metadata;
    await run('patch', 'pod/web', '-p', '{"metadata":{"labels":{"a":"b"}}}');
    expect(web().metadata.generation ?? 0).toBe(generation);
    await run('patch', 'pod/web', '-p', '{"spec":{"activeDeadlineSeconds":60}}');
    expect(web().metadata.generation).toBe(generation + 1);
  });

  it('is only printed in a dry run', async () => {
    const before = web();
    const patch = ['patch', 'pod/web', '-p', '{"metadata":{"labels":{"a":"b"}}}'];
    expect((await run(...patch, '--dry-run=client')).stdout).toBe('pod/web patched (dry run)\n');
    expect((await run(...patch, '--dry-run=server')).stdout).toBe('pod/web patched (server dry run)\n');
    expect(web()).toEqual(before);
  });

  it.each([
    [['pod', 'nope', '-p', '{}'], 1, 'Error from server (NotFound): pods "nope" not found'],
    [['pod', 'web'], 2, 'error: must specify --patch or --patch-file containing the contents of the patch'],
    [['pod', '-p', '{}'], 2, 'error: resource(s) were provided, but no name was specified'],
    [['pod', 'web', '-p', '{a: ['], 2, 'error: unable to parse "{a: ["'],
    [['pod', 'web', '--patch-file', 'nope'], 2, 'error: unable to read patch file: open nope: no such file'],
    [['pod', 'web', '-p', '{}', '--subresource=scale'], 1, 'could not find the requested resource'],
    [['pod', 'web', '-p', '{"spec":{"containers":"x"}}', '--type=merge'], 1, 'The request is invalid: patch:'],
    [['pod', 'web', '-p', '{"metadata":{"resourceVersion":"1"}}'], 1, 'Error from server (Conflict): Operation cannot'],
  ])('%j is refused', async (args, code, message) => {
    const { exitCode, stderr } = await run('patch', ...args);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(code);
  });

  it('warns of unknown fields', async () => {
    const { stdout, stderr } = await run('patch', 'pod/web', '-p', '{"spec":{"nope":1}}');
    expect(stderr).toContain('Warning: unknown field "spec.nope"');
    expect(stdout).toBe('pod/web patched (no change)\n');
  });

  it('changes objects of other kinds by the rules of their kind', async () => {
    putObjects(storeOf(workshop), [settings]);
    const { exitCode, stderr } = await run('patch', 'cm', 'settings', '-p', '{"data":{"a":"2"}}');
    expect(stderr).toContain('data: Forbidden: field is immutable when `immutable` is set');
    expect(exitCode).toBe(1);
    expect((await run('annotate', 'cm/settings', 'a=b')).stdout).toBe('configmap/settings annotated\n');
  });
});

describe('label and annotate', () => {
  beforeEach(() => putStates(storeOf(workshop), ['running-ready', 'list-of-three']));

  it('do not overwrite without --overwrite', async () => {
    expect(await run('label', 'pod', 'web', 'app=api')).toMatchObject({
      exitCode: 1,
      stderr: "error: 'app' already has a value (web), and --overwrite is false\n",
    });
    await run('annotate', 'pod', 'web', 'note=1');
    expect(await run('annotate', 'pod', 'web', 'note=2')).toMatchObject({
      exitCode: 1,
      stderr:
        'error: --overwrite is false but found the following declared annotation(s): ' +
        "'note' already has a value (1)\n",
    });
    expect((await run('annotate', 'pod', 'web', 'note=2', '--overwrite')).stdout).toBe('pod/web annotated\n');
    expect(web().metadata.annotations).toEqual({ note: '2' });
  });

  it('take a selection, and list the present labels', async () => {
    const all = await run('label', 'pods', '--all', 'env=test');
    expect(all.stdout.trimEnd().split('\n')).toEqual([
      'pod/batch-long-name-here labeled',
      'pod/web labeled',
      'pod/zed labeled',
    ]);
    expect(all).toMatchObject({
      exitCode: 1,
      stderr: "error: 'env' already has a value (dev), and --overwrite is false\n",
    });
    expect((await run('label', 'pods', '-l', 'app=web,env=test', 'env-')).stdout).toBe('pod/web unlabeled\n');
    expect((await run('label', 'pods', 'web', '--list')).stdout).toBe('app=web\npod-template-hash=6d4cf56db6\n');
    expect((await run('label', 'pod/batch-long-name-here', 'pod/zed', '--list')).stdout).toBe(
      'Listing labels for Pod./batch-long-name-here:\n app=batch\n env=test\n' +
        'Listing labels for Pod./zed:\n env=test\n',
    );
  });

  it.each([
    [['label', 'pod', 'web'], 'error: at least one label update is required'],
    [['annotate', 'a=b'], 'error: one or more resources must be specified as <resource> <name> or <resource>/<name>'],
    [['label', 'pods', 'a=b'], 'error: resource(s) were provided, but no name was specified'],
    [['label', 'pods', '--all', '-l', 'a', 'b=c'], 'error: cannot set --all and --selector at the same time'],
    [['label', 'pods', '--all', '--resource-version=1', 'b=c'], 'error: --resource-version may only be used with'],
  ])('%j is refused', async (args, message) => {
    const { exitCode, stderr } = await run(...args);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });

  it('check keys as the API server does, and the resource version', async () => {
    const { stderr } = await run('label', 'pod', 'web', 'not/a/key=1');
    expect(stderr).toContain('The Pod "web" is invalid: metadata.labels: Invalid value: "not/a/key"');
    const stale = await run('annotate', 'pod', 'web', 'a=b', '--resource-version=1');
    expect(stale.stderr).toContain('Error from server (Conflict): Operation cannot be fulfilled on pods "web"');
    expect(stale.exitCode).toBe(1);
  });
});

describe('condition', () => {
  beforeEach(() => putStates(storeOf(workshop), ['running-ready']));
  const gate = () => web().status.conditions?.find(({ type }) => type === 'example.com/lb');

  it('sets, keeps and removes conditions', async () => {
    const set = await run('condition', 'pod/web', 'example.com/lb=True', '--reason', 'Up', '--message', 'all well');
    expect(set.stdout).toBe('pod/web condition example.com/lb set to True\n');
    expect(gate()).toMatchObject({ status: 'True', reason: 'Up', message: 'all well' });
    const { lastTransitionTime } = gate() ?? {};
    expect((await run('condition', 'pod/web', 'example.com/lb=True')).exitCode).toBe(0);
    expect(gate()?.lastTransitionTime).toBe(lastTransitionTime);
    const same = await run('condition', 'pod/web', 'example.com/lb=True');
    expect(same.stdout).toBe('pod/web condition example.com/lb set to True (no change)\n');
    expect((await run('condition', 'pod', 'web', 'example.com/lb-')).stdout).toBe(
      'pod/web condition example.com/lb removed\n',
    );
    expect(gate()).toBeUndefined();
  });

  it.each([
    [['pod/web', 'Ready=True'], "error: the condition Ready is the kubelet's own"],
    [['pod/web', 'lb=true'], 'error: invalid status "true" of condition lb'],
    [['pod/web', 'a b=True'], 'error: invalid condition type "a b"'],
    [['pod/web'], 'error: at least one condition is required'],
    [['pods', 'lb=True'], 'error: resource(s) were provided, but no name was specified'],
  ])('%j is refused', async (args, message) => {
    const before = web();
    const { exitCode, stderr } = await run('condition', ...args);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
    expect(web()).toEqual(before);
  });
});
