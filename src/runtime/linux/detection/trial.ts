import { execa } from 'execa';
import { guardedProcess } from '../../../defects.ts';
import type { Clock } from '../../../clock.ts';
import type { NamespaceFacts, NamespaceTools } from '../../base/features.ts';
import { errnoText } from '../../base/errno.ts';
import { shortageOfDescriptors, STARTED_APART } from '../../base/helper.ts';
import { killGroup } from '../../watch/kill.ts';

/**
 * The steps, in order. The script knows which step needs an earlier one. Without layers, containers of root get a
 * read-only root: the root file system without what is mounted in it (`bareRoot`), which the kernel refuses where
 * another user namespace has mounted that.
 */
export type TrialStep = 'unshare' | 'tmpfs' | 'proc' | 'diskLayers' | 'tmpfsLayers' | 'bareRoot' | 'newRoot' | 'enter';

/** The results. A missing step was not reached. */
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

/** The time limit. All steps together take 15 to 30 ms, and a hundred times as long on a busy machine. */
export const TRIAL_TIMEOUT_MS = 10_000;

/*
 * The first process of a container, for a trial. Mounts everything in a namespace that ends with the script, and uses
 * builtins of the shell where possible. A failed redirection of a special builtin would end the shell: hence echo, not
 * a colon.
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
step diskLayers layers u w || step tmpfsLayers memory || step bareRoot "$MOUNT" -n -c --bind / r
step newRoot pivot || exit 1
trap '' CHLD
exec "$SLEEP" infinity`;

/**
 * Makes namespaces, mounts and layers once, as the launcher of containers does, and enters them. Leaves nothing but
 * files in the folder.
 */
export async function runTrial(request: TrialRequest): Promise<{ steps: TrialSteps; timedOut: boolean }> {
  const { clock } = request;
  const steps = new Map<TrialStep, { ok: boolean; said: string }>();
  const shortage = shortageOfDescriptors();
  if (shortage !== undefined) {
    return { steps: steps.set('unshare', { ok: false, said: errnoText(shortage) }), timedOut: false };
  }
  const holder = start(holderArgv(request), environment(request));
  let entering: StartedProgram | undefined;
  const trial = (async () => {
    const pid = await readyOf(holder, steps);
    if (pid === undefined) return;
    entering = start(enterArgv(request, pid), environment(request));
    const ended = await entering;
    steps.set('enter', { ok: !ended.failed, said: wordsOf(entering.spawnfile, ended) });
  })();
  const timedOut = await within(trial, TRIAL_TIMEOUT_MS, clock);
  for (const started of [holder, entering]) {
    if (started?.pid !== undefined && started.exitCode === null && started.signalCode === null) killGroup(started.pid);
  }
  // The promise settles when the output is closed: all processes are gone by then, and their mounts too.
  await within(holder, TRIAL_TIMEOUT_MS, clock);
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
    // An ordinary user may not leave out the mounts below / in an overlay.
    LOWER: mode === 'root' ? '/' : '/usr',
    XATTR: mode === 'root' ? '' : ',userxattr',
  };
}

/** Starts a process of the trial and collects its output. */
const start = ([file = '', ...args]: readonly string[], env: Readonly<Record<string, string>>) =>
  guardedProcess(execa(file, args, { ...STARTED_APART, env, stdin: 'ignore', all: true, buffer: true }));

type StartedProgram = ReturnType<typeof start>;

/** The output of a process, or the reason why it did not start. */
function wordsOf(file: string, { all, code }: Awaited<StartedProgram>): string {
  return code === undefined ? all : `${file}: ${errnoText(code)}`;
}

/**
 * Records the steps that the script reports. Returns the pid of its first process after the last step, undefined after
 * a failure.
 */
async function readyOf(
  holder: StartedProgram,
  steps: Map<TrialStep, { ok: boolean; said: string }>,
): Promise<string | undefined> {
  let output = '';
  const done = new Promise<void>((resolve) => {
    holder.all.on('data', (piece: Buffer) => {
      output += piece.toString();
      if (/^@(yes|no) newRoot$/m.test(output)) resolve();
    });
  });
  const ended = await Promise.race([holder, done]);
  const said = ended === undefined ? output : wordsOf(holder.spawnfile, ended);
  const pid = /^@pid (\d+)$/m.exec(said)?.[1];
  steps.set('unshare', { ok: pid !== undefined, said: pid === undefined ? said.trim() : '' });
  // Error messages come before the line of their step.
  let before: string[] = [];
  for (const line of said.split('\n')) {
    const [, answer, step] = /^@(yes|no) (\w+)$/.exec(line) ?? [];
    if (step !== undefined) steps.set(step as TrialStep, { ok: answer === 'yes', said: before.join('\n').trim() });
    if (line.startsWith('@')) before = [];
    else before.push(line);
  }
  return steps.get('newRoot')?.ok === true ? pid : undefined;
}

/** Waits for work up to a time limit. Returns true when the time was up. */
async function within(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  let ring = (): void => undefined;
  const rung = new Promise<true>((resolve) => (ring = () => resolve(true)));
  const alarm = clock.wakeAt(clock.now().monotonicMs + ms, ring);
  const timedOut = await Promise.race([work.then(() => false), rung]);
  alarm.cancel();
  return timedOut;
}
