import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { quietly } from '../../src/quietly.ts';
import { filesBelow } from '../live-files.ts';
import { memoryPlace } from '../store/memory-place.ts';
import { needTier, TIERS } from './tiers.ts';
import { type Podrun, workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';
import { isRoot } from '../ordinary-user.ts';

const workshop = workshopForEach();

const VALUES = ['correct-horse-battery-staple', 'tr0ub4dor-and-3'];
/** The values in plain text and in base64. */
const TRACES = [...VALUES, ...VALUES.map((value) => Buffer.from(value).toString('base64'))];

const SECRET = `
apiVersion: v1
kind: Secret
metadata: { name: creds }
stringData: { db.password: ${VALUES[0]}, token: ${VALUES[1]} }
---
`;

const SCRIPT = `
  echo bytes=\`cat "\${PODRUN_VOLUME_CREDS:-/mnt/creds}/token" "\${PODRUN_VOLUME_ALL:-/mnt/all}/db.password" | wc -c\`
  echo variables=\`tr '\\0' '\\n' </proc/$$$$/environ | grep -c -e '^db.password=' -e '^TOKEN='\`
  echo kept >"\${PODRUN_VOLUME_RAM:-/mnt/ram}/file"
  echo ready
  exec sleep 1000
`;

/** A spec that uses the Secret in every possible way. The container prints the sizes and not the values. */
const SPEC: PodSpec = {
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 1,
  volumes: [
    { name: 'creds', secret: { secretName: 'creds' } },
    { name: 'all', projected: { sources: [{ secret: { name: 'creds' } }, { serviceAccountToken: { path: 'sa' } }] } },
    { name: 'ram', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
  ],
  containers: [
    {
      name: 'main',
      command: ['sh', '-c', SCRIPT],
      env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'creds', key: 'token' } } }],
      envFrom: [{ secretRef: { name: 'creds' } }],
      volumeMounts: ['creds', 'all', 'ram'].map((name) => ({ name, mountPath: `/mnt/${name}` })),
      readinessProbe: { exec: { command: ['sh', '-c', 'test -n "$TOKEN"'] }, periodSeconds: 1 },
      lifecycle: { postStart: { exec: { command: ['sh', '-c', 'test -n "$TOKEN" && echo hook'] } } },
    },
  ],
};

async function start(place: string, tier: string): Promise<Podrun> {
  const manifest = SECRET + readFileSync(workshop.pod('web', SPEC), 'utf8');
  const podrun = workshop.start(['apply', '-f', '-'], { XDG_RUNTIME_DIR: place, PODRUN_RUNTIME: tier }, manifest);
  await podrun.until(({ stdout }) => /│ .* ready$/m.test(stdout) && /✓ .*Ready after/.test(stdout));
  return podrun;
}

const bears = (text: string): boolean => TRACES.some((trace) => text.includes(trace));
const modeOf = (file: string): number => statSync(file).mode & 0o7777;

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '');
}

describe.each(TIERS)('secrets in the tier %s', needs('/dev/shm in memory'), (tier) => {
  beforeEach((test) => needTier(test, tier));

  it('reach the program and no other user', async () => {
    const place = memoryPlace();
    const podrun = await start(place, tier);
    expect(podrun.stdout).toContain(`bytes=${VALUES.join('').length}\n`);
    expect(podrun.stdout).toContain('variables=2\n');

    const inState = filesBelow(workshop.stateDir).filter(({ text }) => bears(text));
    expect(inState.map(({ file }) => path.relative(workshop.stateDir, file)).toSorted()).toEqual([
      '.last-applied/secrets/default/creds',
      'secrets/default/creds',
    ]);
    expect([modeOf(workshop.stateDir), ...inState.map(({ mode }) => mode)]).toEqual([0o700, 0o600, 0o600]);
    expect(commandLines().filter(bears)).toEqual([]);

    const inMemory = filesBelow(place).filter(({ text }) => bears(text));
    expect(inMemory.map(({ file }) => path.basename(file)).toSorted()).toEqual([
      'db.password',
      'db.password',
      'token',
      'token',
    ]);
    // The manifest decides the mode of the files. The mode of the folder above keeps other users out.
    expect(inMemory.map(({ mode }) => mode)).toEqual([0o644, 0o644, 0o644, 0o644]);
    expect(readdirSync(place).map((name) => modeOf(path.join(place, name)))).toEqual([0o700]);

    const commands = [['describe', 'pod', 'web'], ['get', 'pod', 'web', '-o', 'yaml'], ['events'], ['logs', 'web']];
    const said = await Promise.all(commands.map((command) => workshop.run(command)));
    podrun.signal('SIGINT');
    const ended = await podrun.ended;
    expect([ended, ...said].flatMap(({ stdout, stderr }) => [stdout, stderr]).filter(bears)).toEqual([]);
  });

  it('cannot be read by other users (needs root)', needs('root', 'program setpriv'), async () => {
    const place = memoryPlace();
    // The folders above are open: only podrun's own folders protect the files.
    for (const folder of [place, workshop.folder]) chmodSync(folder, 0o755);
    const podrun = await start(place, tier);
    for (const folder of [place, workshop.stateDir]) {
      const found = spawnSync('setpriv', ['--reuid=54321', '--clear-groups', 'grep', '-r', '', folder]);
      expect(found.stdout.toString()).toBe('');
      expect(found.stderr.toString()).toContain('Permission denied');
    }
    podrun.signal('SIGINT');
    await podrun.ended;
  });

  it('are removed with the other memory volumes when the Pod has ended', async () => {
    const place = memoryPlace();
    const podrun = await start(place, tier);
    expect(filesBelow(place).map(({ file }) => path.basename(file))).toContain('file');
    podrun.signal('SIGINT');
    await podrun.ended;
    expect(readdirSync(place)).toEqual([]);
    expect(readdirSync(path.join(workshop.stateDir, 'pods/default/web/volumes'))).toEqual([]);
  });

  it.each([
    ['podrun gc', ['gc']],
    ['podrun delete', ['delete', 'pod', 'web']],
    ['the next run', ['apply', '-f', 'other.yaml']],
  ])('are removed after podrun was killed, with %s', async (_, command) => {
    const place = memoryPlace();
    const podrun = await start(place, tier);
    podrun.signal('SIGKILL');
    await podrun.ended;
    expect(filesBelow(place)).not.toEqual([]);
    workshop.pod('other', { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] });
    const { exitCode } = await workshop.run(command, { XDG_RUNTIME_DIR: place, PODRUN_RUNTIME: tier });
    expect([exitCode, readdirSync(place)]).toEqual([0, []]);
  });

  it('share memory with volumes; an event reports a volume that is on disk for lack of memory', async () => {
    const place = memoryPlace();
    const uid = process.getuid?.() ?? 0;
    const full = { ...SPEC, volumes: SPEC.volumes?.map((volume) => enlarged(volume)) };
    const manifest = SECRET + readFileSync(workshop.pod('web', full), 'utf8');
    const podrun = workshop.start(['apply', '-f', '-'], { XDG_RUNTIME_DIR: place, PODRUN_RUNTIME: tier }, manifest);
    await podrun.until(({ stdout }) => /│ .* ready$/m.test(stdout));
    expect(readdirSync(path.join(place, `podrun-${uid}`))).toHaveLength(1);
    // Root with namespaces mounts a file system for it, which needs no room there.
    const hasItsOwn = tier === 'namespace' && isRoot;
    expect(lstatSync(path.join(workshop.stateDir, 'pods/default/web/volumes/ram')).isDirectory()).toBe(!hasItsOwn);
    const { stdout } = await workshop.run(['events']);
    expect(stdout.includes('volume "ram" belongs in memory, but no tmpfs here has room for it')).toBe(!hasItsOwn);
    podrun.signal('SIGINT');
    await podrun.ended;
  });
});

/** A volume that needs more memory than any machine has. */
function enlarged(volume: NonNullable<PodSpec['volumes']>[number]): NonNullable<PodSpec['volumes']>[number] {
  return volume.emptyDir === undefined ? volume : { ...volume, emptyDir: { medium: 'Memory', sizeLimit: '4Pi' } };
}
