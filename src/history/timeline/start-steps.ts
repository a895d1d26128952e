import { type Container, isTerminalPhase } from '../../api/index.ts';
import { probeNumbers, type ProbeNumbers, probeOf, type ProbeType, WAITING } from '../../lifecycle/index.ts';
import type { AttemptStory, ContainerStory, ProbeSpan, RunStory } from '../story/model.ts';
import type { NewStep, PathWriter, StepKind } from './model.ts';

/** A container on the path, and the story that it is part of. */
export interface PathContainer {
  readonly story: RunStory;
  readonly container: ContainerStory;
}

/** The container in the manifest. */
export function specOf({ pod }: RunStory, name: string): Container | undefined {
  const { initContainers = [], containers } = pod.spec;
  return [...initContainers, ...containers].find((container) => container.name === name);
}

const BACK_OFF: ReadonlySet<string | undefined> = new Set([WAITING.crashLoopBackOff, WAITING.imagePullBackOff]);
const ORDINARY: ReadonlySet<string | undefined> = new Set([
  undefined,
  WAITING.containerCreating,
  WAITING.podInitializing,
  WAITING.restartingAllContainers,
]);

/** Adds the steps during which a container did not run: image, back-off, hooks of earlier containers. */
export function waitSteps(path: PathWriter, on: PathContainer, untilMs: number): void {
  const { name, role, waits, attempts } = on.container;
  const hasRun = attempts.some(({ toMs }) => toMs <= path.atMs);
  const runsAgain = attempts.some(({ fromMs }) => fromMs >= path.atMs) || !isTerminalPhase(on.story.pod.status.phase);
  const ordinary: StepKind = !hasRun ? 'creating' : runsAgain ? 'restart' : 'reporting';
  const named = { container: name, role };
  for (const { fromMs, toMs, reason, message } of waits) {
    if (toMs <= path.atMs || fromMs >= untilMs) continue;
    ordinarySteps(path, on, { kind: ordinary, ...named }, Math.min(fromMs, untilMs));
    const until = Math.min(toMs, untilMs);
    if (ORDINARY.has(reason)) ordinarySteps(path, on, { kind: ordinary, ...named }, until);
    else path.add({ kind: BACK_OFF.has(reason) ? 'backOff' : 'blocked', ...named, reason, message }, until);
  }
  ordinarySteps(path, on, { kind: ordinary, ...named }, untilMs);
}

/** Adds the wait for earlier containers and their postStart hooks, and the pull of the image as a step of its own. */
function ordinarySteps(path: PathWriter, on: PathContainer, step: NewStep, untilMs: number): void {
  const { story, container } = on;
  const others = story.containers.filter(({ name, role }) => name !== container.name && role === container.role);
  const parts = [
    ...others.flatMap(({ name, role, hooks }) =>
      hooks
        .filter(({ hook }) => hook === 'postStart')
        .map(({ fromMs, toMs, attempt }) => {
          const field = fieldOf(on, name, 'lifecycle.postStart');
          return { step: { kind: 'postStart', container: name, role, attempt, field } as const, fromMs, toMs };
        }),
    ),
    ...imagePulls(on).map((pull) => ({ ...pull, step: { ...step, kind: 'image' } as const })),
  ];
  for (const part of parts.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (part.toMs <= path.atMs || part.fromMs >= Math.min(untilMs, story.endMs)) continue;
    path.add(step, Math.min(part.fromMs, untilMs));
    path.add(part.step, Math.min(part.toMs, untilMs));
  }
  path.add(step, untilMs);
}

function imagePulls({ story, container }: PathContainer): Array<{ readonly fromMs: number; readonly toMs: number }> {
  const own = story.events.filter((event) => event.container === container.name);
  return own.flatMap(({ reason, atMs }, index) => {
    const pulled = own.slice(index).find((event) => event.reason === 'Pulled');
    return reason === 'Pulling' && pulled !== undefined ? [{ fromMs: atMs, toMs: pulled.atMs }] : [];
  });
}

/** Adds the steps from the start of a process until it was ready. */
export function startSteps(path: PathWriter, on: PathContainer, attempt: AttemptStory, untilMs: number): void {
  const { container, story } = on;
  const named = { container: container.name, role: container.role, attempt: attempt.attempt };
  for (const { hook, toMs, attempt: number } of container.hooks) {
    if (hook !== 'postStart' || number !== attempt.attempt) continue;
    path.add(
      { kind: 'postStart', ...named, field: fieldOf(on, container.name, 'lifecycle.postStart') },
      Math.min(toMs, untilMs),
    );
  }
  const spec = specOf(story, container.name);
  if (spec?.startupProbe)
    probeSteps(path, on, { attempt, type: 'startup' }, Math.min(attempt.startedUpMs ?? untilMs, untilMs));
  if (spec?.readinessProbe) probeSteps(path, on, { attempt, type: 'readiness' }, untilMs);
  path.add({ kind: 'reporting', ...named }, untilMs);
}

interface Probing {
  readonly attempt: AttemptStory;
  readonly type: ProbeType;
}

/** Adds the attempts of a probe until enough have succeeded. */
function probeSteps(path: PathWriter, on: PathContainer, { attempt, type }: Probing, untilMs: number): void {
  const { name, role, probes } = on.container;
  const spec = specOf(on.story, name);
  const probe = spec === undefined ? undefined : probeOf(spec, type);
  if (probe === undefined) return;
  const named = { container: name, role, attempt: attempt.attempt, probe: type };
  const field = (of: keyof ProbeNumbers): string | undefined => fieldOf(on, name, `${type}Probe.${of}`);
  const tried = probes.filter(
    (span) =>
      span.probe === type &&
      span.attempt === attempt.attempt &&
      span.fromMs <= untilMs &&
      span.decision !== 'abandoned',
  );
  const [first] = tried;
  if (first === undefined) return path.add({ kind: 'probing', ...named }, untilMs);
  const delayMs = probeNumbers(probe).initialDelaySeconds * 1000;
  const delayEndMs = Math.min(attempt.fromMs + delayMs, first.fromMs, untilMs);
  if (delayMs > 0) path.add({ kind: 'initialDelay', ...named, field: field('initialDelaySeconds') }, delayEndMs);
  path.add({ kind: 'firstTick', ...named, field: field('periodSeconds') }, first.fromMs);
  const lastBad = tried.findLastIndex((probed) => !isGood(probed));
  const good = tried.slice(lastBad + 1);
  const failing = { kind: 'failing', ...named, probes: lastBad + 1 } as const;
  const [firstGood] = good;
  if (firstGood === undefined) return path.add(failing, untilMs);
  path.add(failing, tried[lastBad]?.toMs ?? 0);
  path.add({ kind: 'lastPeriod', ...named, field: field('periodSeconds') }, firstGood.fromMs);
  path.add({ kind: 'probe', ...named }, firstGood.toMs);
  const further = {
    kind: 'successThreshold',
    ...named,
    probes: good.length,
    field: field('successThreshold'),
  } as const;
  path.add(further, good.at(-1)?.toMs ?? 0);
}

/** True for a result that counts as a success. */
export function isGood({ result }: ProbeSpan): boolean {
  return result === 'success' || result === 'warning';
}

/** The path in the manifest: `spec.containers[0].startupProbe.periodSeconds`. */
function fieldOf({ story }: PathContainer, container: string, rest: string): string | undefined {
  const { spec } = story.pod;
  for (const list of ['initContainers', 'containers'] as const) {
    const index = (spec[list] ?? []).findIndex(({ name }) => name === container);
    if (index >= 0) return `spec.${list}[${index}].${rest}`;
  }
  return undefined;
}
