import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { resolvedUid, type StoredPod } from '../../../src/api/base/objects.ts';
import { SystemClock } from '../../../src/clock.ts';
import { StaticPods } from '../../../src/kubelet/static/static-pods.ts';
import { PATIENT } from '../../patience.ts';

/** An agent whose Pods run until they are told to end, and then end when the test says so. */
class Recorder {
  readonly started: StoredPod[] = [];
  readonly ending: StoredPod[] = [];
  readonly problems: string[] = [];
  readonly statics: StaticPods;

  constructor(place: string) {
    this.statics = new StaticPods({
      place,
      clock: new SystemClock(),
      nodeName: 'Node-1',
      start: ({ manifest: { object } }) => {
        const pod = { ...object, metadata: { ...object.metadata, uid: `u${this.started.length}` } };
        this.started.push(pod);
        return Promise.resolve(pod);
      },
      end: (pod) => this.ending.push(pod),
      onProblem: (text) => this.problems.push(text),
    });
  }

  get names(): string[] {
    return this.started.map(({ metadata }) => metadata.name);
  }
}

let folder: string;
let agent: Recorder;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-static-'));
});

afterEach(() => {
  agent.statics.stop();
  rmSync(folder, { recursive: true });
});

function put(file: string, text: string): void {
  writeFileSync(path.join(folder, file), text);
}

function manifest(name: string, spec = '', image = 'a'): string {
  const containers = `[{name: c, image: ${image}}]`;
  return `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {containers: ${containers}${spec}}}`;
}

it('runs the Pods of all files but hidden ones, as Pods of the node', async () => {
  mkdirSync(path.join(folder, 'deeper'));
  put('deeper/other.yaml', manifest('other'));
  put('.hidden', manifest('hidden'));
  put('b.conf', manifest('b'));
  put('a.yaml', manifest('a'));
  agent = new Recorder(folder);
  await vi.waitFor(() => expect(agent.started).toHaveLength(2), PATIENT);
  expect(agent.names).toEqual(['a-node-1', 'b-node-1']);
  const [{ metadata, spec }] = agent.started as [StoredPod];
  const hash = metadata.annotations?.['kubernetes.io/config.hash'] ?? '';
  expect(hash).toMatch(/^[0-9a-f]{32}$/);
  expect(metadata).toMatchObject({
    namespace: 'default',
    annotations: { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.mirror': hash },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'Node-1', controller: true }],
  });
  expect(spec).toMatchObject({ nodeName: 'Node-1', tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] });
  expect(agent.problems).toEqual([]);
});

it('runs the Pod of one file', async () => {
  put('a.yaml', manifest('a'));
  agent = new Recorder(path.join(folder, 'a.yaml'));
  await vi.waitFor(() => expect(agent.started).toHaveLength(1), PATIENT);
  expect(agent.names).toEqual(['a-node-1']);
});

it('ends the Pod of a file that goes, and of one that changes before its successor starts', async () => {
  put('a.yaml', manifest('a'));
  agent = new Recorder(folder);
  await vi.waitFor(() => expect(agent.started).toHaveLength(1), PATIENT);
  put('a.yaml', manifest('a', '', 'b'));
  await vi.waitFor(() => expect(agent.ending).toHaveLength(1), PATIENT);
  expect(agent.started).toHaveLength(1);
  agent.statics.gone(agent.ending[0] as StoredPod);
  await vi.waitFor(() => expect(agent.started).toHaveLength(2), PATIENT);
  expect(agent.started[1]?.spec.containers[0]?.image).toBe('b');
  rmSync(path.join(folder, 'a.yaml'));
  await vi.waitFor(() => expect(agent.ending).toHaveLength(2), PATIENT);
  expect(agent.ending.map(({ metadata }) => metadata.uid)).toEqual(['u0', 'u1']);
});

it('starts a Pod anew whose record was deleted', async () => {
  put('a.yaml', manifest('a'));
  agent = new Recorder(folder);
  await vi.waitFor(() => expect(agent.started).toHaveLength(1), PATIENT);
  agent.statics.gone(agent.started[0] as StoredPod);
  await vi.waitFor(() => expect(agent.started).toHaveLength(2), PATIENT);
  expect(agent.statics.uids).toEqual(agent.started.slice(1).map(resolvedUid));
});

it('keeps the Pod of a file that becomes invalid, and says so once', async () => {
  put('a.yaml', manifest('a'));
  agent = new Recorder(folder);
  await vi.waitFor(() => expect(agent.started).toHaveLength(1), PATIENT);
  put('a.yaml', 'apiVersion: v1\nkind: Po');
  await vi.waitFor(() => expect(agent.problems).toHaveLength(1), PATIENT);
  expect(agent.problems[0]).toMatch(/no matches for kind "Po".*\nThe Pod of its last version runs on\.$/s);
  put('b.yaml', manifest('b'));
  await vi.waitFor(() => expect(agent.started).toHaveLength(2), PATIENT);
  expect({ ending: agent.ending, problems: agent.problems.length }).toEqual({ ending: [], problems: 1 });
});

it.each([
  ['an empty file', '', 'a static Pod is one Pod in a file'],
  ['two objects', `${manifest('a')}\n---\n${manifest('b')}`, 'a static Pod is one Pod in a file'],
  ['another kind', '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}', 'a static Pod is one Pod in a file'],
  ['a ServiceAccount', manifest('a', ', serviceAccountName: x'), 'static pods may not reference serviceaccounts'],
  [
    'a ConfigMap',
    manifest('a', ', volumes: [{name: v, configMap: {name: m}}]'),
    'static pods may not reference configmaps',
  ],
  [
    'a Secret',
    manifest('a', ', initContainers: [{name: i, image: b, envFrom: [{secretRef: {name: s}}]}]'),
    'static pods may not reference secrets',
  ],
  [
    'a claim',
    manifest('a', ', volumes: [{name: v, persistentVolumeClaim: {claimName: m}}]'),
    'static pods may not reference persistentvolumeclaims',
  ],
])('refuses a file with %s, and runs the rest', async (_name, text, problem) => {
  put('a.yaml', text);
  put('good.yaml', manifest('good'));
  agent = new Recorder(folder);
  await vi.waitFor(() => expect(agent.started).toHaveLength(1), PATIENT);
  expect(agent.names).toEqual(['good-node-1']);
  expect(agent.problems).toEqual([expect.stringContaining(problem) as string]);
});
