import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { describe, expect, it, type TestContext } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { need, needs } from '../needs.ts';
import { PATIENCE_MS } from '../patience.ts';
import { giveAllToOrdinaryUser, podrunAsOrdinaryUser } from '../ordinary-user.ts';
import { type Ended, Podrun, workshopFor } from './workshop.ts';

/**
 * A machine with a shared mount: its own mount namespace. Mounts another folder there as soon as the container says
 * that it is ready.
 */
const MACHINE = `
  mount -t tmpfs share "$SHARE" && mount --make-"$KIND" "$SHARE" && chmod 0777 "$SHARE" || exit 1
  "$@" &
  podrun=$!
  until [ -e "$SHARE/ready" ]; do kill -0 $podrun || break; sleep 0.1; done
  [ -e "$SHARE/inner/file" ] && echo "the machine sees inner"
  mkdir "$SHARE/late" && mount -t tmpfs late "$SHARE/late" && touch "$SHARE/late/file" "$SHARE/made"
  wait $podrun
`;

/** A container that makes a mount, where it may, and waits for the one of the machine. */
const CONTAINER = `
  mkdir /h/inner && mount -t tmpfs inner /h/inner && touch /h/inner/file
  touch /h/ready
  until [ -e /h/made ]; do sleep 0.1; done
  [ -e /h/late/file ] && echo "the container sees late"
  [ -e /plain/late/file ] && echo "the plain volume sees late"
  exit 0
`;

interface Tie {
  readonly mountPropagation: 'Bidirectional' | 'HostToContainer';
  readonly who: 'root' | 'somebody';
  /** The propagation of the machine's own mount. */
  readonly kind: 'shared' | 'private';
  readonly containers?: number;
}

async function runOnMachine(context: TestContext, tie: Tie): Promise<Ended & { readonly events: string }> {
  if (tie.who === 'somebody') need(context, 'namespaces of an ordinary user');
  const workshop = workshopFor(context);
  chmodSync(workshop.folder, 0o755);
  const share = workshop.folderNamed('share');
  const { mountPropagation } = tie;
  const tied: PodSpec['containers'][number] = {
    name: 'c',
    command: ['sh', '-c', CONTAINER],
    securityContext: { privileged: tie.who === 'root' },
    volumeMounts: [
      { name: 'h', mountPath: '/h', mountPropagation },
      { name: 'h', mountPath: '/plain' },
    ],
  };
  const others = Array.from({ length: (tie.containers ?? 1) - 1 }, (_, at) => ({ name: `o${at}`, command: ['true'] }));
  const manifest = workshop.pod('tied', {
    restartPolicy: 'Never',
    volumes: [{ name: 'h', hostPath: { path: share } }],
    containers: [tied, ...others],
  });
  const args = ['--state-dir', workshop.stateDir, 'apply', manifest, '--runtime', 'namespace'];
  if (tie.who === 'somebody') giveAllToOrdinaryUser(workshop.folder);
  const words = tie.who === 'root' ? workshop.commandLine(args) : podrunAsOrdinaryUser(args);
  const env = { ...process.env, SHARE: share, KIND: tie.kind };
  const machine = spawn('unshare', ['--mount', 'sh', '-c', MACHINE, 'sh', ...words], { env });
  const ended = await new Podrun(machine).ended;
  return { ...ended, events: (await workshop.start(['events']).ended).stdout };
}

describe(
  'mountPropagation',
  { concurrent: true, timeout: 4 * PATIENCE_MS, ...needs('root', 'namespaces', 'private mounts') },
  () => {
    it.for<Tie>([
      { mountPropagation: 'Bidirectional', who: 'root', kind: 'shared' },
      { mountPropagation: 'Bidirectional', who: 'root', kind: 'shared', containers: 2 },
      { mountPropagation: 'HostToContainer', who: 'root', kind: 'shared' },
      { mountPropagation: 'HostToContainer', who: 'somebody', kind: 'shared' },
    ])('$mountPropagation for $who ties a volume to a shared mount of the machine', async (tie, context) => {
      const { exitCode, stdout } = await runOnMachine(context, tie);
      expect(stdout).toContain('the container sees late');
      expect(stdout.includes('the machine sees inner')).toBe(tie.mountPropagation === 'Bidirectional');
      expect(stdout).not.toContain('the plain volume sees late');
      expect(exitCode).toBe(0);
    });

    it('has no effect on a private mount, which an event says in the words of a node', async (context) => {
      const tie: Tie = { mountPropagation: 'HostToContainer', who: 'root', kind: 'private' };
      const { exitCode, stdout, events } = await runOnMachine(context, tie);
      expect(stdout).not.toContain('sees');
      expect(events).toContain('volumeMounts[0].mountPropagation of container c');
      expect(events).toContain('but it is not a shared or slave mount');
      expect(exitCode).toBe(0);
    });
  },
);
