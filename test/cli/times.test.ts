import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject, StoredKubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { goldenPods } from '../print/golden.ts';
import { putObjects, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const PRECISE = '2026-11-26T12:00:00.123456Z';
const WHOLE = '2026-11-26T12:00:00Z';

/** A recorded Pod, with a time as podrun stores it. */
function web(): StoredPod {
  const [pod] = goldenPods('running-ready') as [StoredPod];
  return { ...pod, status: { ...pod.status, startTime: PRECISE } };
}

const lease: KubeObject = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'held', namespace: 'default' },
  spec: { renewTime: PRECISE },
};

const stored = (): StoredPod => storeOf(workshop).get<StoredPod>('pods', 'default', 'web')!;

beforeEach(() => putObjects(storeOf(workshop), [web() as unknown as KubeObject, lease]));

describe('times of printed objects', () => {
  it.each([
    ['json'],
    ['yaml'],
    ['jsonpath={.status.startTime} {.metadata.creationTimestamp}'],
    ['go-template={{.status.startTime}} {{.metadata.creationTimestamp}}'],
    ['custom-columns=AT:.status.startTime,MADE:.metadata.creationTimestamp'],
  ])('are in whole seconds, as the API prints them: -o %s', async (format) => {
    const { stdout } = await workshop.run(['get', 'pod', 'web', '-o', format]);
    expect(stdout).toContain(WHOLE);
    expect(stdout).not.toMatch(/:\d\d\.\d/);
  });

  it('are so in lists, in the present objects of a watch and after a change', async () => {
    const lists = [
      ['get', 'pods', '-o', 'yaml'],
      ['label', 'pod', 'web', 'a=b', '-o', 'json'],
    ];
    for (const words of lists) {
      const { stdout } = await workshop.run(words);
      expect(stdout).toContain(WHOLE);
      expect(stdout).not.toMatch(/:\d\d\.\d/);
    }
  });

  it('keep microseconds where the kind has them', async () => {
    const { stdout } = await workshop.run(['get', 'lease', 'held', '-o', 'json']);
    const { metadata, spec } = JSON.parse(stdout) as StoredKubeObject & { spec: unknown };
    expect(spec).toEqual({ renewTime: PRECISE });
    expect(metadata.creationTimestamp).toMatch(/:\d\dZ$/);
  });
});

describe('times that a wait compares', () => {
  const wait = async (object: string, path: string): Promise<number> =>
    (await workshop.run(['wait', object, `--for=jsonpath=${path}`, '--timeout=0'])).exitCode;

  it('are the same as the times that get prints', async () => {
    expect(await wait('pod/web', `{.status.startTime}=${WHOLE}`)).toBe(0);
    expect(await wait('pod/web', `{.status.startTime}=${PRECISE}`)).toBe(1);
    expect(await wait('lease/held', `{.spec.renewTime}=${PRECISE}`)).toBe(0);
  });
});

describe('times that are sent back', () => {
  it('change nothing in the store', async () => {
    const before = stored();
    const { stdout } = await workshop.run(['get', 'pod', 'web', '-o', 'yaml']);
    const labelled = stdout.replace('  labels:\n', '  labels:\n    a: b\n');
    const replaced = await workshop.start(['replace', '-f', '-'], {}, labelled).ended;
    expect(replaced).toEqual({ exitCode: 0, stdout: 'pod/web replaced\n', stderr: '' });
    expect(stored()).toMatchObject({ metadata: { labels: { a: 'b' } }, status: { startTime: PRECISE } });
    expect(stored().metadata.creationTimestamp).toBe(before.metadata.creationTimestamp);
  });

  it('are compared by a JSON patch as they were read', async () => {
    const patch = JSON.stringify([
      { op: 'test', path: '/status/startTime', value: WHOLE },
      { op: 'add', path: '/status/reason', value: 'Patched' },
    ]);
    const { stdout, stderr } = await workshop.run(
      ['patch', 'pod', 'web', '--subresource=status', '--type=json', '-p', patch], //
    );
    expect({ stdout, stderr }).toEqual({ stdout: 'pod/web patched\n', stderr: '' });
    expect(stored()).toMatchObject({ status: { startTime: PRECISE, reason: 'Patched' } });
  });

  it('are edited as the API has them', async () => {
    const editor = workshop.file(
      'editor.sh',
      '[ -e shown ] || sed -i "s/^  labels:$/&\\n    a: b/" "$1"; cp "$1" shown',
    );
    const env = { KUBE_EDITOR: `sh ${editor}`, TMPDIR: workshop.folder };
    expect((await workshop.run(['edit', 'pod/web'], env)).stdout).toBe('pod/web edited\n');
    expect(readFileSync(`${workshop.folder}/shown`, 'utf8')).toContain(`startTime: "${WHOLE}"`);
    expect(stored()).toMatchObject({ metadata: { labels: { a: 'b' } }, status: { startTime: PRECISE } });
  });
});
