import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { APART, attemptIn, escaping, mountTable, needCoverable, ROOT_APART, run, start, works } from './worlds.ts';
import { programsForAll } from '../ordinary-user.ts';
import { need, needs } from '../needs.ts';

/** A file that only a program outside of a container can make: a container gets a copy of this folder. */
const PROOF = `/var/tmp/podrun-escape-${process.pid}`;

function isOut(): boolean {
  const isThere = existsSync(PROOF);
  rmSync(PROOF, { force: true });
  return isThere;
}

const PTRACE = { securityContext: { capabilities: { add: ['SYS_PTRACE'] } } };
const THROUGH_PROCESSES = `for p in /proc/[0-9]*; do for way in root cwd cwd/.. cwd/../.. cwd/../../..; do
  echo out > $p/$way${PROOF}; done
  for fd in $p/fd/*; do echo out > $fd${PROOF}; echo out > $fd/..${PROOF}; done; done 2>/dev/null
echo tried`;

describe.each(APART)('the files of the host, for a container of $who, $tier tier', (world) => {
  it.for([
    ['process 1, with the right to debug', PTRACE, {}],
    ['the processes of its Pod, with the right to debug', PTRACE, { shareProcessNamespace: true }],
    ['its own processes', {}, {}],
  ] as const)('cannot be reached through %s', async ([, container, more], context) => {
    expect(await run(attemptIn(context, world), escaping(THROUGH_PROCESSES, container, more))).toEqual(['tried']);
    expect(isOut()).toBe(false);
  });

  it('cannot be reached by a changed root', async (context) => {
    need(context, 'program perl');
    const calls = `mkdir "/x"; chroot "/x"; chdir ".." for 1..64; chroot "."; open F, ">${PROOF}"; print F "out"`;
    const climb = `LC_ALL=C perl -e '${calls}'`;
    expect(await run(attemptIn(context, world), escaping(`${climb}; echo tried`))).toEqual(['tried']);
    expect(isOut()).toBe(false);
  });

  it('cannot be reached by programs in the folder of its image, which run before it', async (context) => {
    const attempt = attemptIn(context, world);
    const { workshop } = attempt;
    needCoverable(context, world, workshop.folder);
    const folder = path.join(workshop.folder, 'files/usr/bin');
    mkdirSync(folder, { recursive: true });
    // The new root has a shell of its own, while the old one is still the current folder.
    for (const name of ['umount', 'setpriv', 'env', 'sleep', 'unshare', 'nsenter', 'mount']) {
      writeFileSync(path.join(folder, name), `#!/bin/sh\necho out >.${PROOF}; echo out >/proc/1/cwd${PROOF}\n`, {
        mode: 0o755,
      });
    }
    workshop.file('podrun.yaml', 'images: { escape: { folder: ./files } }');
    expect(await run(attempt, escaping('echo tried'))).toEqual(['tried']);
    expect(isOut()).toBe(false);
  });

  it('stay what they are when a container mounts something', async (context) => {
    const attempt = attemptIn(context, world);
    const place = attempt.workshop.folderNamed('place');
    const securityContext = { privileged: true };
    await run(
      attempt,
      escaping(`mount -t tmpfs podrun-escape ${place}; touch ${place}/f; echo tried`, { securityContext }),
    );
    expect(mountTable()).not.toContain('podrun-escape');
  });

  it('are not in descriptors that podrun was started with', async (context) => {
    need(context, 'program bash');
    const attempt = attemptIn(context, world);
    const script = 'for fd in /proc/self/fd/*; do case ${fd##*/} in 0|1|2|3) ;; *) echo "$fd";; esac; done; echo end';
    const file = attempt.workshop.pod('web', escaping(`ls -l /proc/self/fd | grep -c ' 200 '; ${script}`));
    const podrun = start(attempt, ['apply', '-f', file], ['bash', '-c', 'exec 200</; exec "$@"', 'bash']);
    const { stdout } = await podrun.ended;
    expect(stdout).toMatch(/│ main +0$/m);
    expect(stdout).not.toMatch(/fd\/200/);
  });
});

it('the root of the host is mounted nowhere in a container, and none of its file systems whole', async (context) => {
  const script = `awk '$4 == "/" && $9 == "ext4" {print $5}' /proc/self/mountinfo; echo end`;
  expect(await run(attemptIn(context, ROOT_APART), escaping(script), ['--isolate'])).toEqual(['end']);
});

it('what a container puts in the place of setpriv and unshare has no rights of podrun', async (context) => {
  const attempt = attemptIn(context, ROOT_APART);
  const script = `for tool in setpriv unshare env; do
  cp /usr/bin/$tool /usr/bin/$tool.real
  printf '#!/bin/sh\\ngrep CapEff /proc/self/status >>/stolen\\nexec /usr/bin/%s.real "$@"\\n' $tool >/usr/bin/$tool.new
  chmod 755 /usr/bin/$tool.new; mv /usr/bin/$tool.new /usr/bin/$tool; done
for i in $(seq 100); do [ -s /stolen ] && break; sleep 0.1; done; sleep 0.3; sort -u /stolen | tr -d '\\t'`;
  const readinessProbe = { exec: { command: ['true'] }, periodSeconds: 1 };
  const rights = await run(attempt, escaping(script, { readinessProbe }));
  expect(rights.length).toBeGreaterThan(0);
  const SYS_ADMIN = 1n << 21n;
  const SYS_PTRACE = 1n << 19n;
  const dangerous = rights.filter(
    (line) => (BigInt(`0x${line.replace('CapEff:', '')}`) & (SYS_ADMIN | SYS_PTRACE)) !== 0n,
  );
  expect(dangerous).toEqual([]);
});

describe('a read-only root', () => {
  it.for(APART)(
    'is read-only where something is mounted below a shared folder, too: $who',
    needs('mounts for all'),
    async (world, context) => {
      const attempt = attemptIn(context, world);
      const place = attempt.workshop.folderNamed('mounted');
      expect(works(['mount', '-t', 'tmpfs', '-o', 'mode=1777', 'podrun-escape', place])).toBe(true);
      context.onTestFinished(() => void works(['umount', '-l', place]));
      const securityContext = { readOnlyRootFilesystem: true };
      const script = `for d in ${place} ${attempt.workshop.folder} /tmp /usr /; do echo x > $d/written
done 2>/dev/null; echo tried`;
      expect(await run(attempt, escaping(script, { securityContext }))).toEqual(['tried']);
      expect(existsSync(path.join(place, 'written'))).toBe(false);
      expect(existsSync(path.join(attempt.workshop.folder, 'written'))).toBe(false);
    },
  );
});

it.for([
  ['cannot be made', [], []],
  ['do not work', ['MKNOD'], ['0', '0', '0', '0', '0']],
] as const)('device nodes %s in shared folders, volumes and the copy of the root', async ([, added, read], context) => {
  const attempt = attemptIn(context, ROOT_APART);
  const script = `for d in . /tmp / /data /dev; do node=$d/zero-${process.pid}
  mknod $node c 1 5 && head -c 3 $node | wc -c; rm -f $node; done 2>/dev/null; mkfifo fifo && echo end`;
  const more = { volumes: [{ name: 'data', emptyDir: {} }] };
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  const securityContext = { capabilities: { add: [...added] } };
  expect(await run(attempt, escaping(script, { volumeMounts, securityContext }, more))).toEqual([...read, 'end']);
});

it('a socket of the host outside of the shared folders is out of reach', async (context) => {
  const attempt = attemptIn(context, ROOT_APART);
  const place = `/run/podrun-escape-${process.pid}`;
  mkdirSync(place);
  const server = createServer((socket) => socket.end('host')).listen(path.join(place, 'socket'));
  context.onTestFinished(() => {
    server.close();
    rmSync(place, { recursive: true, force: true });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  writeFileSync(path.join(attempt.workshop.folder, 'c.js'), CONNECT);
  const script = `'${programsForAll().node}' c.js ${place}/socket`;
  expect(await run(attempt, escaping(script))).toEqual(['refused']);
});

describe.each(APART)('an abstract socket of the host, for a container of $who', (world) => {
  it.for([
    ['is reached in the network of the host', [], 'host'],
    ['is out of reach with a network of the Pod', ['--network', 'pod'], 'refused'],
    ['is out of reach with a network of the run', ['--network', 'cluster'], 'refused'],
  ] as const)('%s', async ([, flags, answer], context) => {
    const attempt = attemptIn(context, world);
    const name = `podrun-escape-${process.pid}`;
    const server = createServer((socket) => socket.end('host')).listen(`\0${name}`);
    context.onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const program = attempt.workshop.file('c.js', CONNECT);
    expect(await run(attempt, escaping(`'${programsForAll().node}' ${program} @${name}`), flags)).toEqual([answer]);
  });
});

const CONNECT = `const place = process.argv[2].replace(/^@/, '\\0');
require('node:net').connect(place).on('data', (text) => console.log(String(text)))
  .on('error', () => console.log('refused'));`;
