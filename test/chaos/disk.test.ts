import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { run } from '../../src/library/index.ts';
import { workshopForEach } from '../cli/workshop.ts';
import { assertNothingLeft, podsOf } from './aftermath.ts';
import { outputIn } from './logs.ts';
import { PATIENT } from '../patience.ts';
import { StoreReader } from './store-reader.ts';
import { agentPid } from './agent-pid.ts';
import { SMALL_DISK } from './what-is-left.ts';
import { archiveOf } from '../images/archive.ts';
import { needs } from '../needs.ts';
import { removeTree } from '../../src/remove-tree.ts';

const workshop = workshopForEach();
const mounted: string[] = [];

// Runs before the workshop removes its folder.
afterEach(() => {
  for (const place of mounted.splice(0)) spawnSync('umount', ['-l', place]);
});

const writer = (lines: number, pause = ':'): PodSpec => {
  const script = `i=0; while [ $i -lt ${lines} ]; do echo "line $i"; i=$((i+1)); ${pause}; sleep 0.01; done`;
  return { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }] };
};

/** A writer that waits after its line 20 until the room has gone. */
const waitingWriter = (lines: number): PodSpec =>
  writer(lines, `[ $i != 21 ] || until [ -e ${workshop.folder}/without-room ]; do sleep 0.01; done`);

/** Mounts a small disk at the state folder. Answers false where this user must not mount. */
function mountState(...options: string[]): void {
  mkdirSync(workshop.stateDir, { recursive: true });
  const outcome = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    ['size=256k,nr_inodes=150', ...options].join(','),
    SMALL_DISK,
    workshop.stateDir,
  ]);
  if (outcome.status !== 0) throw new Error(`no tmpfs can be mounted: ${String(outcome.stderr)}`);
  mounted.push(workshop.stateDir);
}

/** Unmounts the disk, which a process that has just ended may hold for another moment. */
async function unmountState(): Promise<void> {
  for (const place of mounted) await expect.poll(() => String(spawnSync('umount', [place]).stderr), PATIENT).toBe('');
  mounted.splice(0);
}

const FILL_BYTES = 'cat /dev/zero >>filler';
const FULL = [
  { what: 'bytes', fill: FILL_BYTES },
  { what: 'files', fill: 'mkdir -p fillers && i=0 && while : >fillers/$i; do i=$((i+1)); done' },
];

function fillDisk(fill: string): void {
  spawnSync('sh', ['-c', `${fill} 2>/dev/null`], { cwd: workshop.stateDir });
  workshop.file('without-room', '');
}

/** Resolves when the line 10 of a writer is in its log. */
async function untilLine10(pod: string): Promise<void> {
  const hasLine = (): boolean => existsSync(logOf(pod)) && outputIn(logOf(pod)).includes('line 10\n');
  await expect.poll(hasLine, PATIENT).toBe(true);
}

function makeRoom(): void {
  for (const name of ['filler', 'fillers']) removeTree(path.join(workshop.stateDir, name));
}

const NOT_WRITTEN = 'the record of the Pods is incomplete: podrun could not write all of it';

function logOf(pod: string): string {
  return path.join(workshop.stateDir, 'pods/default', pod, 'logs/main/0.log');
}

/** The number of lines that are in the log of a writer, or that the log says are missing. */
function linesAndGaps(pod: string): number {
  const text = outputIn(logOf(pod));
  const lines = text.split('\n').filter((line) => /^line \d+$/.test(line)).length;
  const missing = [...text.matchAll(/^podrun: (\d+) bytes of output are missing here/gm)].map(([, bytes]) =>
    Number(bytes),
  );
  return lines + missing.reduce((sum, bytes) => sum + bytes, 0) / 'line 10\n'.length;
}

/** Only root can mount a small disk in the mount namespace of the machine. */
describe('a state folder', needs('mounts for all'), () => {
  it.each(FULL)('without room for $what: nothing is started, and the reason is said', async ({ fill }) => {
    mountState();
    fillDisk(fill);
    const { exitCode, stderr } = await workshop.run(['apply', workshop.pod('full', writer(10))]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('no space left on device');
    await unmountState();
    await assertNothingLeft(workshop);
  });

  it.each(FULL)('that loses its room for $what: the Pod runs to its end, which is on record', async ({ fill }) => {
    mountState();
    const reader = new StoreReader(workshop.stateDir);
    const report = workshop.folderNamed('report');
    const flags = ['--report', report, '--annotations', 'github'];
    const podrun = workshop.start(['apply', workshop.pod('full', waitingWriter(100)), ...flags]);
    await podrun.until(({ stdout }) => stdout.includes('line 10'));
    fillDisk(fill);
    const { exitCode, stdout, stderr } = await podrun.ended;
    reader.close();
    expect(stdout).toContain('line 99');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`error: ${NOT_WRITTEN}`);
    expect(stdout).toContain(`::error title=podrun::${NOT_WRITTEN}`);
    expect(readFileSync(path.join(report, 'junit.xml'), 'utf8')).toContain(`<failure message="${NOT_WRITTEN}"`);
    expect(stderr + stdout).toContain('no space left on device');
    expect(stderr).not.toMatch(/defect|^\s+at /m);
    expect(reader.torn).toEqual([]);
    expect((await podsOf(workshop, {}))[0]?.status?.phase).toBe('Succeeded');
    expect(existsSync(path.join(workshop.stateDir, 'pods/default/full/owner.json'))).toBe(false);
    expect(linesAndGaps('full')).toBe(100);
    makeRoom();
    expect((await workshop.run(['delete', 'pod', 'full'])).exitCode).toBe(0);
    await unmountState();
    await assertNothingLeft(workshop);
  });

  it.each(FULL)(
    'that loses its room for $what while a Pod in the background is waited for: exit code 1',
    async (full) => {
      mountState();
      const flags = ['--wait', '--until', 'succeeded'];
      const podrun = workshop.start(['apply', '-d', ...flags, workshop.pod('full', waitingWriter(100))]);
      await untilLine10('full');
      fillDisk(full.fill);
      const { exitCode, stderr } = await podrun.ended;
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(`error: ${NOT_WRITTEN}`) });
      makeRoom();
      await expect.poll(() => workshop.backgroundProcesses(), PATIENT).toEqual([]);
      await unmountState();
      await assertNothingLeft(workshop);
    },
  );

  it.each(FULL)('that loses its room for $what under a program: until() rejects', async (full) => {
    mountState();
    const { stateDir } = workshop;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'full' }, spec: waitingWriter(100) };
    await using pods = await run({ yaml: JSON.stringify(pod) }, { stateDir, onWarning: () => undefined });
    await untilLine10('full');
    fillDisk(full.fill);
    await expect(pods.until('Succeeded')).rejects.toThrow(NOT_WRITTEN);
    makeRoom();
  });

  it.each(FULL)(
    'that loses its room for $what while a Pod runs in the background: its end is on record',
    async (full) => {
      mountState();
      const applied = await workshop.run(['apply', '-d', '--wait', workshop.pod('full', waitingWriter(100))]);
      expect(applied).toMatchObject({ exitCode: 0 });
      await untilLine10('full');
      fillDisk(full.fill);
      const phase = async (): Promise<string | undefined> => (await podsOf(workshop, {}))[0]?.status?.phase;
      await expect.poll(phase, PATIENT).toBe('Succeeded');
      makeRoom();
      await expect.poll(() => workshop.backgroundProcesses(), PATIENT).toEqual([]);
      expect(linesAndGaps('full')).toBe(100);
      expect((await workshop.run(['delete', 'pod', 'full'])).exitCode).toBe(0);
      await unmountState();
      await assertNothingLeft(workshop);
    },
  );

  it.each(FULL)(
    'without room for $what while a container ends whose agent was killed: how, is on record',
    async (full) => {
      mountState();
      const spec: PodSpec = {
        restartPolicy: 'Never',
        containers: [{ name: 'main', command: ['sh', '-c', 'until [ -e end ]; do sleep 0.05; done; exit 42'] }],
      };
      expect(await workshop.run(['apply', '-d', '--wait', workshop.pod('full', spec)])).toMatchObject({ exitCode: 0 });
      process.kill(agentPid(workshop) ?? 0, 'SIGKILL');
      fillDisk(full.fill);
      workshop.file('end', '');
      await expect.poll(() => workshop.processes(), PATIENT).toEqual([]);
      // A keeper without containers ends after two seconds.
      await sleep(3000);
      makeRoom();
      const terminated = async () => (await podsOf(workshop, {}))[0]?.status?.containerStatuses?.[0]?.state?.terminated;
      await expect.poll(terminated, PATIENT).toMatchObject({ exitCode: 42 });
      await expect.poll(() => workshop.backgroundProcesses(), PATIENT).toEqual([]);
      await unmountState();
      await assertNothingLeft(workshop);
    },
  );

  it('that is filled anew whenever there is room: a Pod that has ended is not said to run', async () => {
    mountState();
    const podrun = workshop.start(['apply', workshop.pod('full', waitingWriter(30))]);
    await podrun.until(({ stdout }) => stdout.includes('line 10'));
    fillDisk(FILL_BYTES);
    const filling = setInterval(() => fillDisk(FILL_BYTES), 20);
    const { exitCode } = await podrun.ended.finally(() => clearInterval(filling));
    expect(exitCode).toBe(1);
    const [pod] = await podsOf(workshop, {});
    expect(pod?.status?.phase).toMatch(/^(Succeeded|Failed|Unknown)$/);
    makeRoom();
    await workshop.start(['get', 'pods']).ended;
    await unmountState();
    await assertNothingLeft(workshop);
  });

  it('on a full disk, when podrun is killed: no process keeps running, and podrun can start again', async () => {
    mountState();
    const podrun = workshop.start(['apply', workshop.pod('full', writer(10_000))]);
    await podrun.until(({ stdout }) => stdout.includes('line 10'));
    spawnSync('sh', ['-c', `cat /dev/zero >${workshop.stateDir}/filler 2>/dev/null`]);
    podrun.signal('SIGKILL');
    await podrun.ended;
    await expect.poll(() => workshop.processes()).toEqual([]);
    expect((await workshop.start(['get', 'pods', '-o', 'json']).ended).exitCode).toBe(0);
    rmSync(path.join(workshop.stateDir, 'filler'));
    expect((await workshop.run(['gc'])).exitCode).toBe(0);
    expect((await podsOf(workshop, {}))[0]?.status).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
    await unmountState();
    await assertNothingLeft(workshop);
  });

  it('that is read-only: nothing is started, and the reason is said', async () => {
    mountState('ro');
    const { exitCode, stderr } = await workshop.run(['apply', '--runtime', 'auto', workshop.pod('mute', writer(10))]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/cannot use the state folder .*: read-only file system\n.*--state-dir/);
    expect((await workshop.start(['get', 'pods', '-o', 'json']).ended).exitCode).toBe(0);
    await unmountState();
    await assertNothingLeft(workshop);
  });
});

/** The commands of each kind: those that show, change, start, reach into Pods, compare runs, and look after images. */
const COMMANDS = `
  get all -A; describe pod idle; events; logs idle; top pods; advise idle; history idle; timeline idle; probes idle
  wait pod/idle --for=condition=Ready --timeout=1s; exec idle -- true; cp idle:/etc/hostname copied; debug idle -- true
  label pod idle a=b; annotate pod idle a=b; patch pod idle -p {"metadata":{"labels":{"c":"d"}}}; edit pod idle
  create configmap settings --from-literal=a=b; expose pod idle --port 80; taint nodes --all a=b:NoSchedule
  apply new.yaml; apply -d new.yaml; run new --image=x --command -- true; replace -f idle.yaml; diff idle.yaml
  matrix new.yaml --seeds 1; compare new.yaml new.yaml; serve --once --network host -- true; doctor
  images; pull 127.0.0.1:1/app; image load -i archive.tar; image prune; gc; gc -A --keep 0
  delete pod idle --wait=false; delete pods --all --force
`
  .split(/[;\n]/)
  .map((line) => line.trim())
  .filter((line) => line !== '');

describe('a full disk for state, images and temporary files', needs('mounts for all'), () => {
  it.each(FULL)('without room for $what: each command ends with a sentence', async ({ fill }) => {
    mountState();
    const { stateDir } = workshop;
    const places = {
      TMPDIR: path.join(stateDir, 'tmp'),
      PODRUN_IMAGE_DIR: path.join(stateDir, 'images'),
      EDITOR: 'true',
    };
    mkdirSync(places.TMPDIR);
    const idle: PodSpec = {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', command: ['sleep', '1000'] }],
    };
    workshop.pod('new', writer(3));
    workshop.file('archive.tar', archiveOf([{ name: 'manifest.json', text: '[]' }]).toString('latin1'));
    const applied = await workshop.run(['apply', '-d', '--wait', workshop.pod('idle', idle)]);
    expect(applied).toMatchObject({ exitCode: 0 });
    const faults: string[] = [];
    for (const command of COMMANDS) {
      fillDisk(fill);
      const { exitCode, stdout, stderr } = await workshop.start(command.split(' '), places).ended;
      const isSentence = !/defect|^\s+at |Error:.*\n\s+at|node:internal|\.[cm]js:\d/m.test(stdout + stderr);
      if (!isSentence || exitCode > 128) faults.push(`${command}: ${exitCode}: ${stderr}`);
    }
    expect(faults).toEqual([]);
    makeRoom();
    expect(readFileSync(path.join(stateDir, 'agent.log'), 'utf8')).not.toMatch(/defect|^\s+at /m);
    await workshop.run(['delete', 'pods', '--all', '--force']);
    await expect.poll(() => workshop.backgroundProcesses(), PATIENT).toEqual([]);
    await unmountState();
  });

  it('leaves no folder for a run of the library, and rejects with a sentence', async () => {
    mountState();
    fillDisk(FULL[1]?.fill ?? '');
    vi.stubEnv('TMPDIR', workshop.stateDir);
    onTestFinished(() => void vi.unstubAllEnvs());
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'full' }, spec: writer(1) };
    const starting = run({ yaml: JSON.stringify(pod) });
    await expect(starting).rejects.toThrow(/^cannot use the folder for temporary files .*: no space left on device/);
    await unmountState();
  });
});

describe('a state folder that is removed', needs('Linux'), () => {
  it('while a Pod runs: the Pod ends, and so does podrun', async () => {
    const podrun = workshop.start(['apply', workshop.pod('gone', writer(10_000))]);
    await podrun.until(({ stdout }) => stdout.includes('line 10'));
    removeTree(workshop.stateDir);
    const { exitCode, stderr } = await podrun.ended;
    expect(exitCode).toBe(1);
    expect(stderr).not.toMatch(/defect|^\s+at /m);
    await assertNothingLeft(workshop);
  });

  it('and podrun is killed a moment later: no process keeps running', async () => {
    const podrun = workshop.start(['apply', workshop.pod('gone', writer(10_000))]);
    await podrun.until(({ stdout }) => stdout.includes('line 10'));
    podrun.signal('SIGSTOP');
    removeTree(workshop.stateDir);
    await sleep(20);
    podrun.signal('SIGKILL');
    await podrun.ended;
    await expect.poll(() => workshop.processes()).toEqual([]);
    await assertNothingLeft(workshop, { wasKilled: true });
  });

  it('by a file in its place: the reason is said', async () => {
    writeFileSync(workshop.stateDir, '');
    const { exitCode, stderr } = await workshop.run(['apply', '--runtime', 'auto', workshop.pod('file', writer(1))]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('cannot use the state folder');
    rmSync(workshop.stateDir);
    await assertNothingLeft(workshop);
  });
});
