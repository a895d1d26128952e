import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { quietly } from '../../src/quietly.ts';
import { ControlPlane, freePort, isOk, PODRUN } from './control-plane.ts';

let plane: ControlPlane;
afterEach(() => plane.remove());

/** The folders of etcds that run, of this plane. */
function meetingPlaces(): string[] {
  const { TMPDIR = '' } = plane.env;
  return readdirSync(TMPDIR).flatMap((name) => readdirSync(path.join(TMPDIR, name)));
}

const isRunning = (pid: number): boolean => (quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '') !== '';

describe('podrun envtest', () => {
  const podrun = (args: readonly string[]): string =>
    execFileSync(process.execPath, [PODRUN, 'envtest', ...args], { env: plane.env, encoding: 'utf8', stdio: 'pipe' });

  it('prints a folder with the three programs, the same each time, and sets it for a command', () => {
    plane = new ControlPlane();
    expect(podrun([])).toBe(`${plane.assets}\n`);
    expect(readdirSync(plane.assets).toSorted()).toEqual(['etcd', 'kube-apiserver', 'kubectl']);
    expect(podrun(['-p', 'env'])).toBe(`export KUBEBUILDER_ASSETS='${plane.assets}'\n`);
    expect(podrun(['--', 'sh', '-c', 'echo "$KUBEBUILDER_ASSETS"'])).toBe(`${plane.assets}\n`);
    expect(() => podrun(['--', 'sh', '-c', 'exit 3'])).toThrow(expect.objectContaining({ status: 3 }));
    // Nothing but this is written: no state folder, no lock.
    expect(
      readdirSync(plane.folder)
        .toSorted()
        .filter((name) => name !== '.cache'),
    ).toEqual(['data', 'tmp']);
  });

  it('refuses a mode that it does not have', () => {
    plane = new ControlPlane();
    const env = { ...plane.env, PODRUN_ENVTEST: 'none' };
    const refused = (): string =>
      execFileSync(process.execPath, [PODRUN, 'envtest'], { env, encoding: 'utf8', stdio: 'pipe' });
    expect(refused).toThrow(
      expect.objectContaining({ status: 2, stderr: expect.stringContaining('invalid PODRUN_ENVTEST') }),
    );
  });
});

describe('kube-apiserver', () => {
  it('refuses unknown flags, a taken port and a second server; the next one has the same objects', async () => {
    plane = new ControlPlane();
    await plane.start();
    try {
      const unknown = plane.run('kube-apiserver', [...plane.apiFlags(), '--surprise=1']);
      expect([await unknown.ended, unknown.stderr()]).toEqual([
        1,
        'another kube-apiserver uses this etcd: podrun serves one at a time\n',
      ]);
      await plane.as(plane.admin)('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'kept' } });
      expect(await plane.end(plane.api)).toBe(0);
      const wrong = plane.run('kube-apiserver', [...plane.apiFlags(), '--surprise=1']);
      expect([await wrong.ended, wrong.stderr()]).toEqual([1, 'Error: unknown flag: --surprise\n']);
      const taken = plane.run('kube-apiserver', [...plane.apiFlags(), `--secure-port=${plane.etcdPort}`]);
      expect([await taken.ended, taken.stderr()]).toEqual([
        1,
        expect.stringContaining('another program listens there'),
      ]);
      await plane.startApi();
      const kept = await plane.as(plane.admin)('GET', '/api/v1/namespaces/default/configmaps/kept');
      expect(kept.code).toBe(200);
    } finally {
      await plane.stop();
    }
  });

  it('needs an etcd of podrun', async () => {
    plane = new ControlPlane();
    const alone = plane.run('kube-apiserver', [`--etcd-servers=http://127.0.0.1:${await freePort()}`]);
    expect([await alone.ended, alone.stderr()]).toEqual([1, expect.stringContaining('no etcd of podrun runs at')]);
  });

  it('names the flags without effect once, and makes the certificate that it is not given', async () => {
    plane = new ControlPlane();
    await plane.prepare();
    await plane.startEtcd();
    const certDir = path.join(plane.folder, 'made');
    const flags = plane.apiFlags().filter((flag) => !flag.startsWith('--cert-dir'));
    plane.api = plane.run('kube-apiserver', [...flags, '--cert-dir', certDir, '--feature-gates=A=true', '--v', '2']);
    await expect.poll(() => isOk(`https://127.0.0.1:${plane.port}/healthz`)).toBe(true);
    expect(readdirSync(certDir).toSorted()).toEqual(['apiserver.crt', 'apiserver.key']);
    expect(await plane.end(plane.api)).toBe(0);
    expect(plane.api.stderr()).toBe('Warning: these flags have no effect in podrun: --feature-gates, --v\n');
    expect(await plane.end(plane.etcd)).toBe(0);
  });
});

describe('the end of a suite', () => {
  it('leaves no file and no process', async () => {
    plane = new ControlPlane();
    await plane.start();
    expect(await plane.end(plane.api)).toBe(0);
    expect(await plane.end(plane.etcd)).toBe(0);
    expect([existsSync(plane.dataDir), meetingPlaces()]).toEqual([false, []]);
  });

  it('comes when the suite is killed', async () => {
    plane = new ControlPlane();
    await plane.prepare();
    const url = `http://127.0.0.1:${plane.etcdPort}`;
    const etcd = `"$0/etcd" --listen-client-urls=${url} --data-dir='${plane.dataDir}'`;
    const flags = plane.apiFlags().map((flag) => `'${flag}'`);
    const until = `until [ -e "$TMPDIR"/podrun-envtest-*/${plane.etcdPort}/pid ]; do :; done`;
    const script = `${etcd} & echo $!; ${until}; "$0/kube-apiserver" ${flags.join(' ')} & echo $!; wait`;
    const suite = spawn('sh', ['-c', script, plane.assets], { env: plane.env, stdio: ['ignore', 'pipe', 'ignore'] });
    let printed = '';
    suite.stdout.setEncoding('utf8').on('data', (piece: string) => (printed += piece));
    await expect.poll(() => isOk(`https://127.0.0.1:${plane.port}/healthz`)).toBe(true);
    const pids = printed.trim().split('\n').map(Number);
    expect([pids.length, pids.every(isRunning)]).toEqual([2, true]);
    suite.kill('SIGKILL');
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    expect([existsSync(plane.dataDir), meetingPlaces()]).toEqual([false, []]);
  });
});
