import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parse } from 'yaml';
import type { WatchEvent } from '../../src/api/objects.ts';
import { podsIn, Workshop } from '../cli/workshop.ts';
import type { Story } from './differences.ts';
import { eventNotes, noteText } from './event-note.ts';
import { isSameState, type PodState, podStates } from './pod-state.ts';

const SCENARIOS = path.join(import.meta.dirname, '../conformance/scenarios');

interface Scenario {
  readonly manifest: string;
  readonly flags?: readonly string[];
  readonly steps?: ReadonlyArray<{
    readonly when: { readonly after: string };
    readonly run: ReadonlyArray<string | number>;
  }>;
}

/** A run that takes longer has gone wrong. */
const LONGEST = '45s';

/** Where the node's step came at a moment that podrun passes in no time: what to wait for as well. */
const NOT_BEFORE: Readonly<Record<string, RegExp>> = { 'restart-crashloop-event': /^\{"waiting".*back-off 4s/ };

type Line = WatchEvent<unknown>;

export function storyOf(lines: readonly Line[]): Story {
  return { states: podStates(lines), events: eventNotes(lines) };
}

/**
 * Runs the manifest of a conformance scenario with the built podrun, from `apply` to its end. Each step of the scenario
 * is taken when podrun has come as far as the node had when the step showed there, but not before the time that the
 * scenario names: programs need a moment until they catch their signals, and no stream tells when they do.
 * @returns what `apply -o json` printed
 */
export async function runScenario(name: string, recorded: readonly Line[]): Promise<readonly Line[]> {
  const scenario = parse(readFileSync(path.join(SCENARIOS, `${name}.yaml`), 'utf8')) as Scenario;
  const workshop = new Workshop();
  const manifest = workshop.file('manifest.yaml', scenario.manifest);
  const since = performance.now();
  const flags = ['-o', 'json', '--timeout', LONGEST, ...(scenario.flags ?? [])];
  const podrun = workshop.start(['apply', '-f', manifest, ...flags]);
  try {
    for (const step of scenario.steps ?? []) {
      const command = step.run.map(String);
      const before = storyOf(recorded.slice(0, firstEffect(command, recorded)));
      // Should it never come so far, the comparison will say what is missing.
      await podrun.until(({ lines }) => hasCaughtUp(storyOf(lines), before, NOT_BEFORE[name])).catch(() => undefined);
      await setTimeout(Math.max(0, since + Number.parseFloat(step.when.after) * 1000 - performance.now()));
      const { exitCode, stderr } = await workshop.run(command);
      if (exitCode !== 0) throw new Error(`podrun ${command.join(' ')}: ${stderr}`);
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

/** Index of the first recorded line that shows the effect of a step. */
function firstEffect([verb = '']: readonly string[], recorded: readonly Line[]): number {
  const shows: Readonly<Record<string, (state: PodState) => boolean>> = {
    delete: ({ facts }) => facts['deletion'] !== 'no',
    patch: ({ facts }) => Object.keys(facts).some((name) => name.startsWith('condition example.com/')),
  };
  const index = recorded.findIndex((line) => podStates([line]).some(shows[verb] ?? (() => false)));
  if (index === -1) throw new Error(`no recorded line shows an effect of podrun ${verb}`);
  return index;
}

/** Has podrun shown the other's last state, as often as the other has, and all of its events? */
function hasCaughtUp(podrun: Story, other: Story, notBefore: RegExp = /^/): boolean {
  const last = other.states.at(-1);
  if (!Object.values(podrun.states.at(-1)?.facts ?? {}).some((fact) => notBefore.test(fact))) return false;
  if (last === undefined) return true;
  const times = ({ states }: Story): number => states.filter((state) => isSameState(state, last)).length;
  const told = new Set(podrun.events.map(noteText));
  return times(podrun) >= times(other) && other.events.every((event) => told.has(noteText(event)));
}
