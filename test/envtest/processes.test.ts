import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ControlPlane, freePort, isOk, PODRUN } from './control-plane.ts';
import { isRunning, meetingPlaces, startSuite } from './killed-suite.ts';

let plane: ControlPlane;
afterEach(() => plane.remove());

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

  it('has a folder for each version of Kubernetes, which a flag or a variable names', () => {
    plane = new ControlPlane({ PODRUN_ENVTEST_VERSION: '1.31' });
    const folder = podrun(['--version', '1.34']).trim();
    expect([path.basename(plane.assets), path.basename(folder)]).toEqual([
      expect.stringMatching(/^1\.31\.0-/),
      expect.stringMatching(/^1\.34\.0-/),
    ]);
    const versionOf = (assets: string): string =>
      execFileSync(path.join(assets, 'kube-apiserver'), ['--version'], { encoding: 'utf8' });
    expect([plane.assets, folder].map(versionOf)).toEqual(['Kubernetes v1.31.0\n', 'Kubernetes v1.34.0\n']);
  });

  it.each<[string, string[], NodeJS.ProcessEnv, string]>([
    ['a mode that it does not have', [], { PODRUN_ENVTEST: 'none' }, 'invalid PODRUN_ENVTEST'],
    ['a version that it does not have', ['--version', '1.20'], {}, 'Use one of 1.29, 1.30, '],
    ['one that a variable names', [], { PODRUN_ENVTEST_VERSION: '2' }, 'unsupported version of Kubernetes: "2"'],
  ])('refuses %s', (_, args, variables, message) => {
    plane = new ControlPlane();
    const env = { ...plane.env, ...variables };
    const refused = (): string =>
      execFileSync(process.execPath, [PODRUN, 'envtest', ...args], { env, encoding: 'utf8', stdio: 'pipe' });
    expect(refused).toThrow(expect.objectContaining({ status: 2, stderr: expect.stringContaining(message) }));
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
    expect([existsSync(plane.dataDir), meetingPlaces(plane)]).toEqual([false, []]);
  });

  it('comes when the suite is killed', async () => {
    plane = new ControlPlane();
    await plane.prepare();
    const { suite, pids: started } = startSuite(plane);
    await expect.poll(() => isOk(`https://127.0.0.1:${plane.port}/healthz`)).toBe(true);
    const pids = started();
    expect([pids.length, pids.every(isRunning)]).toEqual([2, true]);
    suite.kill('SIGKILL');
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    expect([existsSync(plane.dataDir), meetingPlaces(plane)]).toEqual([false, []]);
  });
});
