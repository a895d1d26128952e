import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { type Ended, workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();

/** Runs a command as root of a user namespace without capabilities, in which no further namespace can be made. */
const CONFINED = [
  'unshare',
  '--user',
  '--map-root-user',
  'sh',
  '-c',
  'echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all "$@"',
  'sh',
] as const;
const [unshare, ...confine] = CONFINED;

/** Runs podrun as on a machine that permits no namespaces. */
async function runConfined(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const options = {
    cwd: workshop.folder,
    env: { ...process.env, PODRUN_STATE_DIR: workshop.stateDir, ...env },
  };
  return promisify(execFile)(unshare, [...confine, ...workshop.commandLine(args)], options).then(
    ({ stdout, stderr }) => ({ exitCode: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      exitCode: code,
      stdout,
      stderr,
    }),
  );
}

const plain: PodSpec = { restartPolicy: 'Never', containers: [{ name: 'app', command: ['true'] }] };
const mounting: PodSpec = {
  ...plain,
  containers: [{ name: 'app', command: ['true'], volumeMounts: [{ name: 'v', mountPath: '/data' }] }],
  volumes: [{ name: 'v', emptyDir: {} }],
};
const namespaceOf = (stdout: string): string => /mnt:\[\d+\]/.exec(stdout)?.[0] ?? stdout;
const TELLING: PodSpec = {
  restartPolicy: 'Never',
  containers: [{ name: 'app', command: ['readlink', '/proc/self/ns/mnt'] }],
};

describe('where namespaces are not permitted', needs('user namespaces', 'program setpriv'), () => {
  it('--runtime namespace is refused: nothing is started or created', async () => {
    const pod = workshop.pod('p', plain);
    const { exitCode, stdout, stderr } = await runConfined(['apply', pod, '--runtime', 'namespace']);
    const why = 'the kernel permits no user namespaces: user.max_user_namespaces=0';
    expect(stderr).toBe(
      `error: podrun cannot isolate containers with namespaces here: ${why}\n` +
        "Nothing was started. 'podrun doctor' shows the remedy.\n",
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(existsSync(path.join(workshop.stateDir, 'pods'))).toBe(false);
  });

  it('doctor names the setting that keeps Pods from networks and names', async () => {
    const { stdout } = await runConfined(['doctor', '-o', 'json']);
    const { findings } = JSON.parse(stdout) as { findings: { feature: string; verdict: string; why?: object }[] };
    const why = { type: 'setting', setting: 'user.max_user_namespaces', value: '0' };
    for (const feature of ['namespaces', 'podNetworks', 'clusterNetworks', 'serviceNames']) {
      expect(findings.find((each) => each.feature === feature)).toMatchObject({ verdict: 'no', why });
    }
  });

  it('a Pod that needs them runs with a warning, and one about the places of its volumes', async () => {
    const pod = workshop.pod('p', mounting);
    const { exitCode, stderr } = await runConfined(['apply', pod, '--runtime', 'auto']);
    expect(exitCode).toBe(0);
    const [general, ofPod, ...rest] = stderr.split('\n');
    expect(general).toMatch(
      /^.*runtime: process \(the kernel permits no user namespaces: .*mountPath\. See podrun doctor$/,
    );
    const place = String.raw`volume "v" is at \S+/pods/default/p/volumes/v \(\$PODRUN_VOLUME_V\)$`;
    expect(ofPod).toMatch(new RegExp(`^Warning: pod/p: /data is a path of this machine itself: ${place}`));
    expect(rest).toEqual(['']);
  });

  it('no warning about a Pod that does not need them, nor with --runtime process', async () => {
    const ended = await Promise.all([
      runConfined(['apply', workshop.pod('a', plain), '--runtime', 'auto']),
      runConfined(['apply', workshop.pod('b', mounting)], { PODRUN_RUNTIME: 'process' }),
    ]);
    expect(ended.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual([
      { exitCode: 0, stderr: '' },
      { exitCode: 0, stderr: '' },
    ]);
  });
});

describe('as root of a user namespace that permits no further ones', needs('user namespaces'), () => {
  it('a container whose root the kernel refuses runs as a plain process', async () => {
    const confined = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
    const script = 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"';
    const command = workshop.commandLine(['apply', workshop.pod('p', mounting), '--runtime', 'auto']);
    const env = { ...process.env, PODRUN_STATE_DIR: workshop.stateDir };
    const { stderr } = await promisify(execFile)('unshare', [...confined, script, 'sh', ...command], { env });
    expect(stderr).toMatch(/runtime: process \(.*\nWarning: pod\/p: \/data is a path of this machine itself/);
  });
});

describe('the choice of the runtime', needs('Linux'), () => {
  it('comes from the flag, then the variable, then podrun.yaml', needs('namespaces'), async () => {
    const pod = workshop.pod('p', TELLING);
    workshop.file('podrun.yaml', 'runtime: namespace\n');
    const own = namespaceOf(spawnSync('readlink', ['/proc/self/ns/mnt'], { encoding: 'utf8' }).stdout);
    const fromFile = await workshop.run(['apply', pod], { PODRUN_RUNTIME: '' });
    const fromVariable = await workshop.run(['apply', pod], { PODRUN_RUNTIME: 'process' });
    const fromFlag = await workshop.run(['apply', pod, '--runtime', 'namespace'], { PODRUN_RUNTIME: 'process' });
    const seen = [fromFile, fromVariable, fromFlag].map(({ stdout }) => namespaceOf(stdout) === own);
    expect(seen).toEqual([false, true, false]);
  });

  it('must be a known runtime', async () => {
    const pod = workshop.pod('p', plain);
    const asked = await workshop.run(['apply', pod], { PODRUN_RUNTIME: 'docker' });
    expect(asked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(asked.stderr).toContain('invalid PODRUN_RUNTIME "docker"\nUse one of auto, process, namespace.');
    workshop.file('podrun.yaml', 'runtime: docker\n');
    const written = await workshop.run(['apply', pod], { PODRUN_RUNTIME: '' });
    expect(written).toMatchObject({ exitCode: 2, stdout: '' });
    expect(written.stderr).toContain('podrun.yaml:1:10: runtime: must be one of auto, process, namespace');
    expect((await workshop.run(['apply', pod, '--runtime', 'docker'])).exitCode).toBe(2);
  });
});
