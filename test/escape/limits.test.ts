import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import { cgroupMachine } from '../../src/runtime/linux/cgroup/cgroup-machine.ts';
import { need } from '../needs.ts';
import { type Attempt, attemptIn, escaping, ROOT_APART, start } from './worlds.ts';

const { locations } = cgroupMachine();

function needVersion(context: TestContext, version: 1 | 2): void {
  need(context, { [`cgroup v${version} with the memory controller`]: locations.get('memory')?.version === version });
}

/** Mounts the cgroups that a container can see in namespaces of its own, and lifts every limit in them. */
const LIFT: Readonly<Record<1 | 2, string>> = {
  1: `for name in memory cpu pids; do
  mkdir -p /tmp/$name && mount -t cgroup -o $name x /tmp/$name || continue
  cd /tmp/$name
  for limit in memory.memsw.limit_in_bytes memory.limit_in_bytes cpu.cfs_quota_us; do
    for file in $(find . -name $limit); do echo -1 >$file && echo lifted $file; done
  done
  for file in $(find . -name pids.max); do echo max >$file && echo lifted $file; done
done`,
  2: `mount -t cgroup2 x /mnt && cd /mnt
for limit in memory.max pids.max cpu.max; do
  for file in $(find . -name $limit); do echo max >$file && echo lifted $file; done
done`,
};

const lifting = (version: 1 | 2): string =>
  `unshare --user --map-root-user --mount --cgroup sh -c 'mount -t tmpfs x /tmp; ${LIFT[version]}' 2>&1`;

/** Version 2 may refuse it. */
const ATTEMPTED: Readonly<Record<1 | 2, RegExp>> = { 1: /│ main +lifted \.\/memory\.limit_in_bytes/m, 2: /main/ };

const EAT = 'const all = []; for (let i = 0; i < 300; i++) all.push(Buffer.alloc(1 << 20, 1)); console.log("ate")';
const EATER = `exec ${process.execPath} -e '${EAT}'`;

/** The limits of the groups that podrun has recorded for the Pod, as the host sees them. */
function limitsOnHost({ workshop }: Attempt): string[] {
  const text = readFileSync(path.join(workshop.stateDir, 'pods/default/web/processes.ndjson'), 'utf8');
  const groups = text
    .split('\n')
    .flatMap((line) => (line === '' ? [] : ((JSON.parse(line) as { cgroups?: string[] }).cgroups ?? [])));
  const files = ['memory.limit_in_bytes', 'cpu.cfs_quota_us', 'memory.max', 'cpu.max'];
  return groups.flatMap((group) =>
    files
      .map((file) => path.join(group, file))
      .flatMap((file) => (existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [])),
  );
}

it.for([1, 2] as const)(
  'a container keeps its memory limit whatever it mounts, with cgroup v%i',
  async (version, context) => {
    const attempt = attemptIn(context, ROOT_APART);
    needVersion(context, version);
    const spec = escaping(`${lifting(version)}; ${EATER}`, { resources: { limits: { memory: '100Mi' } } });
    // With a container that has no limit, the Pod as a whole has none.
    const other = { name: 'other', image: 'escape', command: ['true'] };
    const pod = attempt.workshop.pod('web', { ...spec, containers: [...spec.containers, other] });
    const { stdout } = await start(attempt, ['apply', pod]).ended;
    // The attempt has got as far as it can.
    expect(stdout).toMatch(ATTEMPTED[version]);
    expect(stdout).not.toMatch(/│ main +ate/);
    expect(stdout).toMatch(/OOMKilled/);
  },
);

it.for([1, 2] as const)(
  'no container lifts a limit of another one in its Pod, with cgroup v%i',
  async (version, context) => {
    const attempt = attemptIn(context, ROOT_APART);
    needVersion(context, version);
    const other = {
      name: 'other',
      image: 'escape',
      command: ['sh', '-c', `${lifting(version)}; echo tried; sleep 600`],
    };
    const spec = escaping('sleep 600', { resources: { limits: { memory: '100Mi', cpu: '500m' } } });
    const pod = attempt.workshop.pod('web', {
      ...spec,
      terminationGracePeriodSeconds: 0,
      containers: [...spec.containers, other],
    });
    const podrun = start(attempt, ['apply', pod]);
    await podrun.until(({ stdout }) => /│ other +tried/.test(stdout) && / main +started/.test(stdout));
    const kept = limitsOnHost(attempt);
    podrun.signal('SIGTERM');
    await podrun.ended;
    expect(kept).toEqual(
      expect.arrayContaining(version === 1 ? ['104857600', '50000'] : ['104857600', '50000 100000']),
    );
  },
);
