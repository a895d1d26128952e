import { once } from 'node:events';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ErrorCode } from '../../src/api/base/errors.ts';
import { runHere } from './in-process.ts';
import { putStates, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

interface Failure {
  /** The words of the command line. The store has the Pods `web`, which runs, and `done`, which has ended. */
  readonly args: readonly string[] | (() => Promise<readonly string[]>);
  readonly env?: Readonly<Record<string, string>>;
  readonly exitCode: number;
  /** The beginning of the last lines. */
  readonly stderr: string;
}

/**
 * One command line for each code. `Timeout` has none: the time-out of `apply` is a verdict. `Expired` and
 * `Unauthorized` come from clusters: test/remote.
 */
const FAILURES: Readonly<Record<Exclude<ErrorCode, 'Timeout' | 'Expired' | 'Unauthorized'>, Failure>> = {
  Usage: {
    args: ['delete', 'pods'],
    exitCode: 2,
    stderr: 'error: resource(s) were provided, but no name was specified\n',
  },
  InvalidManifest: {
    args: ['delete', '-f', 'nope.yaml'],
    exitCode: 2,
    stderr: 'error: the path "nope.yaml" does not exist\n',
  },
  Unsupported: {
    args: ['apply', '-k', 'overlay'],
    env: { PATH: '' },
    exitCode: 2,
    stderr: 'error: podrun needs kubectl or kustomize for -k, and this machine has neither\nWhere one of them is',
  },
  BadRequest: {
    args: ['get', 'pods', '--field-selector', 'spec.nope=x'],
    exitCode: 1,
    stderr: 'Error from server (BadRequest): field label not supported: spec.nope\nThe fields of pods to select by are',
  },
  NotFound: {
    args: ['get', 'pod', 'wep'],
    exitCode: 1,
    stderr: 'Error from server (NotFound): pods "wep" not found\nDid you mean "web"?\n',
  },
  AlreadyExists: {
    args: () => withFile('pod.yaml', '', ['init', 'web', '-o']),
    exitCode: 1,
    stderr: 'error: pod.yaml exists already\n--force overwrites it.\n',
  },
  Conflict: {
    args: ['label', 'pod', 'web', 'a=b', '--resource-version=7'],
    exitCode: 1,
    stderr: 'Error from server (Conflict): Operation cannot be fulfilled on pods "web": the object has been modified;',
  },
  Forbidden: { args: openStateFolder, exitCode: 1, stderr: 'error: cannot use the state folder ' },
  Invalid: {
    args: ['patch', 'pod', 'web', '-p', '{"spec":{"restartPolicy":"Never"}}'],
    exitCode: 1,
    stderr: 'The Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than',
  },
  RequestEntityTooLarge: {
    args: () => withFile('long.json', longPatch(), ['patch', 'pod', 'web', '--type=json', '--patch-file']),
    exitCode: 1,
    stderr: 'Error from server (RequestEntityTooLarge): Request entity too large: The allowed maximum operations in',
  },
  InternalError: {
    args: ['patch', 'pod', 'web', '-p', '{"spec":{"containers":[{"image":"b"}]}}'],
    exitCode: 1,
    stderr: 'Error from server: map: map[image:b] does not contain declared merge key: name\n',
  },
  NotRunning: {
    args: ['exec', 'done', '--', 'true'],
    exitCode: 1,
    stderr: 'error: cannot exec into a container in a completed pod; current phase is Succeeded\n',
  },
  Unreachable: { args: portInUse, exitCode: 1, stderr: 'error: unable to listen on any of the requested ports: [{' },
  GoalNotReached: {
    args: ['wait', 'pod/web', '--for=delete', '--timeout=0s'],
    exitCode: 1,
    stderr: 'error: condition not met for pods/web\n',
  },
  Disk: {
    args: ['init', 'web', '-o', 'nope/pod.yaml'],
    exitCode: 1,
    stderr: 'error: cannot write nope/pod.yaml: no such file or directory\n',
  },
};

function withFile(name: string, text: string, words: readonly string[]): Promise<readonly string[]> {
  writeFileSync(path.join(workshop.folder, name), text);
  return Promise.resolve([...words, name]);
}

function longPatch(): string {
  return JSON.stringify(Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'Pod' })));
}

function openStateFolder(): Promise<readonly string[]> {
  const folder = path.join(workshop.folder, 'open');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'of-others'), '');
  chmodSync(folder, 0o777);
  return Promise.resolve(['get', 'pods', '--state-dir', folder]);
}

async function portInUse(): Promise<readonly string[]> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return ['port-forward', '--address', '127.0.0.1', 'pod/web', `${(server.address() as AddressInfo).port}:80`];
}

describe('a command that fails', () => {
  it.each(Object.entries(FAILURES))('with %s', async (_code, { args, env = {}, exitCode, stderr }) => {
    putStates(storeOf(workshop), ['running-ready', 'completed']);
    const ended = await runHere(workshop, typeof args === 'function' ? await args() : args, { env });
    expect({ exitCode: ended.exitCode, stdout: ended.stdout }).toEqual({ exitCode, stdout: '' });
    expect(`\n${ended.stderr}`).toContain(`\n${stderr}`);
  });
});

it.each([
  ['-o', 'wide'],
  ['-o', 'json'],
])('values without an order are a mistake of the user, also with %s %s', async (...flags) => {
  putStates(storeOf(workshop), ['running-ready', 'completed']);
  const ended = await runHere(workshop, ['get', 'pods', '--sort-by=.spec.containers', ...flags]);
  expect(ended).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'error: Field {.spec.containers} has no order: unsortable type: []interface {}\n',
  });
});

/** Nobody may look at `loop/x`, not even root. A file in a folder of another user is told of in the same way. */
it.each<[readonly string[], string]>([
  [['cp', 'loop/x', 'web:/tmp'], "loop/x doesn't exist in local filesystem\n"],
  [['image', 'load', '-i', 'loop/x'], 'cannot read loop/x: too many symbolic links'],
  [['image', 'load', '-i', '.'], 'cannot read .: is a directory\n'],
  [['apply', 'loop/x'], 'open loop/x: too many levels of symbolic links\n'],
  [['create', 'configmap', 'a', '--from-file=loop/x'], 'error reading loop/x: ELOOP: too many symbolic links'],
  [['expect', 'loop/x'], 'cannot read loop/x: too many symbolic links'],
  [['get', 'pods', '--state-dir', 'loop/x'], 'cannot use the state folder FOLDER/loop/x: too many symbolic links'],
])('a path that no user may look at is a mistake of the user: %j', async (args, stderr) => {
  symlinkSync('loop', path.join(workshop.folder, 'loop'));
  const ended = await runHere(workshop, args);
  expect(ended.exitCode).not.toBe(0);
  expect(ended.stderr.replaceAll(workshop.folder, 'FOLDER')).toContain(`error: ${stderr}`);
});
