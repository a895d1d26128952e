import type { ClaimedData } from '../../../src/apiserver/volumes/claim-volume.ts';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PodVolumes } from '../../../src/kubelet/volumes/pod-volumes.ts';
import type { ConfigMap, Volume, VolumeMount } from '../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import type { FileStore } from '../../../src/store/file-store.ts';
import type { Storable } from '../../../src/store/base/store.ts';
import { node, podWith } from '../../lifecycle/base-objects.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { openStore } from '../../store/temporary-store.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { needs } from '../../needs.ts';

interface Bench {
  readonly folder: string;
  readonly store: FileStore;
  readonly clock: ManualClock;
  readonly pod: StoredPod;
  readonly volumes: PodVolumes;
  /** The time and the message of every event. */
  readonly events: Array<readonly [atMs: number, message: string]>;
  readonly goDown: () => void;
  /** Resolves when the volumes are set up. */
  readonly ready: Promise<void>;
}

/** Sets up the volumes of a Pod, with a real store and a manual clock. */
function begin(volumes: Volume[], prepare: (store: FileStore) => void = () => undefined): Bench {
  const folder = temporaryFolder();
  const clock = new ManualClock();
  const store = openStore(path.join(folder, 'state'), clock);
  prepare(store);
  const pod = podWith({ volumes }, { labels: { app: 'one' } });
  const home = path.join(folder, 'pod');
  mkdirSync(home);
  const claim = (name: string): ClaimedData | undefined =>
    name === 'known' ? { folder: path.join(folder, 'claims/known') } : undefined;
  const image = (reference: string): string | undefined =>
    reference === 'acme/models' ? path.join(folder, 'models') : undefined;
  const sources = { volumes: path.join(home, 'volumes'), memory: store.memory, claim, image };
  const made = new PodVolumes({ pod, store, clock, node, sources });
  onTestFinished(() => made.close());
  const events: Bench['events'] = [];
  const controller = new AbortController();
  const ready = made.setUp({
    signal: controller.signal,
    event: ({ type, reason, message }) => {
      // The store of the test has no memory for volumes.
      if (reason === 'VolumeOnDisk') return;
      expect(type).toBe('Warning');
      expect(['FailedMount', 'HostPathMade']).toContain(reason);
      events.push([clock.now().monotonicMs, message]);
    },
  });
  return { folder, store, clock, pod, volumes: made, events, ready, goDown: () => controller.abort() };
}

const configMap = (data: Record<string, string>, rest: Pick<ConfigMap, 'immutable'> = {}): ConfigMap & Storable => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'cm', namespace: 'shop' },
  data,
  ...rest,
});

function put(store: FileStore, object: ConfigMap & Storable): void {
  const before = store.get('configmaps', 'shop', 'cm');
  if (before === undefined) store.create('configmaps', object);
  else store.update('configmaps', { ...object, metadata: before.metadata });
}

/** The folder of the volume `v`, or the reason why a container cannot have it. */
function mounted({ volumes }: Bench, mount: Partial<VolumeMount> = {}, env: Record<string, string> = {}): string {
  const container = { name: 'main', volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }] };
  const outcome = volumes.mount(container, new Map(Object.entries(env)));
  return outcome.ok ? (outcome.mounts[0]?.source ?? '') : outcome.message;
}

const readIn = (bench: Bench, file: string): string => readFileSync(path.join(mounted(bench), file), 'utf8');

const CM: Volume = { name: 'v', configMap: { name: 'cm' } };

it('a container cannot have a volume at a path that no system call takes', async () => {
  const bench = begin([{ name: 'v', emptyDir: {} }]);
  await bench.ready;
  expect(mounted(bench, { mountPath: '/a\0b' })).toBe('volumeMounts: mountPath "/a\\x00b": invalid argument');
});

describe('volumes', () => {
  it('are waited for, longer and longer, and reported each time', async () => {
    const bench = begin([CM, { name: 'other' }]);
    await bench.clock.run(40_000);
    expect(bench.events.map(([atMs]) => atMs)).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500]);
    const message = 'MountVolume.SetUp failed for volume "v" : configmap "cm" not found';
    expect(new Set(bench.events.map(([, text]) => text))).toEqual(new Set([message]));
    expect(mounted(bench)).toBe('cannot find volume "v" to mount into container "main"');
    put(bench.store, configMap({ a: '1' }));
    await bench.clock.run(24_000);
    await bench.ready;
    expect(readIn(bench, 'a')).toBe('1');
    expect(bench.clock.nextAlarmMs).toBeGreaterThan(64_000);
  });

  it('are tried again every two minutes in the end', async () => {
    const bench = begin([CM]);
    await bench.clock.run(600_000);
    const times = bench.events.map(([atMs]) => atMs);
    expect(
      times
        .slice(-3)
        .map((atMs, at, all) => atMs - (all[at - 1] ?? 0))
        .slice(1),
    ).toEqual([122_000, 122_000]);
  });

  it('are not waited for by a Pod that goes down', async () => {
    const bench = begin([CM]);
    await bench.clock.run(600);
    bench.goDown();
    await bench.ready;
    bench.volumes.close();
    await bench.clock.run(60_000);
    expect(bench.events).toHaveLength(2);
    expect(bench.clock.alarmCount).toBe(0);
  });

  it('do not bring the folder of a removed Pod back', async () => {
    const bench = begin([
      { name: 'v', configMap: { name: 'cm' } },
      { name: 'late', hostPath: { path: '/' } },
    ]);
    const home = path.join(bench.folder, 'pod');
    rmSync(home, { recursive: true });
    put(bench.store, configMap({ a: '1' }));
    await bench.clock.run(600);
    expect(existsSync(home)).toBe(false);
    expect(bench.events.at(-1)?.[1]).toMatch(/: mkdir .*\/volumes: no such file or directory$/);
  });
});

describe('an emptyDir volume', () => {
  it('is an empty folder for everybody, and keeps what it holds', async () => {
    const bench = begin([{ name: 'v', emptyDir: {} }]);
    await bench.ready;
    expect(statSync(mounted(bench)).mode & 0o7777).toBe(0o777);
    writeFileSync(path.join(mounted(bench), 'kept'), "KEY='value'\n");
    await bench.volumes.setUp({ signal: new AbortController().signal, event: () => undefined });
    expect(readIn(bench, 'kept')).toBe("KEY='value'\n");
    expect(bench.volumes.readFile('v', 'kept')).toBe("KEY='value'\n");
    expect(bench.volumes.readFile('v', '../../state')).toBeUndefined();
  });
});

it.each(['memory', 'Disk', 'hugepages'])('an emptyDir of the medium %s is not mounted', (medium) => {
  const bench = begin([{ name: 'v', emptyDir: { medium } }]);
  const why = `MountVolume.SetUp failed for volume "v" : unknown storage medium "${medium}"`;
  expect(bench.events[0]?.[1]).toBe(why);
});

describe('a volume of the host', () => {
  const CHECK = 'MountVolume.SetUp failed for volume "v" : hostPath type check failed:';

  it.each<{ type: string; at: string; want: string }>([
    { type: '', at: 'file', want: '^file' },
    { type: 'Directory', at: 'dir', want: '^dir' },
    { type: 'File', at: 'file', want: '^file' },
    { type: 'Socket', at: 'socket', want: '^socket' },
    { type: 'CharDevice', at: '/dev/null', want: '^[./]*/dev/null' },
    { type: 'DirectoryOrCreate', at: 'new/deeper', want: '^new/deeper' },
    { type: 'FileOrCreate', at: 'new', want: '^new' },
    { type: 'Directory', at: 'none', want: `${CHECK} none is not a directory` },
    { type: 'DirectoryOrCreate', at: 'file', want: `${CHECK} file is not a directory` },
    { type: 'File', at: 'dir', want: `${CHECK} dir is not a file` },
    { type: 'BlockDevice', at: '/dev/null', want: `${CHECK} /dev/null is not a block device` },
    { type: 'FileOrCreate', at: 'none/new', want: 'no such file or directory' },
  ])('$type at $at is $want', async ({ type, at, want }) => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'dir'));
    writeFileSync(path.join(folder, 'file'), '');
    const server = createServer().listen(path.join(folder, 'socket'));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const place = path.isAbsolute(at) ? at : path.join(folder, at);
    const hostPath = { path: place, type: type as 'File' };
    const bench = begin([{ name: 'v', hostPath }]);
    const failure = bench.events[0]?.[1].replace(`${folder}/`, '');
    expect(failure ?? path.relative(folder, mounted(bench))).toMatch(new RegExp(`${want}$`));
    expect(existsSync(place)).toBe(!at.startsWith('none'));
  });

  it('is made, with an event, when it is missing and has no type', async () => {
    const folder = path.join(temporaryFolder(), 'a/b');
    const bench = begin([{ name: 'v', hostPath: { path: folder } }]);
    await bench.ready;
    expect(statSync(folder).mode & 0o7777).toBe(0o755);
    const want = `volume "v": the folder ${folder} was missing and has been made, as on a node`;
    expect(bench.events.map(([, message]) => message)).toEqual([want]);
  });

  it('fails where no folder can be made, instead of trying for ever', needs('Linux'), () => {
    const bench = begin([{ name: 'v', hostPath: { path: '/proc/podrun/new', type: 'DirectoryOrCreate' } }]);
    expect(bench.events[0]?.[1]).toMatch(/: mkdir \/proc\/podrun: no such file or directory$/);
  });

  it('is in its place already when it is mounted where it is', async () => {
    const folder = temporaryFolder();
    const bench = begin([{ name: 'v', hostPath: { path: folder } }]);
    await bench.ready;
    const volumeMounts = [
      { name: 'v', mountPath: folder },
      { name: 'v', mountPath: '/elsewhere' },
    ];
    const outcome = bench.volumes.mount({ name: 'main', volumeMounts }, new Map());
    expect(outcome.ok && outcome.mounts.map(({ isAtMountPath }) => isAtMountPath)).toEqual([true, false]);
  });

  it('may be an image, which a subPath adds nothing to', async () => {
    const bench = begin([{ name: 'v', image: { reference: 'acme/models' } }]);
    mkdirSync(path.join(bench.folder, 'models/small'), { recursive: true });
    await bench.ready;
    expect(mounted(bench)).toBe(path.join(bench.folder, 'models'));
    expect(mounted(bench, { subPath: 'small' })).toBe(path.join(bench.folder, 'models/small'));
    expect(mounted(bench, { subPath: 'large' })).toMatch(/^failed to create subPath directory for volumeMount "v"/);
    expect(existsSync(path.join(bench.folder, 'models/large'))).toBe(false);
  });

  it('may be a claim, whose folder outlives the Pod', async () => {
    const claim = (claimName: string): Volume => ({ name: 'v', persistentVolumeClaim: { claimName } });
    const known = begin([claim('known')]);
    await known.ready;
    expect(mounted(known)).toBe(path.join(known.folder, 'claims/known'));
    const unknown = begin([claim('unknown')]);
    expect(unknown.events[0]?.[1]).toMatch(/ : persistentvolumeclaim "unknown" not found$/);
  });
});

describe('a volume that shows objects', () => {
  it('follows its ConfigMap, also to where it is missing, and keeps the files then', async () => {
    const bench = begin([CM], (store) => put(store, configMap({ a: '1' })));
    await bench.ready;
    put(bench.store, configMap({ a: '2' }));
    expect(readIn(bench, 'a')).toBe('2');
    bench.store.delete('configmaps', 'shop', 'cm');
    expect(bench.events.map(([, text]) => text)).toEqual([
      'MountVolume.SetUp failed for volume "v" : configmap "cm" not found',
    ]);
    expect(readIn(bench, 'a')).toBe('2');
    put(bench.store, configMap({ a: '3' }));
    expect(readIn(bench, 'a')).toBe('3');
  });

  it('follows every source of a projected volume, and the labels of the Pod', async () => {
    const downwardAPI = { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] };
    const sources = [
      { configMap: { name: 'cm', optional: true } },
      { secret: { name: 's', optional: true } },
      { downwardAPI },
    ];
    const bench = begin([{ name: 'v', projected: { sources } }]);
    await bench.ready;
    expect(readIn(bench, 'labels')).toBe('app="one"');
    put(bench.store, configMap({ a: '1' }));
    bench.store.create('secrets', { metadata: { name: 's', namespace: 'shop' }, data: { b: 'Mg==' } });
    bench.volumes.podChanged({ ...bench.pod, metadata: { ...bench.pod.metadata, labels: { app: 'two' } } });
    expect(['a', 'b', 'labels'].map((file) => readIn(bench, file))).toEqual(['1', '2', 'app="two"']);
  });

  it('does not follow what cannot change, nor anything when the Pod has ended', async () => {
    const fixed = begin([CM], (store) => put(store, configMap({ a: '1' }, { immutable: true })));
    await fixed.ready;
    put(fixed.store, configMap({ a: '2' }));
    expect(readIn(fixed, 'a')).toBe('1');

    const ended = begin([CM], (store) => put(store, configMap({ a: '1' })));
    await ended.ready;
    const place = mounted(ended);
    ended.volumes.close();
    put(ended.store, configMap({ a: '2' }));
    expect(readFileSync(path.join(place, 'a'), 'utf8')).toBe('1');
  });
});

describe('a mount of a part of a volume', () => {
  it.each<{ mount: Partial<VolumeMount>; env?: Record<string, string>; want: string }>([
    { mount: { subPath: 'a' }, want: 'a' },
    { mount: { subPathExpr: 'logs/$(NAME)' }, env: { NAME: 'web' }, want: 'logs/web' },
    { mount: { subPathExpr: '$(A)' }, want: 'missing value for A' },
    { mount: { subPath: '../x' }, want: "unable to provision SubPath `../x`: must not contain '..'" },
    { mount: { subPath: 'file/x' }, want: 'failed to prepare subPath for volumeMount "v" of container "main"' },
    {
      mount: { subPath: 'root/missing' },
      want: 'failed to create subPath directory for volumeMount "v" of container "main"',
    },
    { mount: { subPath: 'root/tmp' }, want: 'failed to prepare subPath for volumeMount "v" of container "main"' },
    { mount: { name: 'w' }, want: 'cannot find volume "w" to mount into container "main"' },
  ])('$mount', async ({ mount, env, want }) => {
    const bench = begin([{ name: 'v', emptyDir: {} }]);
    await bench.ready;
    const place = mounted(bench);
    writeFileSync(path.join(place, 'file'), '');
    symlinkSync('/', path.join(place, 'root'));
    expect(mounted(bench, mount, env).replace(`${place}/`, '')).toBe(want);
  });
});
