import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import type { FileStore } from '../../src/store/file-store.ts';
import { goldenPods } from '../print/golden.ts';
import { GOLDEN_ENV, putObjects, putStates, storeOf } from './prepared-store.ts';
import { type Running, podsIn, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const HEADINGS = 'NAME   READY   STATUS    RESTARTS   AGE\n';

const watch = (...args: string[]): Running => workshop.begin(['get', ...args], GOLDEN_ENV);

/** Writes the next state of the Pod `web`, as another process would. */
function change(store: FileStore, phase: string): void {
  const pod = store.get<StoredPod>('pods', 'default', 'web');
  if (pod === undefined) throw new Error('no Pod web');
  const { containerStatuses: _, ...status } = pod.status;
  store.updateStatus('pods', { ...pod, status: { ...status, phase: phase as 'Failed' } });
}

async function stop(podrun: Running): Promise<string> {
  podrun.signal('SIGINT');
  const { exitCode, stdout, stderr } = await podrun.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
  return stdout;
}

describe('get -w', () => {
  it('prints present objects, changes and deletions in one table', async () => {
    const store = storeOf(workshop);
    putStates(store, ['running-ready']);
    const podrun = watch('pods', '-w');
    await podrun.until(({ stdout }) => stdout.includes('web'));
    change(store, 'Failed');
    store.delete('pods', 'default', 'web');
    await podrun.until(({ stdout }) => stdout.split('\n').length > 4);
    expect(await stop(podrun)).toBe(`${HEADINGS}web    1/1     Running   0          133m
web    0/1     Failed    0          133m
web    0/1     Failed    0          133m
`);
  });

  it('prints the node and namespaces, which exist from the start', async () => {
    for (const [type, row] of [
      ['nodes', /Ready/],
      ['ns', /^default +Active/m],
      ['sa', /^default +\d/m],
    ] as const) {
      const podrun = watch(type, '-w');
      await podrun.until(({ stdout }) => row.test(stdout));
      expect((await stop(podrun)).split('\n')).toHaveLength(3);
    }
  });

  it('prints what a PodDisruptionBudget permits, whenever its Pods change', async () => {
    const store = storeOf(workshop);
    const [web] = goldenPods('running-ready');
    const matchLabels = web?.metadata.labels ?? {};
    putStates(store, ['running-ready']);
    putObjects(store, [
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'b' },
        spec: { minAvailable: 0, selector: { matchLabels } },
      },
    ]);
    const podrun = watch('pdb', '-w', '--no-headers');
    await podrun.until(({ stdout }) => stdout.includes('b'));
    store.delete('pods', 'default', 'web');
    await podrun.until(({ stdout }) => stdout.split('\n').length > 2);
    const rows = (await stop(podrun)).trimEnd().split('\n');
    expect(rows.map((row) => row.split(/ +/).slice(0, -1))).toEqual([
      ['b', '0', 'N/A', '1'],
      ['b', '0', 'N/A', '0'],
    ]);
  });

  it('prints the headings with the first Pod', async () => {
    const store = storeOf(workshop);
    const podrun = watch('pods', '-w', '--output-watch-events');
    const [web] = goldenPods('running-ready');
    // The Pod is created before or after the start of the watch: both must print it.
    store.create('pods', web as StoredPod);
    await podrun.until(({ stdout }) => stdout.includes('web'));
    expect(await stop(podrun)).toBe(`EVENT      ${HEADINGS}ADDED      web    1/1     Running   0          133m\n`);
  });

  it('omits the present objects with --watch-only', async () => {
    const store = storeOf(workshop);
    putStates(store, ['running-ready']);
    const podrun = watch('pod', 'web', '--watch-only', '-o', 'name');
    const beside = watch('pod', 'web', '-w', '-o', 'name');
    await beside.until(({ stdout }) => stdout !== '');
    await untilItWatches(podrun, () => change(store, 'Running'));
    expect(new Set((await stop(podrun)).trimEnd().split('\n'))).toEqual(new Set(['pod/web']));
    await beside.until(({ stdout }) => stdout.split('\n').length > 2);
    await stop(beside);
  });

  it('with a selector, shows a Pod that no longer matches as deleted', async () => {
    const store = storeOf(workshop);
    putStates(store, ['running-ready']);
    const args = ['pods', '-w', '-o', 'json', '--output-watch-events', '--field-selector', 'status.phase=Running'];
    const podrun = watch(...args);
    await podrun.until(({ lines }) => lines.length === 1);
    change(store, 'Failed');
    change(store, 'Running');
    await podrun.until(({ lines }) => lines.length === 3);
    await stop(podrun);
    expect(podrun.lines.map(({ type }) => type)).toEqual(['ADDED', 'DELETED', 'ADDED']);
  });

  it('ends when the reader of its output has gone', async () => {
    const store = storeOf(workshop);
    putStates(store, ['running-ready']);
    const podrun = workshop.start(['get', 'pods', '-w']);
    await podrun.until(({ stdout }) => stdout.includes('web'));
    podrun.closeStdout();
    change(store, 'Failed');
    expect(await podrun.ended).toMatchObject({ exitCode: 1, stderr: '' });
  });

  it('fails for a Pod that does not exist', async () => {
    expect(await watch('pod', 'nope', '-w').ended).toMatchObject({
      exitCode: 1,
      stderr: 'Error from server (NotFound): pods "nope" not found\n',
    });
  });
});

describe('get -w -o json --output-watch-events, beside a running apply,', () => {
  it('prints every change that apply prints, one a line', async () => {
    const watching = workshop.begin(['get', 'pods', '-w', '-o', 'json', '--output-watch-events']);
    const existing = workshop.pod('first', { restartPolicy: 'Never', containers: [{ name: 'a', command: ['true'] }] });
    await workshop.run(['apply', existing]);
    await watching.until(({ lines }) => podsIn(lines).some(({ metadata }) => metadata?.name === 'first'));
    const manifest = workshop.pod('web', { restartPolicy: 'Never', containers: [{ name: 'a', command: ['true'] }] });
    const { stdout } = await workshop.run(['apply', manifest, '-o', 'json']);
    const versions = (text: readonly { object: object }[]): (string | undefined)[] =>
      podsIn(text as Running['lines'])
        .filter(({ metadata }) => metadata?.name === 'web')
        .map(({ metadata }) => metadata?.resourceVersion);
    const applied = versions(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { object: object }),
    );
    await watching.until(({ lines }) => versions(lines).length >= applied.length);
    expect(versions(watching.lines)).toEqual(applied);
    await stop(watching);
  });
});

/** Repeats a change until a watch has printed one: a test cannot see when the watch begins. */
async function untilItWatches(podrun: Running, change: () => void): Promise<void> {
  const again = setInterval(change, 20);
  await podrun.until(({ stdout }) => stdout !== '').finally(() => clearInterval(again));
}
