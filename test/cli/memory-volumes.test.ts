import { spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { startTimeOf } from '../../src/runtime/watch/process-identity.ts';
import { need, needs } from '../needs.ts';
import { giveAllToOrdinaryUser, podrunAsOrdinaryUser } from '../ordinary-user.ts';
import { PATIENT } from '../patience.ts';
import { memoryPlace } from '../store/memory-place.ts';
import { Podrun, type Workshop, workshopFor } from './workshop.ts';

const FLAGS = ['--runtime', 'namespace', '--backoff-initial', '10ms'];

/** Prints the sizes in KiB, fills the first volume in its first run, and ends well in its second one. */
const SCRIPT = `
  size() { df -Pk "$1" | awk 'END { print $2 }'; }
  echo "sizes $(size /limited) $(size /of-pod)"
  [ ! -e /limited/kept ] || { echo "kept $(cat /limited/kept)"; exit 0; }
  echo here >/limited/kept
  dd if=/dev/zero of=/limited/large bs=64k count=32 2>&1
  exit 1
`;

/** Runs podrun as root or as an ordinary user, whose folders in memory are below the place. */
function userOf(
  context: TestContext,
  who: 'root' | 'an ordinary user',
): { workshop: Workshop; place: string; run: Run } {
  if (who === 'root') need(context, 'root', 'namespaces', 'mounts for all');
  else need(context, 'namespaces of an ordinary user');
  const workshop = workshopFor(context);
  chmodSync(workshop.folder, 0o755);
  const place = memoryPlace();
  if (who !== 'root') for (const folder of [place, workshop.folder]) giveAllToOrdinaryUser(folder);
  const run: Run = (...args) => {
    const all = ['--state-dir', workshop.stateDir, ...args];
    const [file = '', ...words] = who === 'root' ? workshop.commandLine(all) : podrunAsOrdinaryUser(all);
    const env = { ...process.env, XDG_RUNTIME_DIR: place };
    return new Podrun(spawn(file, words, { cwd: workshop.folder, env }));
  };
  return { workshop, place, run };
}

type Run = (...args: readonly string[]) => Podrun;

describe.for(['root', 'an ordinary user'] as const)(
  'an emptyDir in memory with namespaces, for %s',
  needs('/dev/shm in memory'),
  (who) => {
    it('has a size of its own, keeps its content over restarts, and is gone after its Pod', async (context) => {
      const { workshop, place, run } = userOf(context, who);
      const volumeMounts = ['limited', 'of-pod'].map((name) => ({ name, mountPath: `/${name}` }));
      const manifest = workshop.pod('memory', {
        restartPolicy: 'OnFailure',
        volumes: [
          { name: 'limited', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
          { name: 'of-pod', emptyDir: { medium: 'Memory', sizeLimit: '1Ei' } },
        ],
        containers: [
          { name: 'c', command: ['sh', '-c', SCRIPT], volumeMounts, resources: { limits: { memory: '64Mi' } } },
        ],
      });
      const { exitCode, stdout } = await run('apply', manifest, ...FLAGS).ended;
      expect(stdout).toContain('sizes 1024 65536');
      expect(stdout).toContain('No space left on device');
      expect(stdout).toContain('kept here');
      expect(exitCode).toBe(0);
      expect(stdout).not.toContain('SizeLimitMeasured');
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(place);
      expect(readdirSync(place)).toEqual([]);
    });

    it('is one file system for all containers, commands and probes, and all parts of it', async (context) => {
      const { workshop, place, run } = userOf(context, who);
      const mount = (mountPath: string, subPath?: string) => ({ name: 'm', mountPath, ...(subPath && { subPath }) });
      const manifest = workshop.pod('memory', {
        terminationGracePeriodSeconds: 1,
        volumes: [
          { name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
          { name: 'disk', emptyDir: {} },
        ],
        initContainers: [
          {
            name: 'init',
            image: 'busybox',
            command: ['sh', '-c', 'mkdir /m/part; echo of init >/m/part/file; ln -s part /m/link'],
            volumeMounts: [mount('/m')],
          },
          {
            name: 'side',
            image: 'busybox',
            restartPolicy: 'Always',
            command: ['sleep', '600'],
            volumeMounts: [mount('/m')],
          },
        ],
        containers: [
          {
            name: 'c',
            command: ['sh', '-c', 'cat /file /part/file; exec sleep 600'],
            volumeMounts: [
              mount('/m'),
              mount('/file', 'part/file'),
              mount('/part', 'link'),
              mount('/new', 'a/b'),
              { name: 'disk', mountPath: '/m/link/disk' },
            ],
            lifecycle: { postStart: { exec: { command: ['sh', '-c', 'echo hook >/new/hook'] } } },
            readinessProbe: { exec: { command: ['cat', '/m/a/b/hook'] }, periodSeconds: 1 },
          },
        ],
      });
      const applied = run('apply', manifest, ...FLAGS);
      await vi.waitUntil(() => applied.stdout.includes('Ready after'), PATIENT);
      const seen = 'cat /m/a/b/hook; ls /m /m/part; df -Pk /m/a | awk "END { print \\$2 }"';
      const inSide = await run('exec', 'memory', '-c', 'side', '--', 'sh', '-c', seen).ended;
      expect(inSide.stdout).toBe('hook\n/m:\na\nlink\npart\n\n/m/part:\ndisk\nfile\n1024\n');
      const volume = path.join(workshop.stateDir, 'pods/default/memory/volumes/m');
      expect(readdirSync(volume)).toEqual(['a', 'link', 'part']);
      const custom = workshop.file('custom.json', JSON.stringify({ volumeMounts: [mount('/seen')] }));
      const debug = ['debug', 'memory', '--image=x', '--target=c', '--custom', custom, '--attach'];
      expect((await run(...debug, '--', 'cat', '/seen/part/file').ended).stdout).toContain('of init\n');
      await run('delete', 'pod', 'memory').ended;
      expect((await applied.ended).stdout).toContain('of init');
      expect(readdirSync(place)).toEqual([]);
    });

    it('outlives the agent in the background, and ends with the Pod', async (context) => {
      const { workshop, place, run } = userOf(context, who);
      const script = 'echo start >>/m/starts; [ -e /m/end ] || exec sleep 600';
      const manifest = workshop.pod('memory', {
        restartPolicy: 'OnFailure',
        terminationGracePeriodSeconds: 1,
        volumes: [{ name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }],
        containers: [{ name: 'c', command: ['sh', '-c', script], volumeMounts: [{ name: 'm', mountPath: '/m' }] }],
      });
      expect(await run('apply', '-d', manifest, ...FLAGS).ended).toMatchObject({ exitCode: 0 });
      await run('wait', 'pod/memory', '--for=condition=Ready', '--timeout=1m').ended;
      const agents = path.join(workshop.stateDir, '.agents');
      const [agent = ''] = readdirSync(agents);
      const { pid } = JSON.parse(readFileSync(path.join(agents, agent, 'process.json'), 'utf8')) as { pid: number };
      process.kill(pid, 'SIGKILL');
      await vi.waitUntil(() => startTimeOf(pid) === undefined, PATIENT);
      const ended = [
        'sh',
        '-c',
        'touch /m/end; kill -KILL $(cat /proc/[0-9]*/stat | awk \'$2 == "(sleep)" { print $1 }\')',
      ];
      expect((await run('get', 'pods').ended).stderr).toContain('podrun started another');
      await run('exec', 'memory', '--', ...ended).ended;
      const over = ['wait', 'pod/memory', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=1m'];
      expect(await run(...over).ended).toMatchObject({ exitCode: 0 });
      await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
      expect(workshop.processes()).toEqual([]);
      expect(readdirSync(place, { recursive: true }).filter((file) => String(file).endsWith('/m'))).toEqual([]);
    });
  },
);

describe('an emptyDir in memory without a file system of its own', needs('/dev/shm in memory'), () => {
  it('says once that its limit is measured', async (context) => {
    const workshop = workshopFor(context);
    const emptyDirs = { limited: { sizeLimit: '1Mi' }, free: {} };
    const volumes = Object.entries(emptyDirs).map(([name, rest]) => ({
      name,
      emptyDir: { medium: 'Memory', ...rest },
    }));
    const manifest = workshop.pod('memory', {
      restartPolicy: 'Never',
      volumes,
      containers: [{ name: 'c', command: ['true'] }],
    });
    const flags = ['--runtime', 'process', '--no-logs'];
    const { exitCode } = await workshop.start(['apply', manifest, ...flags], { XDG_RUNTIME_DIR: memoryPlace() }).ended;
    expect(exitCode).toBe(0);
    const { stdout } = await workshop.run([
      'events',
      '-o',
      'jsonpath={range .items[*]}{.reason} {.message}{"\\n"}{end}',
    ]);
    expect(stdout.split('\n').filter((line) => line.startsWith('SizeLimitMeasured'))).toEqual([
      expect.stringMatching(/^SizeLimitMeasured volume "limited": podrun measures its sizeLimit every 10 seconds/),
    ]);
  });
});
