import { beforeEach, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { runHere } from './in-process.ts';
import { storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

beforeEach(() => {
  const containers = ['worker', 'proxy'].map((name) => ({ name, image: 'busybox' }));
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pipeline' }, spec: { containers } };
  storeOf(workshop).create<StoredPod>('pods', pod as StoredPod);
});

it.each([
  {
    args: 'gett',
    stderr:
      'error: unknown command "gett" for "podrun"\n\nDid you mean this?\n\tget\n\nSee \'podrun --help\' for usage.\n',
  },
  {
    args: 'help descrbe',
    stderr:
      'error: unknown command "descrbe" for "podrun"\n\nDid you mean this?\n\tdescribe\n\n' +
      "See 'podrun --help' for usage.\n",
  },
  {
    args: 'get --namespce=x',
    stderr: "error: unknown flag: --namespce\nDid you mean --namespace?\nSee 'podrun get --help' for usage.\n",
  },
  {
    args: 'get --colr=never',
    stderr: "error: unknown flag: --colr\nDid you mean --color?\nSee 'podrun get --help' for usage.\n",
  },
  // A flag of another command
  { args: 'get --previous', stderr: "error: unknown flag: --previous\nSee 'podrun get --help' for usage.\n" },
  {
    args: 'get -z',
    stderr: "error: unknown shorthand flag: 'z' in -z\nSee 'podrun get --help' for usage.\n",
  },
  { args: 'get --selector', stderr: "error: flag needs an argument: --selector\nSee 'podrun get --help' for usage.\n" },
  { args: 'get -l', stderr: "error: flag needs an argument: 'l' in -l\nSee 'podrun get --help' for usage.\n" },
  {
    args: 'apply --runtime=proces x.yaml',
    stderr:
      "error: option '--runtime <tier>' argument 'proces' is invalid. Allowed choices are auto, process, namespace.\n" +
      'Did you mean "process"?\nSee \'podrun apply --help\' for usage.\n',
  },
  {
    args: 'history -o jsno',
    stderr:
      'error: unable to match a printer suitable for the output format "jsno", allowed formats are: json,name\n' +
      'Did you mean "json"?\n',
  },
  {
    args: 'get pdos',
    stderr: 'error: the server doesn\'t have a resource type "pdos"\nDid you mean "pods"?\n',
  },
  {
    args: 'get pod pipelin',
    stderr: 'Error from server (NotFound): pods "pipelin" not found\nDid you mean "pipeline"?\n',
  },
  {
    args: 'exec pod/pipeln -- ls',
    stderr: 'Error from server (NotFound): pods "pipeln" not found\nDid you mean "pipeline"?\n',
  },
  {
    args: 'get pod pipeline -n defualt',
    stderr: 'Error from server (NotFound): namespaces "defualt" not found\nDid you mean "default"?\n',
  },
  {
    args: 'logs pipelin',
    stderr:
      'error: error from server (NotFound): pods "pipelin" not found in namespace "default"\n' +
      'Did you mean "pipeline"?\n',
  },
  {
    args: 'probes piepline',
    stderr: 'Error from server (NotFound): pods "piepline" not found\nDid you mean "pipeline"?\n',
  },
  {
    args: 'logs pipeline -c porxy',
    stderr: 'error: container porxy is not valid for pod pipeline out of: worker, proxy\nDid you mean "proxy"?\n',
  },
  ...['top pod', 'history', 'timeline', 'advise', 'diff pipeline', 'expect --print'].map((command) => ({
    args: `${command} pipelin`,
    stderr:
      `Error from server (NotFound): pods${command === 'top pod' ? '.metrics.k8s.io' : ''} "pipelin" not found\n` +
      'Did you mean "pipeline"?\n',
  })),
  {
    args: 'debug pipelin --image=busybox',
    stderr: 'Error from server (NotFound): pods "pipelin" not found\nDid you mean "pipeline"?\n',
  },
  // A name without a similar name
  { args: 'get pod elephant', stderr: 'Error from server (NotFound): pods "elephant" not found\n' },
])('podrun $args', async ({ args, stderr }) => {
  expect(await runHere(workshop, args.split(' '))).toMatchObject({ stdout: '', stderr });
});

it.each(['delete pod', 'top pod', 'debug --image=busybox', 'attach', 'wait --for=condition=Ready pod'])(
  'podrun %s NAME says that a run of the past is no Pod of now',
  async (command) => {
    const { exitCode, stdout, stderr } = await runHere(workshop, [...command.split(' '), 'pipeline@1']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(
      '"pipeline@1" not found\npipeline@1 names a recorded run. Use it with get, describe, logs,',
    );
  },
);

it.each([
  ['up', /podrun apply -f FILE/],
  ['down', /podrun delete -f FILE/],
  ['ps', /podrun get pods/],
  ['restart', /podrun rollout restart deployment\/NAME.*podrun replace --force/],
  ['push nginx', /pushes no images/],
  ['top --context=other', /--state-dir FOLDER/],
  ['diff -f pod.yaml', /--dry-run=server/],
  ['diff --filename=pod.yaml', /--dry-run=server/],
  ['validate https://example.com/pod.yaml', /curl -fsSL https:\/\/example\.com\/pod\.yaml \|/],
  ['validate http://example.com/pod.yaml', /curl -fsSL http:/],
])('podrun %s names the command to use instead', async (line, instead) => {
  const { exitCode, stdout, stderr } = await runHere(workshop, line.split(' '));
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(instead);
});
