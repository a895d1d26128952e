import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { APART, type Attempt, attemptIn, start, type World } from './worlds.ts';
import { programsForAll, giveAllToOrdinaryUser } from '../ordinary-user.ts';

const SECRET = 'a secret of the host';
const NAMES = ['file', 'log', 'secret'];

/**
 * A script that puts a folder of the container and a link to the outside at one path, in turns and without end:
 * hundreds of times in ten milliseconds. Then it rests as long, since podrun needs the processor, too.
 */
const SWAP = `const { renameSync, rmSync } = require('node:fs');
process.chdir('/data');
const move = (from, to) => {
  try {
    renameSync(from, to);
  } catch {
    // podrun made a folder at the path.
    rmSync(to, { recursive: true, force: true });
    try {
      renameSync(from, to);
    } catch {}
  }
};
const rest = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  for (const end = Date.now() + 10; Date.now() < end; ) for (const name of ['folder', 'link']) {
    move(name, 'swap');
    move('swap', name);
  }
  Atomics.wait(rest, 0, 0, 10);
}`;

interface Trap {
  readonly attempt: Attempt;
  /** A folder of the host that podrun can read and no container sees. */
  readonly outside: string;
  /** A sidecar that swaps folder and link at /data/swap. The other containers start after the first swap. */
  readonly spec: Pick<PodSpec, 'volumes' | 'initContainers' | 'restartPolicy'>;
}

function setTrap(context: TestContext, world: World): Trap {
  const attempt = attemptIn(context, world);
  const { workshop } = attempt;
  const outside = path.join(workshop.stateDir, 'outside');
  mkdirSync(outside, { recursive: true });
  for (const name of NAMES) writeFileSync(path.join(outside, name), SECRET);
  workshop.file('swap.js', SWAP);
  if (world.who === 'user') giveAllToOrdinaryUser(workshop.folder);
  const prepare = `mkdir /data/folder; echo own | tee /data/folder/file >/data/folder/secret
ln -s ${outside} /data/link; touch /data/begun; exec '${programsForAll().node}' ${workshop.folder}/swap.js`;
  const startupProbe = { exec: { command: ['test', '-e', '/data/begun'] }, periodSeconds: 1 };
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  const swapper = { name: 'swapper', image: 'x', command: ['sh', '-c', prepare], volumeMounts, startupProbe };
  return {
    attempt,
    outside,
    spec: {
      restartPolicy: 'Never',
      volumes: [{ name: 'data', emptyDir: {} }],
      initContainers: [{ ...swapper, restartPolicy: 'Always' }],
    },
  };
}

function expectUntouched(outside: string): void {
  expect(readdirSync(outside).toSorted()).toEqual(NAMES);
  for (const name of NAMES) expect(readFileSync(path.join(outside, name), 'utf8')).toBe(SECRET);
}

describe.concurrent.each(APART)(
  'a path that a container swaps for a link while podrun looks, as $who, $tier tier',
  (world) => {
    it('leads to nothing of the host as a subPath, working directory or termination log', async (context) => {
      const { attempt, outside, spec } = setTrap(context, world);
      const containers = Array.from({ length: 12 }, (_, index) => ({
        name: `main-${index}`,
        image: 'x',
        command: ['sh', '-c', 'cat /mnt/secret; echo out >/mnt/written; echo out >/data/swap/log; true'],
        workingDir: `/data/swap/made-${index}`,
        terminationMessagePath: '/data/swap/log',
        volumeMounts: [
          { name: 'data', mountPath: '/data' },
          { name: 'data', mountPath: '/mnt', subPath: 'swap' },
        ],
      }));
      const file = attempt.workshop.pod('web', { ...spec, containers });
      // podrun tries a container with a wrong configuration twice within a second, and after ten seconds again.
      const { stdout, stderr } = await start(attempt, ['apply', '-f', file, '--timeout', '9s']).ended;
      const { stdout: seen } = await start(attempt, ['get', 'pod', 'web', '-o', 'json']).ended;
      expect(stdout).toMatch(/[✓✗] \S+ +(Succeeded|Failed)/);
      expect(stdout + stderr + seen).not.toContain(SECRET);
      expectUntouched(outside);
    });

    it('leads to nothing of the host for podrun cp, in or out', async (context) => {
      const { attempt, outside, spec } = setTrap(context, world);
      const podrun = attempt.workshop.commandLine([]).join(' ');
      const script = `for i in 1 2 3 4 5 6 7 8; do ${podrun} cp web:/data/swap/file got-$i
${podrun} cp swap.js web:/data/swap/put-$i; done; true`;
      const volumeMounts = [{ name: 'data', mountPath: '/data' }];
      const containers = [{ name: 'main', image: 'x', command: ['sleep', '100'], volumeMounts }];
      const file = attempt.workshop.pod('web', { ...spec, containers, terminationGracePeriodSeconds: 1 });
      const { stdout } = await start(attempt, ['apply', '-f', file, '--', 'sh', '-c', script]).ended;
      expect(stdout).toMatch(/Ready/);
      const got = readdirSync(attempt.workshop.folder).filter((name) => name.startsWith('got-'));
      const read = got.map((name) => readFileSync(path.join(attempt.workshop.folder, name), 'utf8'));
      expect(read.filter((text) => text !== 'own\n')).toEqual([]);
      expectUntouched(outside);
    });
  },
);
