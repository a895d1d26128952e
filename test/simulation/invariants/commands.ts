import { type Chronicle } from '../scenario/chronicle.ts';
import { type CommandRun, type Life } from '../scenario/life.ts';
import type { Entry } from '../scenario/entry.ts';
import type { Purpose } from '../scenario/scenario.ts';

/** The command that begins with this entry, and its container. */
function commandIn(entry: Entry, past: Chronicle): { readonly life: Life; readonly run: CommandRun } | undefined {
  if (entry.type !== 'machine' || entry.entry.what !== 'exec') return undefined;
  const life = past.life(entry.entry.id);
  return { life, run: life.commands.at(-1)! };
}

const PROBES = new Set<Purpose>(['startup', 'liveness', 'readiness']);

/** Hooks and probes run in a container whose end is not reported yet. Source: CRI ExecSync. */
export function commandsRunInRunningContainers(entry: Entry, past: Chronicle): string | undefined {
  const { life, run } = commandIn(entry, past) ?? {};
  if (life === undefined) return undefined;
  return life.runningAtMs !== undefined && life.exitReportedAtMs === undefined
    ? undefined
    : `${run?.purpose} in ${life.id}, which does not run`;
}

/** Commands end with their container: at the end of an instant no command runs in a container with a reported end. */
export function commandsEndWithTheirContainer(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled') return undefined;
  for (const life of past.lives) {
    if (life.exitReportedAtMs === undefined) continue;
    const left = life.commands.find(({ endedAtMs }) => endedAtMs === undefined);
    if (left !== undefined) return `${left.purpose} goes on in ${life.id}`;
  }
  return undefined;
}

/** Liveness and readiness probes of an instance run after its startup probe has passed. Source: prober/worker.go. */
export function startupProbeComesFirst(entry: Entry, past: Chronicle): string | undefined {
  const { life, run } = commandIn(entry, past) ?? {};
  if (life === undefined || !PROBES.has(run!.purpose)) return undefined;
  const hasStartup = past.container(life.container).startupProbe !== undefined;
  const passed = life.commands.some(({ purpose, outcome }) => purpose === 'startup' && isGood(outcome));
  if (run!.purpose === 'startup') return passed ? `${life.id} is probed for its start again` : undefined;
  return hasStartup && !passed ? `${run!.purpose} of ${life.id} before its start` : undefined;
}

function isGood(outcome: CommandRun['outcome']): boolean {
  return outcome?.type === 'exited' && outcome.exitCode === 0;
}

/** A probe waits for its initialDelaySeconds, less up to a second. Source: worker.go doProbe. */
export function probesWaitForTheirDelay(entry: Entry, past: Chronicle): string | undefined {
  const { life, run } = commandIn(entry, past) ?? {};
  if (life === undefined || !PROBES.has(run!.purpose)) return undefined;
  const { startupProbe, livenessProbe, readinessProbe } = past.container(life.container);
  const probes = { startup: startupProbe, liveness: livenessProbe, readiness: readinessProbe };
  const delayMs = 1000 * (probes[run!.purpose as keyof typeof probes]?.initialDelaySeconds ?? 0);
  const atMs = entry.atMs - (life.runningAtMs ?? 0);
  return atMs > delayMs - 1000 ? undefined : `${run!.purpose} of ${life.id} after ${atMs} ms`;
}

/** Attempts of one probe do not overlap. Source: worker.go (one goroutine each). */
export function probesDoNotOverlap(entry: Entry, past: Chronicle): string | undefined {
  const { life, run } = commandIn(entry, past) ?? {};
  const other = life?.commands.find(
    (one) => one !== run && one.purpose === run?.purpose && one.endedAtMs === undefined,
  );
  return other === undefined ? undefined : `${run?.purpose} of ${life?.id} twice at once`;
}

/** A terminating Pod has only readiness probes. Source: worker.go doProbe. */
export function noLivenessInADyingPod(entry: Entry, past: Chronicle): string | undefined {
  const { life, run } = commandIn(entry, past) ?? {};
  if (past.ending === undefined || (run?.purpose !== 'liveness' && run?.purpose !== 'startup')) return undefined;
  return `${run.purpose} of ${life?.id}`;
}

/** A hook runs once in an instance. Source: kuberuntime_container.go startContainer, killContainer. */
export function hooksRunOnce(entry: Entry, past: Chronicle): string | undefined {
  const { life, run } = commandIn(entry, past) ?? {};
  if (life === undefined || PROBES.has(run!.purpose)) return undefined;
  const runs = life.commands.filter(({ purpose }) => purpose === run!.purpose);
  return runs.length === 1 ? undefined : `${run!.purpose} of ${life.id} ran ${runs.length} times`;
}

/** A preStop hook runs only in an instance that is being stopped, not after its own end. Source: killContainer. */
export function preStopMeansStop(entry: Entry, past: Chronicle): string | undefined {
  const { life, run } = commandIn(entry, past) ?? {};
  if (run?.purpose !== 'preStop' || life === undefined) return undefined;
  if (life.signalledAtMs !== undefined) return `${life.id} was signalled before`;
  // A Pod that was removed by force has no Killing event.
  return life.killings.length > 0 || past.isRemoved ? undefined : `nobody stops ${life.id}`;
}

/**
 * The status shows no container as running, and no probe runs, before its postStart hook has succeeded. A terminating
 * Pod runs no postStart hook. Source: kuberuntime SyncPod.
 */
export function postStartComesFirst(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'pod' || past.isDone) return undefined;
  for (const { name, lifecycle } of past.containers) {
    if (lifecycle?.postStart?.exec === undefined || past.ending !== undefined) continue;
    const status = past.status(name);
    const life = status?.state?.running && past.shown(status);
    const hook = life?.commands.find(({ purpose }) => purpose === 'postStart');
    if (life !== undefined && !isGood(hook?.outcome)) return `${life.id} is shown before its postStart hook has passed`;
  }
  return undefined;
}

/** A probe kills a container after failureThreshold failures in a row, across restarts. Source: worker.go. */
export function probesKillAtTheirThreshold(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'event' || entry.event.reason !== 'Killing') return undefined;
  const [, name = '', type = ''] =
    /ontainer (\S+) failed (liveness|startup) probe/.exec(entry.event.message ?? '') ?? [];
  if (name === '') return undefined;
  const { livenessProbe, startupProbe } = past.container(name);
  const threshold = (type === 'liveness' ? livenessProbe : startupProbe)?.failureThreshold ?? 3;
  const runs = past.livesOf(name).flatMap(({ commands }) => commands.filter(({ purpose }) => purpose === type));
  const answers = runs.flatMap(({ outcome }) =>
    outcome === undefined || outcome.type === 'aborted' || outcome.type === 'failedToStart' ? [] : [isGood(outcome)],
  );
  const inARow = answers.length - 1 - answers.lastIndexOf(true);
  return inARow >= threshold ? undefined : `${name} was killed after ${inARow} failures of ${threshold}`;
}
