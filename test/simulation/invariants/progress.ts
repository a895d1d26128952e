import { isSidecar } from '../../../src/api/base/objects.ts';
import { type Chronicle } from '../scenario/chronicle.ts';
import { endOf, isStarting, lives } from '../scenario/life.ts';
import type { Entry } from '../scenario/entry.ts';
import { mayRestart } from '../scenario/restart-rules.ts';
import { backOffDueMs, isLeftAlone } from './expected-back-off.ts';

/** A Pod that is over rests: nothing is started, signalled, run, written or reported. */
export function deadPodRests(entry: Entry, past: Chronicle): string | undefined {
  if (!past.isOver || entry.type === 'over' || entry.type === 'settled' || entry.type === 'happening') return undefined;
  const what = entry.type === 'machine' ? entry.entry.what : entry.type;
  // The machine may still end abandoned commands.
  return what === 'execEnd' || what === 'swept' ? undefined : `${what} after the Pod was given back`;
}

/** A finished Pod leaves no process and no alarm. */
export function nothingIsLeft(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled' || !past.isOver) return undefined;
  const left = past.lives.find((life) => isStarting(life) || lives(life) || life.sweptAtMs === undefined);
  if (left !== undefined) return `${left.id} is not gone`;
  return entry.alarms === 0 ? undefined : `${entry.alarms} alarms are set`;
}

/**
 * A Pod ends within its grace period and the minimum of two seconds, whatever its programs, hooks and sidecars do.
 * Source: lifecycle of a stop (kuberuntime_container.go killContainer).
 */
export function endComesInTime(entry: Entry, past: Chronicle): string | undefined {
  const { ending, scenario } = past;
  if (entry.type !== 'settled' || past.isOver || ending === undefined) return undefined;
  const programs = Object.values(scenario.programs).flat();
  const most = (field: 'startDelayMs' | 'sweepMs' | 'exitReportedAfterMs'): number =>
    Math.max(0, ...programs.map((program) => program[field] ?? 0));
  const machineMs =
    most('startDelayMs') + most('sweepMs') + most('exitReportedAfterMs') + (scenario.faults.sandboxMs ?? 0);
  const graceEndsMs = Math.min(...ending.requests.map(({ atMs, graceMs }) => atMs + graceMs)) + 4000;
  const dueMs = ending.forcedAtMs ?? lastGraceMs(past, graceEndsMs);
  return entry.atMs <= dueMs + machineMs ? undefined : `the end began at ${ending.sinceMs} ms`;
}

/** A container that started only then has a grace period of its own. */
function lastGraceMs({ lives, ending }: Chronicle, graceEndsMs: number): number {
  const least = Math.min(...(ending?.requests ?? []).map(({ graceMs }) => graceMs));
  const starts = lives.filter(({ runningAtMs }) => (runningAtMs ?? 0) >= (ending?.sinceMs ?? 0));
  return Math.max(graceEndsMs, ...starts.map(({ runningAtMs }) => (runningAtMs ?? 0) + least + 4000));
}

/** True when the Pod waits for nothing but its containers. */
function isUp(past: Chronicle): boolean {
  return past.ending === undefined && !past.isOver && !past.isDone && !past.restartsAll && past.sandbox === 'ready';
}

/** True while a start or its hook is under way, for which other starts wait. */
function isBusy(past: Chronicle): boolean {
  return past.lives.some((life) => isStarting(life) || (life.exitReportedAtMs === undefined && hookRunsOrFailed(life)));
}

function hookRunsOrFailed({ commands, killings }: Chronicle['lives'][number]): boolean {
  if (killings.some(({ message }) => message === 'FailedPostStartHook')) return true;
  return commands.some(({ purpose, endedAtMs }) => purpose === 'postStart' && endedAtMs === undefined);
}

/** A container that nobody stops starts again as soon as its back-off is over. Source: computePodActions. */
export function restartsComeInTime(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled' || !isUp(past) || isBusy(past)) return undefined;
  for (const container of past.containers) {
    const { name } = container;
    const last = past.newest(name);
    if (last === undefined || !isLeftAlone(name, past) || !isInitialized(name, past)) continue;
    const endedMs = last.failedAtMs ?? last.sweptAtMs;
    if (endedMs === undefined || endOf(last) === undefined) continue;
    if (!mayRestart(past.spec, container, last.exit?.exitCode ?? 128)) continue;
    const dueMs = Math.max(backOffDueMs(undefined, past, name) ?? 0, endedMs, sleepUntilMs(past));
    if (entry.atMs >= dueMs) return `${name} was due at ${dueMs} ms`;
  }
  return undefined;
}

/** A start without its configuration is tried again every 10 s. Source: pod_workers.go (backOffPeriod). */
export function configIsTriedAgain(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled' || !isUp(past) || isBusy(past)) return undefined;
  for (const [name, untilMs] of Object.entries(past.scenario.faults.configMissingUntilMs ?? {})) {
    const isRefused = past.status(name)?.state?.waiting?.reason === 'CreateContainerConfigError';
    const [first] = past.spec.initContainers ?? [];
    const isRegular = past.spec.containers.some((one) => one.name === name);
    const isWanted = isRefused && (isRegular ? isInitialized(name, past) : first?.name === name);
    if (isWanted && entry.atMs > untilMs + 10_000 + lastHookMs(past)) return `${name} was complete at ${untilMs} ms`;
  }
  return undefined;
}

/** The longest postStart hook, by which other starts may be delayed. */
function lastHookMs({ lives: all }: Chronicle): number {
  const hooks = all.flatMap(({ commands }) => commands.filter(({ purpose }) => purpose === 'postStart'));
  return hooks.reduce((sum, { startedAtMs, endedAtMs = startedAtMs }) => sum + endedAtMs - startedAtMs, 2000);
}

/** The end of the last sleep as a postStart hook. The machine does not show such hooks. */
function sleepUntilMs(past: Chronicle): number {
  const ends = past.lives.map(({ container, runningAtMs }) => {
    const seconds = past.container(container).lifecycle?.postStart?.sleep?.seconds;
    return seconds === undefined || runningAtMs === undefined ? 0 : runningAtMs + seconds * 1000;
  });
  // The other delayed starts come first.
  return Math.max(0, ...ends);
}

/** True when a container should be running: regular containers wait for the init containers of a round. */
function isInitialized(name: string, past: Chronicle): boolean {
  const init = past.spec.initContainers ?? [];
  const isRegular = past.spec.containers.some((one) => one.name === name);
  if (!isRegular) return true;
  return init.every((one) => {
    const last = past.newest(one.name);
    if (!isSidecar(one)) return last?.exit?.exitCode === 0;
    return past.status(one.name)?.started === true && last !== undefined && lives(last);
  });
}

/**
 * When nothing will happen by itself any more, a process still runs, every container that could start has started, and
 * a terminating Pod has ended.
 */
export function nothingIsStuck(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled' || past.isOver || entry.alarms > 0) return undefined;
  if ((past.spec.schedulingGates ?? []).length > 0) return undefined;
  if (past.ending !== undefined) return `its end began at ${past.ending.sinceMs} ms and does not come`;
  const alive = past.containers.filter(({ name }) => past.isAlive(name));
  if (alive.length === 0) return 'nothing runs';
  const { containers: regular } = past.spec;
  const runs = (name: string): boolean => alive.some((one) => one.name === name);
  const initRuns = past.plainInit.some(({ name }) => runs(name));
  for (const container of regular) {
    const last = past.newest(container.name);
    if (runs(container.name)) continue;
    if (last === undefined || last.round !== past.round) {
      if (!initRuns && !isBusy(past)) return `${container.name} is never started`;
    } else if (mayRestart(past.spec, container, last.exit?.exitCode ?? 128)) {
      if (!initRuns && !isBusy(past)) return `${container.name} is never restarted`;
    }
  }
  return regular.some(({ name }) => runs(name)) || initRuns || isBusy(past) ? undefined : 'only sidecars are left';
}
