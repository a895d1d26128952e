import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { StoredPod, WatchEvent } from '../../src/api/base/objects.ts';
import { runHere } from '../cli/in-process.ts';
import { type Ended, podsIn, type WatchLine, watchLines } from '../cli/workshop.ts';
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
/** The longest wait before a step: it comes within the run, even if podrun never shows the node's state before it. */
const LONGEST_WAIT_MS = 30_000;

/**
 * The longest pause before a step in a Pod that changes by itself, later. Startup and liveness probes begin within a
 * second on a node, and at once under podrun. A back-off ends. A later step would come after that: many probes time out
 * after a second.
 */
const LONGEST_PAUSE_MS = 500;
const KILLING_PROBE = /\b(startup|liveness)Probe:/;

/** A text in podrun's stream before a step, where a container ends shortly before: a busy machine could be late. */
const SHOWN_BEFORE: Readonly<Record<string, string>> = { 'restart-crashloop-event': 'back-off 4s restarting' };

/** The time until a started command acts, unless many commands start at the same time. */
const COMMAND_MS = 500;

/**
 * Manifests that leave too little time on a busy machine. The program ends as soon as it sees the effect of its
 * postStart hook: podrun could see the exit before the end of the hook. The probe of the second run kills it a second
 * after its start: the step before that could come too late. A postStart hook fails at once, before the shell has set a
 * trap for the stop signal.
 */
const WITH_A_MOMENT: Readonly<Record<string, (manifest: string) => string>> = {
  'hook-poststart-exec': (manifest) => manifest.replace('cat "$d/post"', 'sleep 1; cat "$d/post"'),
  'hook-poststart-tcp': (manifest) =>
    manifest.replace('{port: 18380}}', '{port: 18380}}, preStop: {sleep: {seconds: 1}}'),
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

/** The folder of all scenarios: commands of one folder run beside each other in this process. */
export class Scenarios {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'podrun-traces-'));

  /** A place for one scenario: a state folder of its own. */
  place(name: string): Place {
    const own = path.join(this.#folder, name);
    mkdirSync(own);
    return { folder: this.#folder, own, stateDir: path.join(own, 'state') };
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly folder: string;
  /** The folder of the scenario. */
  readonly own: string;
  readonly stateDir: string;
}

/** A `podrun apply` of this process. */
class Apply {
  readonly ended: Promise<Ended>;
  readonly lines: WatchLine[] = [];
  #onOutput: () => void = () => {};

  constructor(place: Place, args: readonly string[], env: Readonly<Record<string, string>>) {
    let rest = '';
    const onOutput = (text: string, stream: 'stdout' | 'stderr'): void => {
      if (stream === 'stderr') return;
      const whole = rest + text;
      const end = whole.lastIndexOf('\n') + 1;
      rest = whole.slice(end);
      this.lines.push(...watchLines(whole.slice(0, end)));
      this.#onOutput();
    };
    this.ended = runHere(place, args, { env, onOutput });
  }

  /** Resolves when the output so far fulfils a condition, at the end of the command, and when it takes too long. */
  async soon(condition: () => boolean): Promise<void> {
    let alarm: NodeJS.Timeout | undefined;
    const seen = new Promise<void>((resolve) => {
      this.#onOutput = () => condition() && resolve();
      alarm = globalThis.setTimeout(resolve, LONGEST_WAIT_MS);
      this.#onOutput();
    });
    await Promise.race([seen, this.ended]).finally(() => clearTimeout(alarm));
  }
}

/**
 * Runs the manifest of a conformance scenario, from `apply` to its end. A step whose effect is in the recording comes
 * when podrun has reached the node's state before the step, after the same delay. Other steps come at the times of the
 * scenario. podrun runs in this process: a process of its own takes five times as long, and what is compared is what
 * containers do.
 * @returns the output of `apply -o json`
 */
export async function runScenario(
  name: string,
  recorded: readonly TraceLine[],
  scenarios: Scenarios,
): Promise<readonly Line[]> {
  const scenario = readScenario(name);
  const place = scenarios.place(name);
  const text = WITH_A_MOMENT[name]?.(scenario.manifest) ?? scenario.manifest;
  const manifest = fileIn(place, 'manifest.yaml', text);
  const steps = scenario.steps ?? [];
  const effects = effectsOf(steps, recorded);
  const env: Record<string, string> = needsNamespaces(name) ? { PODRUN_RUNTIME: 'namespace' } : {};
  const begun = performance.now();
  const flags = ['-o', 'json', '--timeout', LONGEST, ...(scenario.flags ?? [])];
  const podrun = new Apply(place, ['apply', '-f', manifest, ...flags], env);
  let before = begun;
  try {
    await podrun.soon(() => podrun.lines.length > 0);
    const commandMs = performance.now() - begun;
    for (const [index, step] of steps.entries()) {
      const effect = effects[index];
      if (effect !== undefined) await untilShown(podrun, effect, { name, recorded, commandMs });
      else await untilHolds(podrun, step, { begun, before });
      before = performance.now();
      await take(step, place);
    }
    await podrun.ended;
    return podrun.lines;
  } finally {
    // It has a time limit.
    await podrun.ended;
    // Containers of scenarios keep their state in files that have the Pod's uid in the name.
    const uids = podsIn(podrun.lines).map(({ metadata }) => `podrun-${metadata?.uid}`);
    for (const file of readdirSync('/tmp').filter((name) => uids.some((uid) => name.startsWith(uid))))
      rmSync(`/tmp/${file}`, { recursive: true, force: true });
  }
}

async function take({ run, apply, flags = [], mayFail }: ScenarioStep, place: Place): Promise<void> {
  const command =
    apply === undefined ? (run ?? []).map(String) : ['apply', '-f', fileIn(place, 'more.yaml', apply), ...flags];
  const { exitCode, stderr } = await runHere(place, command);
  if (exitCode !== 0 && mayFail !== true) throw new Error(`podrun ${command.join(' ')}: ${stderr}`);
}

/** Writes a file of a scenario. */
function fileIn({ own }: Place, name: string, text: string): string {
  const file = path.join(own, name);
  writeFileSync(file, text);
  return file;
}

interface Recording {
  readonly name: string;
  readonly recorded: readonly TraceLine[];
  /** The time until a command acts on this machine now. */
  readonly commandMs: number;
}

async function untilShown(
  podrun: Apply,
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
  await podrun.soon(() => hasCaughtUp(storyOf(podrun.lines), before));
  const shownBefore = SHOWN_BEFORE[name];
  if (shownBefore !== undefined) await podrun.soon(() => JSON.stringify(podrun.lines).includes(shownBefore));
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
  podrun: Apply,
  { when }: ScenarioStep,
  moments: { readonly begun: number; readonly before: number },
): Promise<void> {
  await podrun.soon(() => holds(when, podrun.lines));
  const due = when.since === undefined ? moments.begun : moments.before;
  const ms = milliseconds(when.since ?? when.after ?? '0s');
  await setTimeout(Math.max(0, due + ms - performance.now()));
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
