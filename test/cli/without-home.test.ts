import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeTree } from '../../src/remove-tree.ts';
import { need } from '../needs.ts';
import { giveToOrdinaryUser, isRoot, ORDINARY_USER, podrunAsOrdinaryUser } from '../ordinary-user.ts';

const POD = `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { restartPolicy: Never, containers: [{ name: main, image: busybox, command: [echo, hello] }] }
`;

let folder = '';
const standIn = (): string => path.join(folder, `podrun-home-${ORDINARY_USER}`);
const sentence = (): string => `this user has no home folder to write to: podrun keeps its files in ${standIn()}\n`;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'podrun-homeless-')));
  writeFileSync(path.join(folder, 'pod.yaml'), POD);
  chmodSync(path.join(folder, 'pod.yaml'), 0o644);
  giveToOrdinaryUser(folder);
});
afterEach(() => removeTree(folder));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs podrun as the ordinary user, with this HOME alone. */
async function podrun(home: string | undefined, ...args: readonly string[]): Promise<Ended> {
  const [program = '', ...words] = podrunAsOrdinaryUser(args);
  const env = { PATH: process.env['PATH'], TMPDIR: folder, ...(home === undefined ? {} : { HOME: home }) };
  try {
    return { code: 0, ...(await promisify(execFile)(program, words, { cwd: folder, env })) };
  } catch (error) {
    return error as Ended & Error;
  }
}

// The user that root becomes for tests is unknown to /etc/passwd; the one that runs the tests need not be.
it.for([undefined, '', 'relative', '/', '/nonexistent/home'])('HOME=%s', async (home, context) => {
  need(context, 'an ordinary user', { 'a user without an entry in /etc/passwd': isRoot || home !== undefined });
  const applied = await podrun(home, 'apply', 'pod.yaml', '--runtime', 'process');
  expect(applied).toMatchObject({ code: 0, stderr: sentence() });
  expect(statSync(standIn()).mode & 0o777).toBe(0o700);
  // The next commands find the state there, and say no more.
  expect(await podrun(home, 'logs', 'web')).toEqual({ code: 0, stdout: 'hello\n', stderr: '' });
  expect(await podrun(home, 'delete', 'pod', 'web')).toMatchObject({ code: 0, stderr: '' });
});

it('a folder that another user may have made does not stand in for the home folder', async (context) => {
  need(context, 'an ordinary user');
  mkdirSync(standIn());
  chmodSync(standIn(), 0o777);
  const { code, stderr } = await podrun('', 'get', 'pods');
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('other users may replace files in it') });
});
