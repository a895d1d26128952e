import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { drained } from '../../src/cli/output/standard-stream.ts';
import { workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();

it('leaves no listeners on a stream, however often it is slow', async () => {
  const slow = new Writable({ write: (_chunk, _encoding, done) => void setImmediate(done) });
  for (let times = 0; times < 3; times++) {
    slow.write('text');
    await drained(slow);
    expect({ waiting: slow.writableLength, listeners: slow.listenerCount('error') }).toEqual({
      waiting: 0,
      listeners: 0,
    });
  }
});

it('does not wait for a reader that has gone', async () => {
  const broken = new Writable({
    write: (_chunk, _encoding, done) => void setImmediate(() => done(new Error('EPIPE'))),
  });
  broken.on('error', () => undefined);
  broken.write('text');
  await expect(drained(broken)).resolves.toBeUndefined();
});

describe('output that cannot be written', needs('Linux'), () => {
  const podrun = async (
    args: readonly string[],
    { stdout, stderr }: { readonly stdout?: string; readonly stderr?: string },
  ): Promise<{ readonly exitCode: number | null; readonly stderr: string }> => {
    const redirected = `exec "$@" ${stdout ? `>${stdout}` : ''} ${stderr ? `2>${stderr}` : ''}`;
    const child = spawn('sh', ['-c', redirected, 'sh', ...workshop.commandLine(args)], {
      env: { ...process.env, CI: 'true', PODRUN_STATE_DIR: workshop.stateDir },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return { exitCode, stderr: said };
  };

  it.each([[['version']], [['get', 'pods', '-o', 'json']], [['describe', '--help']]])(
    '%s says so, and does not end as if it had been seen',
    async (args) => {
      expect(await podrun(args, { stdout: '/dev/full' })).toMatchObject({
        exitCode: 1,
        stderr: 'error: cannot write to standard output: no space left on device\n',
      });
    },
  );

  it('apply ends its Pods gracefully and reports why', async () => {
    const ended = path.join(workshop.folder, 'ended');
    const script = 'trap "echo bye >$ENDED; exit 0" TERM; echo up; while :; do sleep 0.01; done';
    const file = workshop.pod('web', {
      containers: [{ name: 'main', command: ['sh', '-c', script], env: [{ name: 'ENDED', value: ended }] }],
    });
    const { exitCode, stderr } = await podrun(['apply', file, '--quiet'], { stdout: '/dev/full' });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'error: cannot write to standard output: no space left on device\n',
    });
    expect(readFileSync(ended, 'utf8')).toBe('bye\n');
  });

  it('a lost standard error changes nothing', async () => {
    const file = workshop.pod('web', { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] });
    expect((await podrun(['validate', file], { stderr: '/dev/full' })).exitCode).toBe(0);
    expect((await podrun(['apply', file, '--verbose'], { stderr: '/dev/full' })).exitCode).toBe(0);
  });

  it('exec ends with its command, although standard error is lost', async () => {
    const file = workshop.pod('web', { containers: [{ name: 'main', command: ['sleep', '1000'] }] });
    await workshop.start(['apply', file]).until(({ stdout }) => stdout.includes('Running, ContainersReady, Ready'));
    const script = 'echo one >&2; sleep 0.1; echo two >&2; exit 7';
    const { exitCode } = await podrun(['exec', 'web', '--', 'sh', '-c', script], { stderr: '/dev/full' });
    expect(exitCode).toBe(7);
  });

  it('a full non-blocking pipe gets the whole output', async () => {
    const labels = Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`label-${n}`, 'x'.repeat(40)]));
    workshop.file(
      'pod.json',
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large', labels } }),
    );
    await workshop.run(['apply', 'pod.json']);
    const fifo = path.join(workshop.folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const pipe = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    const [node = '', ...args] = workshop.commandLine(['get', 'cm', 'large', '-o', 'json']);
    const env = { ...process.env, PODRUN_STATE_DIR: workshop.stateDir };
    const writer = spawn(node, args, { stdio: ['ignore', pipe, 'inherit'], env });
    closeSync(pipe);
    const reader = spawn('cat', [fifo], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [read, [exitCode]] = await Promise.all([text(reader.stdout), once(writer, 'close')]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(read)).toMatchObject({ metadata: { labels } });
  });
});
