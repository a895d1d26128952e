import { expect, it } from 'vitest';
import { PodrunError } from '../../src/api/base/errors.ts';
import type { StoredKubeObject } from '../../src/api/base/objects.ts';
import { resourceTypeOf } from '../../src/api/resource-types.ts';
import type { ClusterConnection } from '../../src/remote/base/connection.ts';
import { ClusterResource } from '../../src/remote/cluster-resource.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

const TYPE = resourceTypeOf({ apiVersion: 'v1', kind: 'Pod' });

/** An answer of the server: a list, the lines of a watch that then ends, or an error. */
type Step =
  | { readonly list: readonly [name: string, version: string][]; readonly version: string }
  | readonly string[]
  | Error;

const pod = (name: string, version: string): StoredKubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'n', uid: name, resourceVersion: version, creationTimestamp: '' },
});
const line = (type: string, name: string, version: string): string =>
  JSON.stringify({ type, object: pod(name, version) });

/** Follows a server that takes these steps, and tells what came of it. */
async function follow(steps: readonly Step[]) {
  const clock = new ManualClock();
  const left = [...steps];
  const asked: string[] = [];
  const told: string[] = [];
  const next = (what: string): Step => {
    asked.push(what);
    const step = left.shift();
    if (step instanceof Error) throw step;
    return step ?? [];
  };
  const connection = {
    request: async () => {
      const step = next('list') as { list: readonly [string, string][]; version: string };
      return { metadata: { resourceVersion: step.version }, items: step.list.map(([name, at]) => pod(name, at)) };
    },
    stream: async (_path: string, query: Record<string, string>) => {
      const isOver = left.length === 0;
      const lines = isOver ? [] : (next(`watch from ${query['resourceVersion']}`) as readonly string[]);
      async function* chunks(): AsyncGenerator<Buffer> {
        for (const text of lines) yield Buffer.from(`${text}\n`);
        if (isOver) await new Promise(() => undefined);
      }
      return { chunks: chunks(), close: () => undefined };
    },
  };
  const followed = new ClusterResource({
    connection: connection as unknown as ClusterConnection,
    clock,
    type: TYPE,
    namespace: 'n',
    onEvent: ({ type, object }) => told.push(`${type} ${object.metadata.name}@${object.metadata.resourceVersion}`),
    onTrouble: ({ message }) => told.push(message),
  });
  const listed = await followed.listed.then(
    () => 'listed',
    (error: Error) => error.message,
  );
  await clock.run(60_000);
  followed.close();
  return { asked, told, listed };
}

it('lists, then watches from the version of the list, and resumes from the last line', async () => {
  const { asked, told } = await follow([
    { list: [['a', '1']], version: '5' },
    [line('MODIFIED', 'a', '6'), line('BOOKMARK', '', '9')],
    [line('DELETED', 'a', '10')],
  ]);
  expect(asked).toEqual(['list', 'watch from 5', 'watch from 9']);
  expect(told).toEqual(['ADDED a@1', 'MODIFIED a@6', 'DELETED a@10']);
});

it.each([
  ['as an answer', new PodrunError('Expired', 'too old')],
  ['as a line', ['{"type":"ERROR","object":{"code":410,"message":"too old"}}']],
])('lists again when its version is too old, reported %s, and reports what has gone meanwhile', async (_, gone) => {
  const { asked, told } = await follow([
    {
      list: [
        ['a', '1'],
        ['b', '2'],
      ],
      version: '5',
    },
    gone,
    {
      list: [
        ['b', '7'],
        ['c', '8'],
      ],
      version: '9',
    },
  ]);
  expect(asked).toEqual(['list', 'watch from 5', 'list']);
  expect(told).toEqual(['ADDED a@1', 'ADDED b@2', 'DELETED a@1', 'MODIFIED b@7', 'ADDED c@8']);
});

it('resumes after connections that break, and says so once', async () => {
  const cut = new PodrunError('Unreachable', 'no answer');
  const { asked, told } = await follow([{ list: [], version: '5' }, cut, cut, cut, [line('ADDED', 'a', '6')]]);
  expect(asked).toEqual(['list', ...Array.from({ length: 4 }, () => 'watch from 5')]);
  expect(told).toEqual(['no answer', 'ADDED a@6']);
});

it('passes on that the user may not list', async () => {
  expect(await follow([new PodrunError('Forbidden', 'pods is forbidden')])).toEqual({
    asked: ['list'],
    told: [],
    listed: 'pods is forbidden',
  });
});
