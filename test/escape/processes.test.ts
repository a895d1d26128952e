import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isRoot, ORDINARY_USER } from '../ordinary-user.ts';
import { APART, attemptIn, escaping, run, start, type World } from './worlds.ts';

/** A process of the host that belongs to the user of podrun. */
function victim({ who }: World): ReturnType<typeof spawn> {
  const user = who === 'user' && isRoot ? { uid: ORDINARY_USER, gid: ORDINARY_USER } : {};
  return spawn('sleep', ['600'], { stdio: 'ignore', ...user });
}

/**
 * The begin of every script: the script must not run where it sees all processes of the machine, because it would kill
 * them.
 */
const SAFE = '[ $(ls -d /proc/[0-9]* | wc -l) -lt 30 ] || { echo "all processes are seen"; exit 1; };';

const KILL = { securityContext: { capabilities: { add: ['KILL', 'SYS_PTRACE'] } } };

describe.concurrent.each(APART)('the processes of the host, for a container of $who, $tier tier', (world) => {
  it.for([
    ['', {}],
    [' of a Pod that shares its processes', { shareProcessNamespace: true }],
  ] as const)('are not seen, and no signal reaches them%s', async ([, more], context) => {
    const attempt = attemptIn(context, world);
    const process_ = victim(world);
    context.onTestFinished(() => void process_.kill('SIGKILL'));
    // The last loop tries all pids near that of the victim: podrun, its watchdog and its keeper.
    const script = `${SAFE} kill -9 ${process_.pid} 2>/dev/null && echo killed; ls -d /proc/${process_.pid} 2>/dev/null
for pid in $(seq ${(process_.pid ?? 0) + 1} ${(process_.pid ?? 0) + 300}); do
  kill -9 $pid 2>/dev/null && echo killed; done; echo end`;
    expect(await run(attempt, escaping(script, KILL, more))).toEqual(['end']);
    expect(process_.exitCode ?? process_.signalCode).toBe(null);
  });

  it('keep running when a container kills all that it can', async (context) => {
    const attempt = attemptIn(context, world);
    const process_ = victim(world);
    context.onTestFinished(() => void process_.kill('SIGKILL'));
    // The kernel spares process 1 and the process that calls kill.
    expect(await run(attempt, escaping(`${SAFE} { kill -9 1; kill -9 -1; } 2>/dev/null; echo still here`))).toEqual([
      'still here',
    ]);
    expect(process_.exitCode ?? process_.signalCode).toBe(null);
  });
});

describe.concurrent.each([
  { who: 'root', tier: 'process' },
  { who: 'user', tier: 'process' },
] as const)('the process tier, as $who, keeps nothing apart, and says so', (world) => {
  it('sees the processes of the host', async (context) => {
    const attempt = attemptIn(context, world);
    const process_ = victim(world);
    context.onTestFinished(() => void process_.kill('SIGKILL'));
    await once(process_, 'spawn');
    expect(await run(attempt, escaping(`ls -d /proc/${process_.pid}`))).toEqual([`/proc/${process_.pid}`]);
  });

  it('starts no container that wants a root it cannot write to', async (context) => {
    const attempt = attemptIn(context, world);
    const securityContext = { readOnlyRootFilesystem: true };
    const file = attempt.workshop.pod('web', escaping('true', { securityContext }));
    const { stdout, stderr } = await start(attempt, ['apply', '-f', file, '--timeout', '3s']).ended;
    expect(stdout + stderr).toContain('readOnlyRootFilesystem');
  });
});
