import { isSidecar } from '../../../src/api/base/objects.ts';
import type { Container } from '../../../src/api/generated/types.ts';
import { type Chronicle } from '../scenario/chronicle.ts';
import { isStarting, type Life, lives } from '../scenario/life.ts';
import type { Entry } from '../scenario/entry.ts';
import { mayRestart } from '../scenario/restart-rules.ts';
import { backOffDueMs, isLeftAlone } from './expected-back-off.ts';

/** The instance of a start entry. */
function startIn(entry: Entry, past: Chronicle): Life | undefined {
  return entry.type === 'machine' && entry.entry.what === 'start' ? past.life(entry.entry.id) : undefined;
}

/** The previous instance. */
function before(life: Life, past: Chronicle): Life | undefined {
  const all = past.livesOf(life.container);
  return all[all.indexOf(life) - 1];
}

/** An instance starts when no process of the previous one is left, background children included. Source: CRI. */
export function oneInstanceAtATime(entry: Entry, past: Chronicle): string | undefined {
  const life = startIn(entry, past);
  const last = life && before(life, past);
  if (last === undefined || last.sweptAtMs !== undefined) return undefined;
  return `${life?.id} while ${last.id} is not gone`;
}

/**
 * Containers of a Pod start one by one: the next one waits for the postStart hook of the previous one. Source:
 * kuberuntime_manager.go SyncPod.
 */
export function startsComeOneByOne(entry: Entry, past: Chronicle): string | undefined {
  const life = startIn(entry, past);
  const busy = life && past.lives.find((other) => other !== life && (isStarting(other) || hookIsDue(other, past)));
  return busy === undefined ? undefined : `${life?.id} while ${busy.id} is being started`;
}

function hookIsDue(life: Life, past: Chronicle): boolean {
  if (!lives(life) || past.container(life.container).lifecycle?.postStart?.exec === undefined) return false;
  return life.commands.some(({ purpose, endedAtMs }) => purpose === 'postStart' && endedAtMs === undefined);
}

/** Containers run only in a ready sandbox. Source: kuberuntime_manager.go SyncPod. */
export function sandboxComesFirst(entry: Entry, past: Chronicle): string | undefined {
  return startIn(entry, past) === undefined || past.sandbox === 'ready' ? undefined : `the sandbox is ${past.sandbox}`;
}

/**
 * A container starts after its init containers have ended with 0 and its sidecars have started, in this round. Source:
 * kuberuntime_container.go computeInitContainerActions; KEP-753.
 */
export function initContainersComeFirst(entry: Entry, past: Chronicle): string | undefined {
  const life = startIn(entry, past);
  // Ephemeral containers do not wait for init containers.
  if (life === undefined || past.isEphemeral(life.container)) return undefined;
  const init = past.spec.initContainers ?? [];
  const index = init.findIndex(({ name }) => name === life.container);
  // A sidecar that has run before restarts, whatever the other containers do.
  const isAgain = past.livesOf(life.container).some((other) => other !== life && other.round === life.round);
  if (isAgain && (index < 0 || isSidecar(init[index]!))) return undefined;
  const open = init.slice(0, index < 0 ? init.length : index).find((one) => !isDone(one, life, past));
  return open === undefined ? undefined : `${life.id} before ${open.name} is done`;
}

function isDone(container: Container, life: Life, past: Chronicle): boolean {
  const ofThisRound = past.livesOf(container.name).filter(({ round }) => round === life.round);
  if (!isSidecar(container)) return ofThisRound.some(({ exit }) => exit?.exitCode === 0 && !exit.oomKilled);
  return ofThisRound.some(
    (one) =>
      one.runningAtMs !== undefined &&
      (container.startupProbe === undefined ||
        one.commands.some(({ purpose, outcome }) => purpose === 'startup' && isGood(outcome))),
  );
}

function isGood(outcome: Life['commands'][number]['outcome']): boolean {
  return outcome?.type === 'exited' && outcome.exitCode === 0;
}

/** At most one init container runs at a time, sidecars apart. Source: computeInitContainerActions. */
export function initContainersRunOneByOne(entry: Entry, past: Chronicle): string | undefined {
  const life = startIn(entry, past);
  if (life === undefined || !past.plainInit.some(({ name }) => name === life.container)) return undefined;
  const other = past.plainInit.find(({ name }) => name !== life.container && past.isAlive(name));
  return other === undefined ? undefined : `${life.id} while ${other.name} runs`;
}

/** An init container that is done does not run again in the same round. Source: KEP-753, Kubernetes docs. */
export function doneInitContainersRest(entry: Entry, past: Chronicle): string | undefined {
  const life = startIn(entry, past);
  if (life === undefined || !past.plainInit.some(({ name }) => name === life.container)) return undefined;
  const last = before(life, past);
  if (last === undefined || last.round !== life.round || last.exit === undefined || last.exit.oomKilled)
    return undefined;
  return last.exit.exitCode === 0 ? `${life.id} after ${last.id} was done` : undefined;
}

/** A terminating Pod starts nothing. Source: pod_workers.go. */
export function nothingStartsInADyingPod(entry: Entry, past: Chronicle): string | undefined {
  const life = startIn(entry, past);
  if (life === undefined || past.ending === undefined) return undefined;
  return `${life.id} after the end began (${past.ending.cause})`;
}

/**
 * A container restarts only if it may: rules come first, then the container's policy, then the Pod's. A probe, a new
 * image or the rule of another container may restart any container. Source: pkg/kubelet/container/helpers.go
 * ShouldContainerBeRestarted.
 */
export function policyAllowsRestart(entry: Entry, past: Chronicle): string | undefined {
  const life = startIn(entry, past);
  const last = life && before(life, past);
  if (last === undefined || last.round !== life?.round) return undefined;
  if (last.killings.some(({ message }) => /will be restarted|Init container/.test(message))) return undefined;
  const exitCode = last.exit?.exitCode ?? 128;
  const container = past.container(life.container);
  const isFailedInit = last.exit?.oomKilled === true && past.plainInit.some(({ name }) => name === container.name);
  if (mayRestart(past.spec, container, exitCode) || isFailedInit) return undefined;
  return `${life.id}, although ${last.id} ended with ${exitCode}`;
}

/** An ephemeral container runs once. Source: kuberuntime_manager.go computePodActions; Kubernetes docs. */
export function ephemeralContainersRunOnce(entry: Entry, past: Chronicle): string | undefined {
  const life = startIn(entry, past);
  if (life === undefined || !past.isEphemeral(life.container)) return undefined;
  return before(life, past) === undefined ? undefined : `${life.id} is started again`;
}

/** The image and the configuration of a container are present at its start. Source: kuberuntime startContainer. */
export function imageAndConfigComeFirst(entry: Entry, past: Chronicle): string | undefined {
  const life = startIn(entry, past);
  if (life === undefined) return undefined;
  const { imageAbsentUntilMs = {}, configMissingUntilMs = {} } = past.scenario.faults;
  const dueMs = Math.max(imageAbsentUntilMs[life.container] ?? 0, configMissingUntilMs[life.container] ?? 0);
  return entry.atMs >= dueMs ? undefined : `${life.id} without its image or configuration`;
}

/**
 * The back-off of a container that nobody stops: the first restart at once, then 10, 20, 40 … 300 s after the previous
 * end. Never sooner, and later only when something delays the start. Source: kuberuntime_manager.go doBackOff.
 */
export function backOffIsKept(entry: Entry, past: Chronicle): string | undefined {
  const life = startIn(entry, past);
  if (life === undefined || !isLeftAlone(life.container, past)) return undefined;
  const dueMs = backOffDueMs(life, past);
  if (dueMs === undefined) return undefined;
  if (entry.atMs < dueMs) return `${life.id} came ${dueMs - entry.atMs} ms too early`;
  return undefined;
}
