import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ImageStore } from '../../src/images/store/image-store.ts';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { Uses } from '../../src/images/store/uses.ts';
import { archiveOf } from '../images/archive.ts';
import { type ImageWorld, openWorld } from '../images/registry.ts';
import { agentPid } from '../chaos/agent-pid.ts';
import { PATIENT } from '../patience.ts';
import { runHere } from './in-process.ts';
import { CASES, placeWithNetwork } from './network-place.ts';
import { workshopForEach } from './workshop.ts';
import { need, needs } from '../needs.ts';

const IMAGES = {
  'app:1': { config: { Cmd: ['true'] } },
  'other:1': {},
  'own:1': { layers: [{ 'usr/bin/setsid': 'not that of util-linux' }] },
  'wrapping:1': { config: { Cmd: ['id'], User: '4294967296' } },
  'library/nginx:1.25': { config: { Cmd: ['httpd', '-f', '-p', '80'] } },
  'stays:latest': { config: { Cmd: ['sleep', '600'] }, layers: [{ 'etc/stays': 'still here' }] },
};

const workshop = workshopForEach();
let world: ImageWorld;
beforeAll(async () => {
  world = await openWorld({ images: IMAGES });
});
afterAll(() => world.close());

const storeOf = (): ImageStore => new ImageStore(`${workshop.stateDir}.images`);

it('pull brings the images of names and manifests, images lists them', needs('layers of images'), async () => {
  const image = `${world.host}/app:1`;
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image }] } };
  writeFileSync(path.join(workshop.folder, 'pod.json'), JSON.stringify(pod));
  const pulled = await runHere(workshop, ['pull', `${world.host}/other:1`, '-f', 'pod.json']);
  expect(pulled.stdout).toMatch(/other:1@sha256:\w{64} pulled, [\d.]+MB in .*\n.*app:1@sha256:\w{64} pulled/);
  expect(pulled).toMatchObject({ exitCode: 0, stderr: '' });
  const { stdout } = await runHere(workshop, ['images']);
  expect(stdout.replaceAll(/ +/g, ' ')).toMatch(
    /^REPOSITORY TAG IMAGE ID CREATED SIZE LAST USED\n127\.0\.0\.1:\d+\/app 1 [0-9a-f]{12} \S+ [\d.]+MB \S+\n/,
  );
});

it('pull says why it cannot', needs('layers of images'), async () => {
  expect(await runHere(workshop, ['pull', `${world.host}/none:1`])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`failed to resolve image: ${world.host}/none:1: not found`),
  });
});

it('rm refuses an image that is in use; what other images share stays', needs('layers of images'), async () => {
  const [app, other] = [`${world.host}/app:1`, `${world.host}/other:1`];
  await runHere(workshop, ['pull', app, other]);
  const store = storeOf();
  const release = new Uses(store.root).declare({ images: { [store.find(app)?.manifest ?? '']: ['pod/web'] } });
  const stderr = `error: image "${app}" is in use by pod/web\n`;
  expect(await runHere(workshop, ['image', 'rm', app])).toMatchObject({ exitCode: 1, stderr });
  expect((await runHere(workshop, ['image', 'inspect', app])).stdout).toContain('"pod/web"');
  release();
  expect(await runHere(workshop, ['image', 'rm', app])).toMatchObject({ exitCode: 0 });
  expect(store.find(app)).toBeUndefined();
  expect(store.find(other)).toBeDefined();
  const removed = await runHere(workshop, ['image', 'prune', '--all']);
  expect(removed.stdout).toBe(`image "${other}" deleted\n1 layer deleted\n`);
  for (const folder of ['blobs/sha256', 'images', 'ingest', 'mounts', 'uses']) {
    expect(readdirSync(path.join(store.root, folder))).toEqual([]);
  }
});

it(
  'prune spares images of Pods in the background, also without their agent',
  needs('namespaces', 'layers of images'),
  async () => {
    const image = `${world.host}/stays`;
    const pod = workshop.pod('stays', { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image }] });
    const env = { PODRUN_IMAGES: 'auto', PODRUN_RUNTIME: 'namespace' };
    const applied = await workshop.run(['apply', '-d', '--wait', pod], env);
    expect([applied.exitCode, applied.stderr]).toEqual([0, expect.stringContaining(`pulling ${image}: nothing else`)]);
    const fields = ['image', 'imageID', 'restartCount'].map((name) => `{.status.containerStatuses[0].${name}}`);
    const shown = (): Promise<object> => workshop.run(['get', 'pod', 'stays', '-o', `jsonpath=${fields.join(' ')}`]);
    const digest = world.registry.fill('${digest:stays:latest}'); // oxlint-disable-line no-template-curly-in-string
    expect(await shown()).toMatchObject({ stdout: `${image}:latest ${image}@${digest} 0` });
    process.kill(agentPid(workshop) ?? 0, 'SIGKILL');
    // From another state folder, which has no agent to start.
    const elsewhere = ['--state-dir', path.join(workshop.folder, 'elsewhere')];
    expect((await workshop.run(['image', 'prune', '--all', ...elsewhere])).stdout).toBe('0 layers deleted\n');
    expect((await workshop.run(['exec', 'stays', '--', 'cat', '/etc/stays'])).stdout).toBe('still here');
    expect(await shown()).toMatchObject({ stdout: `${image}:latest ${image}@${digest} 0` });
    expect(await workshop.run(['delete', 'pod/stays'])).toMatchObject({ exitCode: 0 });
    await expect.poll(() => workshop.backgroundProcesses(), PATIENT).toEqual([]);
    // The next command in the state folder notices that the containers have ended.
    const pruned = await workshop.run(['image', 'prune', '--all']);
    expect(pruned.stdout).toContain(`image "${image}:latest" deleted`);
  },
);

it(
  'each node has images of its own: a Pod on another node pulls again, and Never finds none',
  needs('namespaces', 'layers of images'),
  async () => {
    const podOn = (node: string, image: string, imagePullPolicy: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${node}-${imagePullPolicy.toLowerCase()}` },
      spec: { nodeName: node, restartPolicy: 'Never', containers: [{ name: 'main', image, imagePullPolicy }] },
    });
    const apply = (...pods: object[]): ReturnType<typeof workshop.start> => {
      const file = workshop.file('pods.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods }));
      return workshop.start([
        'apply',
        '--images=registry',
        '--runtime=namespace',
        '-f',
        file,
        '--config',
        'podrun.yaml',
      ]);
    };
    const image = `${world.host}/app:1`;
    const nodes = ['a', 'b', 'c'].map((name) => ({ name, ...(name === 'c' && { images: { [image]: '300Mi' } }) }));
    workshop.file('podrun.yaml', JSON.stringify({ nodes }));
    const reasons = async (pod: string): Promise<string> => {
      const path = 'jsonpath={range .items[*]}{.reason}: {.message}{"\\n"}{end}';
      return (await workshop.run(['events', '--for', `pod/${pod}`, '-o', path])).stdout;
    };
    await apply(podOn('a', image, 'IfNotPresent')).ended;
    await apply(podOn('b', image, 'IfNotPresent'), podOn('c', image, 'Never')).ended;
    for (const pod of ['a-ifnotpresent', 'b-ifnotpresent']) {
      expect(await reasons(pod)).toMatch(
        /Pulling: Pulling image "[^]*Pulled: Successfully pulled image .* Image size: \d+ /,
      );
    }
    expect(await reasons('b-ifnotpresent')).toContain(' in 0s (0s including waiting)');
    expect(await reasons('c-never')).toContain('already present on machine');
    const shown = await workshop.run(['get', 'nodes', '-o', 'jsonpath={.items[*].status.images[*].names}']);
    expect(shown.stdout.match(/app:1/g)).toHaveLength(3);
    const input = saved(configWith({ Cmd: ['none'] }));
    expect(await runHere(workshop, ['image', 'load'], { input })).toMatchObject({ exitCode: 0 });
    const waits = apply(podOn('a', 'app:dev', 'Never'), podOn('b', `${world.host}/other:1`, 'Never'));
    await waits.until(({ stdout }) => /ErrImageNeverPull/.test(stdout) && /a-never +Failed/.test(stdout));
    waits.signal('SIGTERM');
    await waits.ended;
    expect(await reasons('a-never')).toContain('already present on machine');
  },
);

it(
  'a container of an image has a terminal, whatever programs the image has',
  needs('namespaces', 'layers of images'),
  async () => {
    const command = ['sh', '-c', 'test -t 0 && echo "a terminal"'];
    const containers = [{ name: 'main', image: `${world.host}/own:1`, command, tty: true }];
    const pod = workshop.pod('typed', { restartPolicy: 'Never', containers });
    const run = await workshop.run(['apply', '--images=registry', '--runtime', 'namespace', pod]);
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('a terminal') });
  },
);

it(
  'a container whose user would wrap to root is not created, with runAsNonRoot or without',
  needs('namespaces', 'layers of images'),
  async () => {
    const image = `${world.host}/wrapping:1`;
    const why = 'failed to create containerd container: invalid USER value "4294967296": uid out of range';
    for (const runAsNonRoot of [true, false]) {
      const spec = { securityContext: { runAsNonRoot }, containers: [{ name: 'main', image }] };
      const pod = workshop.pod(`as-${runAsNonRoot}`, spec);
      const applied = workshop.start(['apply', '--images=registry', '--runtime=namespace', pod]);
      await applied.until(({ stdout }) => /CreateContainerError|exited/.test(stdout));
      expect(applied.stdout).toContain(why);
      applied.signal('SIGTERM');
      await applied.ended;
    }
  },
);

it('prune removes what a killed pull has left', needs('layers of images'), async () => {
  await runHere(workshop, ['pull', `${world.host}/app:1`]);
  const left = path.join(storeOf().root, 'ingest/fs-0.0-1-1-1');
  mkdirSync(left);
  expect((await runHere(workshop, ['image', 'prune'])).stdout).toBe('0 layers deleted\n');
  expect(readdirSync(path.dirname(left))).toEqual([]);
  expect(storeOf().list()).toHaveLength(1);
});

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const layer = archiveOf([{ name: 'hello', text: 'hello' }]);
const configWith = (run: object): Buffer =>
  Buffer.from(
    JSON.stringify({ os: 'linux', config: run, rootfs: { type: 'layers', diff_ids: [`sha256:${digest(layer)}`] } }),
  );
const config = configWith({});
const entry = (name: string, bytes: Buffer): { name: string; text: string } => ({ name, text: bytes.toString('utf8') });

const saved = (bytes: Buffer): string =>
  archiveOf([
    entry('1/layer.tar', layer),
    entry('config.json', bytes),
    entry(
      'manifest.json',
      Buffer.from(JSON.stringify([{ Config: 'config.json', RepoTags: ['app:dev'], Layers: ['1/layer.tar'] }])),
    ),
  ]).toString('utf8');

it.each([
  [{ User: 0 }, 'config.User'],
  [{ Env: 'A=1' }, 'config.Env'],
  [{ Entrypoint: ['sh', 1] }, 'config.Entrypoint'],
  [[], 'config'],
])('load refuses a configuration with a value of another type: %j', needs('layers of images'), async (run, field) => {
  expect(await runHere(workshop, ['image', 'load'], { input: saved(configWith(run)) })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`the configuration of the image is damaged: ${field} has a wrong type`),
  });
  expect(storeOf().list()).toEqual([]);
});

it('load takes archives of docker save', needs('layers of images'), async () => {
  const loaded = await runHere(workshop, ['image', 'load'], { input: saved(config) });
  expect(loaded).toMatchObject({ exitCode: 0, stdout: 'image "docker.io/library/app:dev" loaded\n' });
  expect(storeOf().find('docker.io/library/app:dev')?.config.rootfs.diff_ids).toEqual([`sha256:${digest(layer)}`]);
});

it('load takes OCI layouts, and refuses blobs with another digest', needs('layers of images'), async () => {
  const descriptor = (bytes: Buffer, kind: string): object => ({
    mediaType: `application/vnd.oci.image.${kind}`,
    digest: `sha256:${digest(bytes)}`,
    size: bytes.length,
  });
  const layers = [descriptor(layer, 'layer.v1.tar')];
  const manifest = Buffer.from(
    JSON.stringify({ schemaVersion: 2, config: descriptor(config, 'config.v1+json'), layers }),
  );
  const annotations = { 'org.opencontainers.image.ref.name': 'registry.example/app:1' };
  const index = { manifests: [{ ...descriptor(manifest, 'manifest.v1+json'), annotations }] };
  const archive = (bytes: Buffer): string =>
    archiveOf([
      entry(`blobs/sha256/${digest(layer)}`, layer),
      entry(`blobs/sha256/${digest(config)}`, bytes),
      entry(`blobs/sha256/${digest(manifest)}`, manifest),
      entry('index.json', Buffer.from(JSON.stringify(index))),
    ]).toString('utf8');
  expect(await runHere(workshop, ['image', 'load'], { input: archive(Buffer.from('{}')) })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/blobs\/sha256\/\w+ has another digest/),
  });
  expect(storeOf().list()).toEqual([]);
  expect(await runHere(workshop, ['image', 'load'], { input: archive(config) })).toMatchObject({
    exitCode: 0,
    stdout: 'image "registry.example/app:1" loaded\n',
  });
});

it.each(['', 'no archive at all', 'x'.repeat(2000)])('load refuses %j', needs('layers of images'), async (input) => {
  expect(await runHere(workshop, ['image', 'load'], { input })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^error: the archive cannot be loaded: /),
  });
});

it('says that there is no GNU tar', async () => {
  const { exitCode, stderr } = await workshop.run(['pull', `${world.host}/app:1`], { PATH: workshop.folder });
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^error: images need GNU tar: tar did not start/)]);
});

it(
  'a goal waits for a registry that had no time, and not for one that lacks the image',
  needs('namespaces', 'layers of images'),
  async () => {
    const spec = (name: string): PodSpec => ({
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: `${world.host}/${name}` }],
    });
    // Ten seconds before the second pull take half a second.
    const args = (name: string): string[] => ['apply', '--until=ready', '--speed=20', '--images=registry', name];
    const env = { PODRUN_RUNTIME: 'namespace' };
    await world.registry.change({ rules: [{ path: 'stays/manifests', times: 1, status: 503 }] });
    const later = await workshop.run(args(workshop.pod('later', spec('stays:latest'))), env);
    expect(later).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('503 Service Unavailable') as string });
    const never = await workshop.run(args(workshop.pod('never', spec('none:1'))), env);
    expect(never).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(': not found\n') as string });
    expect(never.stdout).not.toContain('ImagePullBackOff');
  },
);

it.for(CASES.filter(({ tier }) => tier === 'namespace'))(
  'two Pods of one image, which listens at port 80, run beside each other for $who',
  needs('layers of images'),
  async ({ who, tier }, context) => {
    need(context, { 'program busybox': existsSync('/bin/busybox') });
    const place = placeWithNetwork(context, { who, tier });
    place.workshop.file('podrun.yaml', `registries: { docker.io: { mirrors: ['${world.host}'] } }`);
    const server = { name: 'main', image: 'nginx:1.25', readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 } };
    const spec = { terminationGracePeriodSeconds: 0, containers: [server] };
    for (const name of ['a', 'b']) {
      const options = ['--images=registry', '--runtime', tier];
      const apply = ['apply', '-d', '--wait', ...options, place.workshop.pod(name, spec)];
      expect(await place.start(apply).ended).toMatchObject({ exitCode: 0 });
    }
    expect((await place.start(['events', 'b']).ended).stdout).toMatch(/ Pulled +Pod\/b +/);
    place.clusterHolder();
    expect(await place.start(['delete', 'pod', 'a', 'b']).ended).toMatchObject({ exitCode: 0 });
  },
);

it('a run that asks for images where containers are plain processes ends with the remedy', async () => {
  const pod = workshop.pod('web', { containers: [{ name: 'main', image: 'nginx:1.25', command: ['true'] }] });
  const run = await workshop.run(['apply', pod, '--images=registry', '--runtime=process']);
  expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("--image 'nginx:1.25=") as string });
  expect(run.stdout).toContain('ErrImagePull: image "nginx:1.25" has files of its own, which needs namespaces');
});
