import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../clock.ts';
import { errnoOf, errnoText } from '../errno.ts';
import type { NamespaceFacts, NamespaceTools } from '../features.ts';
import { killGroup } from '../kill.ts';

/** What is tried, in this order; what a step needs of an earlier one is in the script. */
export type TrialStep = 'unshare' | 'tmpfs' | 'proc' | 'diskLayers' | 'tmpfsLayers' | 'newRoot' | 'enter';

/** How it went. A step that is not there was not reached. */
export type TrialSteps = ReadonlyMap<TrialStep, { readonly ok: boolean; readonly said: string }>;

export interface TrialRequest {
  readonly tools: NamespaceTools;
  readonly mode: NamespaceFacts['mode'];
  readonly userId: number;
  /** A folder for the trial alone, with `u`, `w`, `m`, `o`, `p` and `r` in it. */
  readonly folder: string;
  /** The PATH of the trial. */
  readonly searchPath: string;
  readonly clock: Clock;
}

/** All steps together take 15 to 30 ms. */
export const TRIAL_TIMEOUT_MS = 2000;

/*
 * What a container's first process does, once. Everything is mounted in a namespace that ends with the script, and
 * nothing is run for what the shell can do itself. A failed redirection of a special builtin would end the shell: hence
 * echo, not a colon.
 */
const SCRIPT = `exec 2>&1
read -r pid rest </proc/self/stat
echo "@pid $pid"
cd "$FOLDER" || exit 1
step() { name=$1; shift; if "$@"; then echo "@yes $name"; else echo "@no $name"; return 1; fi; }
layers() {
  "$MOUNT" -n -c -t overlay -o "lowerdir=$LOWER,upperdir=$1,workdir=$2$XATTR" overlay o && echo >o/podrun-trial
}
memory() { mkdir m/u m/w && layers m/u m/w; }
pivot() { "$MOUNT" -n -c --rbind / r && cd r && "$PIVOT_ROOT" . . && "$UMOUNT" -n -l -c .; }
step tmpfs "$MOUNT" -n -c -t tmpfs -o mode=0755 tmpfs m || exit 1
step proc "$MOUNT" -n -c -t proc proc p
step diskLayers layers u w || step tmpfsLayers memory
step newRoot pivot || exit 1
trap '' CHLD
exec "$SLEEP" infinity`;

/**
 * Makes namespaces, mounts and layers once, as the launcher of containers does, and enters them. Nothing of it is left
 * but what the script wrote into the folder.
 */
export async function runTrial(request: TrialRequest): Promise<{ steps: TrialSteps; timedOut: boolean }> {
  const { clock } = request;
  const steps = new Map<TrialStep, { ok: boolean; said: string }>();
  const holder = spawnQuietly(holderArgv(request), environment(request));
  let entering: Quiet | undefined;
  const trial = (async () => {
    const pid = await readyOf(holder, steps);
    if (pid === undefined) return;
    entering = spawnQuietly(enterArgv(request, pid), environment(request));
    const ok = (await entering.closed) === 0;
    steps.set('enter', { ok, said: entering.said() });
  })();
  const end = (): void => [holder, entering].forEach((one) => one?.kill());
  const timedOut = await within(trial, TRIAL_TIMEOUT_MS, clock);
  end();
  // Closed once nobody holds its output any more: all of its processes are gone then, and with them the mounts.
  await within(holder.closed, TRIAL_TIMEOUT_MS, clock);
  return { steps, timedOut };
}

function holderArgv({ tools, mode }: TrialRequest): string[] {
  const user = mode === 'user' ? ['--user', '--map-root-user'] : [];
  const unshare = [tools.unshare, ...user, '--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child'];
  return [tools.setpriv, '--pdeathsig', 'KILL', ...unshare, tools.sh, '-c', SCRIPT];
}

function enterArgv({ tools, mode, userId }: TrialRequest, pid: string): string[] {
  const enter = [tools.nsenter, '-t', pid, '-m', '-p', '-u', '-i'];
  const asUser = ['-U', '--preserve-credentials', '--wdns=/', tools.unshare, '--user', `--map-user=${userId}`];
  return [...enter, ...(mode === 'user' ? asUser : ['--wdns=/']), tools.sh, '-c', 'exit 0'];
}

function environment({ tools, mode, folder, searchPath }: TrialRequest): Readonly<Record<string, string>> {
  return {
    PATH: searchPath,
    LC_ALL: 'C',
    FOLDER: folder,
    MOUNT: tools.mount,
    UMOUNT: tools.umount,
    PIVOT_ROOT: tools.pivotRoot,
    SLEEP: tools.sleep,
    // Below / are mounts that an ordinary user may not leave out of an overlay.
    LOWER: mode === 'root' ? '/' : '/usr',
    XATTR: mode === 'root' ? '' : ',userxattr',
  };
}

/** A process whose output is only looked at. */
interface Quiet {
  /** The exit code; undefined: a signal ended it, or it could not be started. */
  readonly closed: Promise<number | undefined>;
  /** What it has written so far, stdout first. */
  said(): string;
  onOutput: () => void;
  kill(): void;
}

function spawnQuietly([file = '', ...args]: readonly string[], env: Readonly<Record<string, string>>): Quiet {
  const texts = { stdout: '', stderr: '', failure: '' };
  let child: ChildProcess | undefined;
  const closed = new Promise<number | undefined>((resolve) => {
    const failed = (error: unknown): void => {
      texts.failure = `${file}: ${errnoText(errnoOf(error))}`;
      resolve(undefined);
    };
    try {
      child = spawn(file, args, { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      child.once('error', failed).once('close', (code) => resolve(code ?? undefined));
    } catch (error) {
      failed(error);
    }
  });
  const quiet: Quiet = {
    closed,
    said: () => [texts.stdout, texts.stderr, texts.failure].join(''),
    onOutput: () => undefined,
    kill: () => {
      if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid);
    },
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child?.[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      quiet.onOutput();
    });
  }
  return quiet;
}

/** Notes what the script says; the pid of its first process once everything is done, undefined when that failed. */
async function readyOf(
  holder: Quiet,
  steps: Map<TrialStep, { ok: boolean; said: string }>,
): Promise<string | undefined> {
  const isDone = (): boolean => /^@(yes|no) newRoot$/m.test(holder.said());
  await Promise.race([
    holder.closed,
    new Promise<void>((resolve) => {
      holder.onOutput = () => {
        if (isDone()) resolve();
      };
    }),
  ]);
  const said = holder.said();
  const pid = /^@pid (\d+)$/m.exec(said)?.[1];
  steps.set('unshare', { ok: pid !== undefined, said: pid === undefined ? said.trim() : '' });
  // Complaints stand before the line that says what they were about.
  for (const [, before = '', answer, step] of said.matchAll(/((?:^(?!@).*\n)*)^@(yes|no) (\w+)$/gm)) {
    steps.set(step as TrialStep, { ok: answer === 'yes', said: before.trim() });
  }
  return steps.get('newRoot')?.ok === true ? pid : undefined;
}

/** Waits for work, but no longer than this: was it too long? */
async function within(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  let ring = (): void => undefined;
  const rung = new Promise<true>((resolve) => (ring = () => resolve(true)));
  const alarm = clock.wakeAt(clock.now().monotonicMs + ms, ring);
  const timedOut = await Promise.race([work.then(() => false), rung]);
  alarm.cancel();
  return timedOut;
}
