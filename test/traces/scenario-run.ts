import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { StoredPod, WatchEvent } from '../../src/api/objects.ts';
import { type Podrun, podsIn, Workshop } from '../cli/workshop.ts';
import type { TraceLine } from '../print/golden.ts';
import { comparableStory, type Story } from './differences.ts';
import { eventNotes, noteText } from './event-note.ts';
import { isSameState, podStates } from './pod-state.ts';
import { needsNamespaces } from './recorded.ts';
import { milliseconds, readScenario, type ScenarioStep } from './scenario.ts';
import { type Effect, effectsOf, holds } from './step-time.ts';

/** A run that takes longer has gone wrong. */
const LONGEST = '45s';

type Line = WatchEvent<unknown>;

/** What a stream tells of its Pods, by name. */
export function storiesOf(lines: readonly Line[]): Record<string, Story> {
  const pods = lines.map(({ object }) => object as StoredPod).filter(({ kind }) => kind === 'Pod');
  const names = [...new Set(pods.map(({ metadata }) => metadata.name))];
  return Object.fromEntries(names.map((name) => [name, storyOf(lines.filter((line) => isAbout(name, line)))]));
}

/** What the stream of one Pod tells. */
export function storyOf(lines: readonly Line[]): Story {
  return { states: podStates(lines), events: eventNotes(lines) };
}

function isAbout(name: string, { object }: Line): boolean {
  const { metadata, involvedObject } = object as StoredPod & { involvedObject?: { name: string } };
  return (involvedObject ?? metadata).name === name;
}

/**
 * Runs the manifest of a conformance scenario with the built podrun, from `apply` to its end. A step of which the
 * recording shows the effect is taken when podrun has come as far as the node had by then, and as long after that as
 * there: programs need a moment until they catch their signals. The others wait for what the scenario says.
 * @returns what `apply -o json` printed
 */
export async function runScenario(name: string, recorded: readonly TraceLine[]): Promise<readonly Line[]> {
  const scenario = readScenario(name);
  const workshop = new Workshop();
  const manifest = workshop.file('manifest.yaml', scenario.manifest);
  const steps = scenario.steps ?? [];
  const effects = effectsOf(steps, recorded);
  const env: Record<string, string> = needsNamespaces(name) ? { PODRUN_RUNTIME: 'namespace' } : {};
  const begun = performance.now();
  const flags = ['-o', 'json', '--timeout', LONGEST, ...(scenario.flags ?? [])];
  const podrun = workshop.start(['apply', '-f', manifest, ...flags], env);
  let before = begun;
  try {
    for (const [index, step] of steps.entries()) {
      const effect = effects[index];
      if (effect !== undefined) await untilShown(podrun, effect, { name, recorded });
      else await untilHolds(podrun, step, { begun, before });
      before = performance.now();
      await take(step, workshop);
    }
    await podrun.ended;
    return podrun.lines;
  } finally {
    // Killing it, as the workshop would, would let its containers run on: nothing marks them as ours.
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
  const { exitCode, stderr } = await workshop.run(command);
  if (exitCode !== 0 && mayFail !== true) throw new Error(`podrun ${command.join(' ')}: ${stderr}`);
}

interface Recording {
  readonly name: string;
  readonly recorded: readonly TraceLine[];
}

async function untilShown(podrun: Podrun, { index, seconds }: Effect, { name, recorded }: Recording): Promise<void> {
  const told = (count: number): Story =>
    comparableStory(storyOf(recorded.slice(0, count)), { scenario: name, teller: 'node', onUse: () => {} });
  const before = told(index);
  // Should it never come so far, the comparison will say what is missing.
  await soon(podrun, () => hasCaughtUp(storyOf(podrun.lines), before));
  const since = performance.now();
  const lengthOf = ({ states, events }: Story): number => states.length + events.length;
  let last = index;
  while (last > 1 && lengthOf(told(last - 1)) === lengthOf(before)) last--;
  const seen = recorded[last - 1]?.t ?? 0;
  await setTimeout(Math.max(0, since + (seconds - seen) * 1000 - performance.now()));
}

/** @param moments when podrun was started, and when the step before was taken */
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

/** Resolves when something holds, and also when it never comes to that. */
function soon(podrun: Podrun, condition: () => boolean): Promise<void> {
  return Promise.race([podrun.until(condition).catch(() => undefined), podrun.ended.then(() => undefined)]);
}

/** Has podrun shown the other's last state, as often as the other has, and all of its events? */
function hasCaughtUp(podrun: Story, other: Story): boolean {
  const last = other.states.at(-1);
  if (last === undefined) return true;
  const times = ({ states }: Story): number => states.filter((state) => isSameState(state, last)).length;
  const told = new Set(podrun.events.map(noteText));
  return times(podrun) >= times(other) && other.events.every((event) => told.has(noteText(event)));
}
