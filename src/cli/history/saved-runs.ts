import { quietly } from '../../quietly.ts';
import { DEFAULT_NAMESPACE, type StoredEvent, type StoredPod, usage, type WatchEvent } from '../../api/index.ts';
import { type NamedRun, runsInStream } from '../../history/index.ts';
import { FAULT_INJECTED } from '../../lifecycle/index.ts';
import { type FileStore, readUpTo, RecordedRuns, textUpTo, unreadableFile } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';

type StreamLine = WatchEvent<StoredPod | StoredEvent>;

/** True when the word names a file, and not a run. */
function isRunFile(name: string): boolean {
  return name === '-' || name.includes('/') || /\.(?:nd)?jsonl?$/.test(name);
}

/**
 * Reads the runs in the output of `apply -o json` or `get -w -o json --output-watch-events`; `-` is standard input.
 * @throws {PodrunError} (usage) when the file cannot be read, or has no Pod
 */
export async function runsInFile(cli: Cli, file: string): Promise<NamedRun[]> {
  const runs = runsInText(await readText(cli, file), file === '-' ? 'standard input' : file);
  if (runs.length === 0) throw usage(`${file} has no Pod`, 'Use a saved output of podrun apply -o json.');
  return runs;
}

/**
 * Reads the runs in the output of `apply -o json`.
 * @param source the origin of the text, for messages
 * @throws {PodrunError} (usage) for a line that is no JSON
 */
export function runsInText(text: string, source: string): NamedRun[] {
  return runsInStream(streamLines(text, source)).map((recorded) => ({ run: recorded.name, recorded }));
}

/**
 * The names of the nodes with faults on purpose in the output of `apply -o json`, one for each fault.
 * @param source the origin of the text, for messages
 * @throws {PodrunError} (usage) for a line that is no JSON
 */
export function nodesLostIn(text: string, source: string): string[] {
  return streamLines(text, source).flatMap(({ object }) => {
    if (object.kind !== 'Event' || object.reason !== FAULT_INJECTED) return [];
    const { kind, name = '' } = object.involvedObject;
    return kind === 'Node' ? [name] : [];
  });
}

/**
 * Finds a run by its name in the store, or reads the only run in a file.
 * @throws {PodrunError} when there is none
 */
export async function namedRun(
  cli: Cli,
  store: () => FileStore,
  namespace: string | undefined,
  name: string,
): Promise<NamedRun> {
  if (!isRunFile(name)) {
    const runs = new RecordedRuns(store());
    const match = runs.find(namespace || DEFAULT_NAMESPACE, name);
    return { run: match.run, recorded: runs.read(match) };
  }
  const [only, ...more] = await runsInFile(cli, name);
  if (only !== undefined && more.length === 0) return { ...only, run: name };
  const names = [only, ...more].map((match) => match?.run).join(', ');
  throw usage(`${name} has several Pods: ${names}`, 'Use a saved output of apply -o json for one Pod.');
}

/** The largest file: V8 limits the length of a string. */
const STREAM_MAX_BYTES = 256 * 2 ** 20;

async function readText(cli: Cli, file: string): Promise<string> {
  try {
    if (file === '-') return await textUpTo(cli.stdin, STREAM_MAX_BYTES);
    return readUpTo(cli.pathOf(file), STREAM_MAX_BYTES).toString('utf8');
  } catch (error) {
    throw unreadableFile(file, error);
  }
}

/** Parses watch events, one a line. The last line may be cut off. An object or a list counts as the final state. */
function streamLines(text: string, file: string): StreamLine[] {
  const whole = parsed(text);
  if (whole !== undefined) return eventsIn(whole);
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parsed(line);
    if (value !== undefined) return eventsIn(value);
    if (index === lines.length - 1) return [];
    throw usage(`${file}:${index + 1}: this line is no JSON`, 'Use a saved output of podrun apply -o json.');
  });
}

function eventsIn(value: unknown): StreamLine[] {
  const { kind, items, type, object } = value as { kind?: string; items?: unknown[]; type?: string; object?: unknown };
  if (type !== undefined && object !== undefined && kind === undefined) return [value as StreamLine];
  if (items !== undefined) return items.flatMap(eventsIn);
  return kind === undefined ? [] : [{ type: 'ADDED', object: value as StoredPod }];
}

function parsed(text: string): unknown {
  const value = quietly((): unknown => JSON.parse(text));
  return typeof value === 'object' && value !== null ? value : undefined;
}
