import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Container, PodSpec, Volume } from '../../src/api/generated/types.ts';
import { APART, attemptIn, type Attempt, needCoverable, start, type World } from '../escape/worlds.ts';
import { type ImageWorld, openWorld } from '../images/registry.ts';
import { type Need, need } from '../needs.ts';
import { giveToOrdinaryUser } from '../ordinary-user.ts';
import type { Ended } from './workshop.ts';

let images: ImageWorld;
beforeAll(async () => {
  images = await openWorld({ images: { 'app:1': { layers: [{ 'etc/of/image': 'text' }] } } });
});
afterAll(() => images.close());

/** Runs podrun with an umask. */
function run(attempt: Attempt, umask: string, args: readonly string[]): Promise<Ended> {
  return start(attempt, args, withUmask(umask)).ended;
}

function withUmask(umask: string): string[] {
  return ['sh', '-c', 'umask "$0" && exec "$@"', umask];
}

const OBJECTS = [
  { kind: 'ConfigMap', metadata: { name: 'texts' }, data: { a: 'text' } },
  { kind: 'Secret', metadata: { name: 'secrets' }, stringData: { a: 'secret' } },
  {
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'claim' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
  },
].map((object) => ({ apiVersion: 'v1', ...object }));

const items = [{ key: 'a', path: 'x/y/a' }];
const VOLUMES: readonly Volume[] = [
  { name: 'empty', emptyDir: {} },
  { name: 'memory', emptyDir: { medium: 'Memory' } },
  { name: 'config', configMap: { name: 'texts', items: [...items, { key: 'a', path: 'b', mode: 0o444 }] } },
  { name: 'projected', projected: { sources: [{ secret: { name: 'secrets', items } }] } },
  { name: 'claim', persistentVolumeClaim: { claimName: 'claim' } },
];

function hostPaths(folder: string): Volume[] {
  return [
    { name: 'made', hostPath: { path: `${folder}/made/deep`, type: 'DirectoryOrCreate' } },
    { name: 'file', hostPath: { path: `${folder}/made-file`, type: 'FileOrCreate' } },
  ];
}

/** Places of volumes in a container with namespaces: none is there, and some are in others. */
const PLACES = {
  empty: '/shown/empty',
  projected: '/shown/empty/inside',
  memory: '/shown/memory',
  config: '/shown/config',
  claim: '/shown/claim',
  made: '/shown/made',
  file: '/shown/deep/er/file',
};
const SEEN = ['/dev', '/shown', '/working', '/etc/of-pod', '/etc/hosts', '/.podrun'];

/** Prints the modes of a folder and of all in it, but for terminals, which come and go. One stat for each is slow. */
const SHOW = `
show() {
  stat -L -c '%a %n' "$@"
  for folder in "$@"; do
    case $folder in */pts) continue ;; esac
    if [ ! -d "$folder" ] || [ -L "$folder" ]; then continue; fi
    set --
    for file in "$folder"/* ; do [ ! -e "$file" ] || set -- "$@" "$file"; done
    [ $# = 0 ] || (show "$@")
  done
}
umask; pwd
: >"$EMPTY/new"; mkdir "$EMPTY/new.d"
echo reopened >/dev/stdout
for place in "$@"; do [ ! -e "$place" ] || (cd "\${place%/*}/" && show "./\${place##*/}"); done
echo bye >"$DONE"`;
/** Without namespaces, volumes are in places that variables name. */
const FROM_VARIABLES = `
EMPTY=$PODRUN_VOLUME_EMPTY; DONE=$PODRUN_TERMINATION_LOG
set -- ${Object.keys(PLACES)
  .map((name) => `"$PODRUN_VOLUME_${name.toUpperCase()}"`)
  .join(' ')}`;

function podIn({ world, workshop }: Attempt, more: Partial<Container>, spec: Partial<PodSpec>): PodSpec {
  const isApart = world.tier === 'namespace';
  const folder = isApart ? '' : workshop.folder;
  const subPaths = [
    { name: 'empty', mountPath: '/shown/sub', subPath: 'made/by/subpath' },
    { name: 'config', mountPath: '/etc/of-pod/b', subPath: 'b' },
  ];
  const main: Container = {
    name: 'main',
    image: 'busybox',
    command: ['sh', '-c', `${isApart ? '' : FROM_VARIABLES}${SHOW}`, 'sh', ...SEEN],
    workingDir: `${folder}/working/deep/folder`,
    env: [
      { name: 'EMPTY', value: PLACES.empty },
      { name: 'DONE', value: '/dev/termination-log' },
    ],
    volumeMounts: [...Object.entries(PLACES).map(([name, mountPath]) => ({ name, mountPath })), ...subPaths],
    ...more,
  };
  return { restartPolicy: 'Never', volumes: [...VOLUMES, ...hostPaths(workshop.folder)], containers: [main], ...spec };
}

function objectsIn({ workshop }: Attempt, more: readonly object[] = []): string {
  return workshop.file('objects.yaml', [...OBJECTS, ...more].map((each) => stringify(each)).join('---\n'));
}

interface Case extends World {
  readonly from: 'the host' | 'an image' | 'files of an image' | 'crun' | 'runc';
}

const CASES: readonly Case[] = [
  { who: 'root', tier: 'process', from: 'the host' },
  { who: 'root', tier: 'namespace', from: 'the host' },
  { who: 'root', tier: 'namespace', from: 'an image' },
  { who: 'root', tier: 'namespace', from: 'files of an image' },
  { who: 'root', tier: 'namespace', from: 'crun' },
  { who: 'root', tier: 'namespace', from: 'runc' },
  { who: 'user', tier: 'process', from: 'the host' },
  { who: 'user', tier: 'namespace', from: 'the host' },
  { who: 'user', tier: 'namespace', from: 'an image' },
];

const NEEDS_OF: Readonly<Record<Case['from'], readonly Need[]>> = {
  'the host': [],
  'an image': ['layers of images'],
  'files of an image': [],
  crun: ['program crun'],
  runc: ['program runc'],
};

/** Runs the Pod with an umask. Answers what its container has found. */
async function found(attempt: Attempt, umask: string, { who, tier, from }: Case): Promise<string[]> {
  const { workshop } = attempt;
  const isOther = who === 'root' && tier === 'namespace';
  const spec = isOther ? { securityContext: { runAsUser: 12_345, runAsGroup: 12_345 } } : {};
  const handler = from === 'crun' || from === 'runc' ? from : undefined;
  const runtimeClass = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'class' }, handler };
  const image = from === 'an image' ? { image: `${images.host}/app:1` } : {};
  const pod = workshop.pod('web', podIn(attempt, image, { ...spec, ...(handler && { runtimeClassName: 'class' }) }));
  if (from === 'files of an image') {
    mkdirSync(path.join(workshop.folder, 'files/etc/of/image'), { recursive: true });
    workshop.file('podrun.yaml', 'images: { busybox: { folder: ./files } }\n');
  }
  const objects = objectsIn(attempt, handler === undefined ? [] : [runtimeClass]);
  const flags = from === 'an image' ? ['--images=registry'] : [];
  const { exitCode, stdout, stderr } = await run(attempt, umask, ['apply', '-f', objects, '-f', pod, ...flags]);
  expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(': bye') });
  return [...stdout.matchAll(/│ main +(.*?) *$/gm)].map(([, line = '']) => line.replaceAll(workshop.folder, ''));
}

it.for(CASES)(
  'a container finds the same modes whatever the umask of podrun is: $who, $tier, $from',
  async (each, context) => {
    need(context, ...NEEDS_OF[each.from]);
    const seen: string[][] = [];
    // The umask that takes everything from other users, and the one that takes nothing: all others are between them.
    for (const umask of ['077', '000']) {
      const attempt = attemptIn(context, each);
      if (each.from === 'files of an image') needCoverable(context, each, attempt.workshop.folder);
      seen.push(await found(attempt, umask, each));
    }
    const [closed, open] = seen;
    expect(closed).toContain('0022');
    expect(closed).toContain('reopened');
    expect(closed?.filter((line) => /^(644|755) .*\/(new|new\.d)$/.test(line))).toHaveLength(2);
    expect(open).toEqual(closed);
  },
);

const STAYS: Pick<Container, 'command' | 'workingDir' | 'readinessProbe'> = {
  command: ['sh', '-c', 'trap exit TERM; while :; do sleep 0.1; done'],
  readinessProbe: { exec: { command: ['sh', '-c', 'test "$(umask)" = 0022'] }, periodSeconds: 1 },
};

it.for(APART)('cp and exec reach the container of another user: $who, $tier', async (world, context) => {
  const attempt = attemptIn(context, world);
  const { workshop } = attempt;
  const other = world.who === 'root' ? { securityContext: { runAsUser: 12_345, runAsGroup: 12_345 } } : {};
  const pod = workshop.pod('web', podIn(attempt, STAYS, { terminationGracePeriodSeconds: 1, ...other }));
  const applied = await run(attempt, '077', ['apply', '-d', '--wait', '-f', objectsIn(attempt), '-f', pod]);
  expect(applied).toMatchObject({ exitCode: 0 });
  const sent = workshop.file('sent', 'text');
  chmodSync(sent, 0o640);
  if (world.who === 'user') giveToOrdinaryUser(sent);
  expect(await run(attempt, '077', ['cp', sent, `web:${PLACES.empty}/`])).toMatchObject({ exitCode: 0 });
  const script = 'umask; stat -c %a "$0/sent"; cat "$0/sent"; pwd';
  const exec = await run(attempt, '077', ['exec', 'web', '--', 'sh', '-c', script, PLACES.empty]);
  expect(exec).toEqual({ exitCode: 0, stdout: '0022\n640\ntext/working/deep/folder\n', stderr: '' });
  const file = path.join(workshop.folder, 'fetched');
  expect(await run(attempt, '077', ['cp', `web:${PLACES.empty}/sent`, file])).toMatchObject({ exitCode: 0 });
  expect(readFileSync(file, 'utf8')).toBe('text');
  expect(await run(attempt, '077', ['delete', 'pod/web'])).toMatchObject({ exitCode: 0 });
});

/** The files and folders below a folder that other users can reach, with rights to read or to write them. */
function openToOthers(folder: string): string[] {
  const { mode } = lstatSync(folder);
  if ((mode & 0o011) === 0) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isSymbolicLink()) return [];
    const file = path.join(folder, entry.name);
    const own = (lstatSync(file).mode & 0o066) === 0 ? [] : [file];
    return entry.isDirectory() ? [...own, ...openToOthers(file)] : own;
  });
}

/** Makes a home, a temporary folder and a state folder that others may enter: nothing around hides what is in them. */
function openPlaces({ workshop }: Attempt): string[] {
  const places = ['home', 'temporary', 'state'].map((name) => path.join(workshop.folder, name));
  for (const place of places) {
    mkdirSync(place);
    // The state folder that is for others as well is left as it is.
    writeFileSync(path.join(place, 'of-others'), '');
    chmodSync(place, 0o1777);
  }
  return places;
}

it.for(CASES.filter(({ from }) => from === 'the host'))(
  'nothing that podrun keeps is open to other users, whatever the umask is: $who, $tier',
  async (world, context) => {
    const attempt = attemptIn(context, world);
    const { workshop } = attempt;
    const [home, temporary, state] = openPlaces(attempt);
    const before = openToOthers(workshop.folder);
    const own = { HOME: home, TMPDIR: temporary, XDG_RUNTIME_DIR: home };
    const places = ['env', ...Object.entries(own).map(([name, value]) => `${name}=${value}`), ...withUmask('000')];
    const spec = {
      ...podIn(attempt, { ...STAYS, volumeMounts: undefined, workingDir: '/' }, {}),
      volumes: [...VOLUMES],
    };
    const pod = workshop.pod('web', { ...spec, terminationGracePeriodSeconds: 1 });
    const objects = objectsIn(attempt);
    const applied = start(attempt, ['apply', '-d', '--wait', '-f', objects, '-f', pod], places);
    expect(await applied.ended).toMatchObject({ exitCode: 0 });
    const log = path.join(workshop.folder, 'audit.jsonl');
    const server = start(attempt, ['serve', '--audit-log', log, '--runtime', 'process'], places);
    await server.until(({ stdout }) => stdout.includes('KUBECONFIG'));
    expect(readdirSync(`${state}/pods/default`)).toEqual(['web']);
    expect(openToOthers(workshop.folder).filter((file) => file !== objects && file !== pod)).toEqual(before);
    server.signal('SIGTERM');
    await server.ended;
    expect(await start(attempt, ['delete', 'pod/web'], places).ended).toMatchObject({ exitCode: 0 });
  },
);

it('what podrun writes and runs for its user has the umask of the user', async (context) => {
  const attempt = attemptIn(context, { who: 'user', tier: 'process' });
  const { workshop } = attempt;
  const modes = (...names: string[]): string[] =>
    names.map((name) => (lstatSync(path.join(workshop.folder, name)).mode & 0o777).toString(8));
  expect(await run(attempt, '027', ['init', 'app', '--task', '-o', 'app.yaml'])).toMatchObject({ exitCode: 0 });
  const words = ['apply', '-f', 'app.yaml', '--report', 'reports/app', '--', 'sh', '-c', 'umask >own'];
  expect(await run(attempt, '027', words)).toMatchObject({ exitCode: 0 });
  expect(readFileSync(path.join(workshop.folder, 'own'), 'utf8')).toBe('0027\n');
  expect(modes('app.yaml', 'reports', 'reports/app', 'reports/app/junit.xml')).toEqual(['640', '750', '750', '640']);
});
