import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { StoredPod, WatchEvent } from '../../src/api/base/objects.ts';
import { type Podrun, podsIn, Workshop } from '../cli/workshop.ts';
import type { TraceLine } from '../print/golden.ts';
import { comparableStory, type Story } from './differences.ts';
import { eventNotes, noteText } from './event-note.ts';
import { isToldBy } from './history.ts';
import { podStates } from './pod-state.ts';
import { needsNamespaces } from './recorded.ts';
import { milliseconds, readScenario, type ScenarioStep } from './scenario.ts';
import { type Effect, effectsOf, holds } from './step-time.ts';

/** The time limit of a run. */
const LONGEST = '45s';

/**
 * The longest pause before a step in a Pod that changes by itself, later. Startup and liveness probes begin within a
 * second on a node, and at once under podrun. A back-off ends. A later step would come after that: many probes time out
 * after a second.
 */
const LONGEST_PAUSE_MS = 500;
const KILLING_PROBE = /\b(startup|liveness)Probe:/;

/** The time until a started command acts, unless many commands start at the same time. */
const COMMAND_MS = 500;

/**
 * Manifests that leave too little time on a busy machine. The program ends as soon as it sees the effect of its
 * postStart hook: podrun could see the exit before the end of the hook. The probe of the second run kills it a second
 * after its start: the step before that could come too late.
 */
const WITH_A_MOMENT: Readonly<Record<string, (manifest: string) => string>> = {
  'hook-poststart-exec': (manifest) => manifest.replace('cat "$d/post"', 'sleep 1; cat "$d/post"'),
  'probe-exec-timeout-is-failure': (manifest) =>
    manifest.replace('timeoutSeconds: 1', 'timeoutSeconds: 1\n        initialDelaySeconds: 2'),
};

/** The precision of the order of a Pod and an Event in a recording. */
const TOGETHER_SECONDS = 0.05;

type Line = WatchEvent<unknown>;

/** The stories of the Pods in a stream, by name. */
export function storiesOf(lines: readonly Line[]): Record<string, Story> {
  const pods = lines.map(({ object }) => object as StoredPod).filter(({ kind }) => kind === 'Pod');
  const names = [...new Set(pods.map(({ metadata }) => metadata.name))];
  return Object.fromEntries(names.map((name) => [name, storyOf(lines.filter((line) => isAbout(name, line)))]));
}

/** The story of the stream of one Pod. */
export function storyOf(lines: readonly Line[]): Story {
  return { states: podStates(lines), events: eventNotes(lines) };
}

function isAbout(name: string, { object }: Line): boolean {
  const { metadata, involvedObject } = object as StoredPod & { involvedObject?: { name: string } };
  return (involvedObject ?? metadata).name === name;
}

/**
 * Runs the manifest of a conformance scenario with the built podrun, from `apply` to its end. A step whose effect is in
 * the recording comes when podrun has reached the node's state before the step, after the same delay. Other steps come
 * at the times of the scenario.
 * @returns the output of `apply -o json`
 */
export async function runScenario(name: string, recorded: readonly TraceLine[]): Promise<readonly Line[]> {
  const scenario = readScenario(name);
  const workshop = new Workshop();
  const text = WITH_A_MOMENT[name]?.(scenario.manifest) ?? scenario.manifest;
  const manifest = workshop.file('manifest.yaml', text);
  const steps = scenario.steps ?? [];
  const effects = effectsOf(steps, recorded);
  const env: Record<string, string> = needsNamespaces(name) ? { PODRUN_RUNTIME: 'namespace' } : {};
  const begun = performance.now();
  const flags = ['-o', 'json', '--timeout', LONGEST, ...(scenario.flags ?? [])];
  const podrun = workshop.start(['apply', '-f', manifest, ...flags], env);
  let before = begun;
  try {
    await soon(podrun, () => podrun.lines.length > 0);
    const commandMs = performance.now() - begun;
    for (const [index, step] of steps.entries()) {
      const effect = effects[index];
      if (effect !== undefined) await untilShown(podrun, effect, { name, recorded, commandMs });
      else await untilHolds(podrun, step, { begun, before });
      before = performance.now();
      await take(step, workshop);
    }
    await podrun.ended;
    return podrun.lines;
  } finally {
    // SIGTERM ends the containers. The workshop would kill podrun, and cannot find the containers, which have no
    // marker.
    podrun.signal('SIGTERM');
    await podrun.ended;
    for (const { metadata } of podsIn(podrun.lines))
      rmSync(`/tmp/podrun-${metadata?.uid}`, { recursive: true, force: true });
    await workshop.close();
  }
}

async function take({ run, apply, flags = [], mayFail }: ScenarioStep, workshop: Workshop): Promise<void> {
  const command =
    apply === undefined ? (run ?? []).map(String) : ['apply', '-f', workshop.file('more.yaml', apply), ...flags];
  // Steps have their times, and a command of the test's own process takes the time of everything else there.
  const { exitCode, stderr } = await workshop.start(command).ended;
  if (exitCode !== 0 && mayFail !== true) throw new Error(`podrun ${command.join(' ')}: ${stderr}`);
}

interface Recording {
  readonly name: string;
  readonly recorded: readonly TraceLine[];
  /** The time until a command acts on this machine now. */
  readonly commandMs: number;
}

async function untilShown(
  podrun: Podrun,
  { index, seconds }: Effect,
  { name, recorded, commandMs }: Recording,
): Promise<void> {
  // The effect of a step may be recorded shortly before the step: events and Pods come over separate watches.
  const isBefore = ({ t, object }: TraceLine): boolean => object.kind !== 'Event' || t < seconds - TOGETHER_SECONDS;
  const told = (count: number): Story => {
    const story = storyOf(recorded.slice(0, count).filter(isBefore));
    return comparableStory(story, { scenario: name, teller: 'node', onUse: () => {} });
  };
  const before = told(index);
  // When podrun never reaches the state, the comparison reports the difference.
  await soon(podrun, () => hasCaughtUp(storyOf(podrun.lines), before));
  const since = performance.now();
  const lengthOf = ({ states, events }: Story): number => states.length + events.length;
  let last = index;
  while (last > 1 && lengthOf(told(last - 1)) === lengthOf(before)) last--;
  const seen = recorded[last - 1]?.t ?? 0;
  const isBackingOff = JSON.stringify(before.states.at(-1)).includes('CrashLoopBackOff');
  const isHurried = isBackingOff || KILLING_PROBE.test(readScenario(name).manifest);
  const pauseMs = Math.min((seconds - seen) * 1000, isHurried ? LONGEST_PAUSE_MS : Infinity);
  const dueMs = since + pauseMs - Math.min(commandMs, COMMAND_MS);
  await setTimeout(Math.max(0, dueMs - performance.now()));
}

/** @param moments the start of podrun, and the time of the step before */
async function untilHolds(
  podrun: Podrun,
  { when }: ScenarioStep,
  moments: { readonly begun: number; readonly before: number },
): Promise<void> {
  await soon(podrun, () => holds(when, podrun.lines));
  const due = when.since === undefined ? moments.begun : moments.before;
  const ms = milliseconds(when.since ?? when.after ?? '0s');
  await setTimeout(Math.max(0, due + ms - performance.now()));
}

/** Resolves when the condition holds, and also when the time is up. */
function soon(podrun: Podrun, condition: () => boolean): Promise<void> {
  return Promise.race([podrun.until(condition).catch(() => undefined), podrun.ended.then(() => undefined)]);
}

/** True when podrun has shown the other side's last state, as often as the other side, and all of its events. */
function hasCaughtUp(podrun: Story, other: Story): boolean {
  const last = other.states.at(-1);
  if (last === undefined) return true;
  const times = ({ states }: Story): number => states.filter((state) => isToldBy(state, last)).length;
  const count = (events: Story['events'], text: string): number =>
    events.filter((one) => noteText(one) === text).length;
  const hasTold = (text: string): boolean => count(podrun.events, text) >= count(other.events, text);
  return times(podrun) >= times(other) && other.events.every((event) => hasTold(noteText(event)));
}
