import type { BlockTarget } from '../../print/index.ts';

/** The containers whose output is shown: all, none, or the containers of a Pod, or one. */
export type ShownOutput = 'all' | 'none' | BlockTarget;

/** The choices of the user in the live view. Plain data: a key makes the next one. */
export interface KeyState {
  /** The Pod or container that the next keys are about. Undefined: all. */
  readonly chosen: BlockTarget | undefined;
  readonly output: ShownOutput;
  /** Only objects and containers with this text in their names are shown. Empty: all. */
  readonly filter: string;
  /** True while the user writes the filter. */
  readonly isFiltering: boolean;
}

/** A step that a key asks for, beside another state. */
export type KeyEffect =
  | { readonly type: 'stop' | 'help' | 'outputTurned' }
  /** @param target undefined: all Pods */
  | { readonly type: 'describe'; readonly target: BlockTarget | undefined }
  | { readonly type: 'log' | 'restart' | 'shell'; readonly target: BlockTarget }
  /** There is nothing to do it with: no Pod is chosen. */
  | { readonly type: 'choose'; readonly key: string };

export interface KeyOutcome {
  readonly state: KeyState;
  readonly effect?: KeyEffect;
}

/**
 * The answer to a key.
 * @param targets what the block shows, in its order
 */
export function pressed(state: KeyState, key: string, targets: readonly BlockTarget[]): KeyOutcome {
  return state.isFiltering ? filterKey(state, key) : commandKey(presentIn(state, targets), key, targets);
}

/** The state without a choice that is gone: its Pod was replaced. */
function presentIn(state: KeyState, targets: readonly BlockTarget[]): KeyState {
  return indexOf(state.chosen, targets) < 0 ? { ...state, chosen: undefined } : state;
}

function commandKey(state: KeyState, key: string, targets: readonly BlockTarget[]): KeyOutcome {
  const { chosen } = state;
  switch (key.length === 1 ? key.toLowerCase() : key) {
    case 'up':
      return { state: { ...state, chosen: neighbour(chosen, targets, -1) } };
    case 'down':
      return { state: { ...state, chosen: neighbour(chosen, targets, 1) } };
    case 'escape':
      return leave(state);
    case '/':
      return { state: { ...state, isFiltering: true } };
    case 'q':
      return { state, effect: { type: 'stop' } };
    case 'd':
      return { state, effect: { type: 'describe', target: chosen } };
    case 'l':
      return chosen === undefined ? turnOutput(state) : log(state, chosen);
    case 'r':
      return about(state, key, 'restart');
    case 's':
      return about(state, key, 'shell');
    case '?':
    case 'h':
      return { state, effect: { type: 'help' } };
    default:
      return { state };
  }
}

function filterKey(state: KeyState, key: string): KeyOutcome {
  if (key === 'enter') return { state: { ...state, isFiltering: false } };
  if (key === 'escape') return { state: { ...state, isFiltering: false, filter: '' } };
  if (key === 'backspace') return { state: { ...state, filter: state.filter.slice(0, -1) } };
  return key.length === 1 ? { state: { ...state, filter: state.filter + key } } : { state };
}

/** The target above or below. Beyond the last one nothing is chosen. */
function neighbour(
  chosen: BlockTarget | undefined,
  targets: readonly BlockTarget[],
  step: 1 | -1,
): BlockTarget | undefined {
  if (chosen === undefined) return targets.at(step === 1 ? 0 : -1);
  const index = indexOf(chosen, targets) + step;
  return index < 0 ? undefined : targets[index];
}

function indexOf(chosen: BlockTarget | undefined, targets: readonly BlockTarget[]): number {
  return targets.findIndex(({ pod, container }) => {
    return pod.metadata.uid === chosen?.pod.metadata.uid && container === chosen.container;
  });
}

/** Escape gives up the latest choice: of a target, then of output, then the filter. */
function leave(state: KeyState): KeyOutcome {
  if (state.chosen !== undefined) return { state: { ...state, chosen: undefined } };
  if (typeof state.output === 'object') return { state: { ...state, output: 'all' }, effect: { type: 'outputTurned' } };
  return { state: { ...state, filter: '' } };
}

function turnOutput(state: KeyState): KeyOutcome {
  const output = state.output === 'all' ? 'none' : 'all';
  return { state: { ...state, output }, effect: { type: 'outputTurned' } };
}

/** Shows the output of the chosen alone, from its log on; pressed again, of all. */
function log(state: KeyState, chosen: BlockTarget): KeyOutcome {
  const isShown = typeof state.output === 'object' && indexOf(chosen, [state.output]) === 0;
  if (isShown) return { state: { ...state, output: 'all' }, effect: { type: 'outputTurned' } };
  return { state: { ...state, output: chosen }, effect: { type: 'log', target: chosen } };
}

function about(state: KeyState, key: string, type: 'restart' | 'shell'): KeyOutcome {
  const { chosen: target } = state;
  return target === undefined ? { state, effect: { type: 'choose', key } } : { state, effect: { type, target } };
}

/** True when output of this container is shown. */
export function isOutputShown({ output, filter }: KeyState, pod: BlockTarget['pod'], container: string): boolean {
  if (!`${pod.metadata.name}/${container}`.includes(filter) || output === 'none') return false;
  if (output === 'all') return true;
  const { pod: chosen, container: only } = output;
  return chosen.metadata.uid === pod.metadata.uid && (only === undefined || only === container);
}

/** A key with a name. Other keys are characters. */
const NAMED: Readonly<Record<string, string>> = {
  '\u001B[A': 'up',
  '\u001BOA': 'up',
  '\u001B[B': 'down',
  '\u001BOB': 'down',
  '\u001B': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\u007F': 'backspace',
  '\b': 'backspace',
};

/** Keys that send several characters are one key each, and so is every other character. */
const KEY = new RegExp(String.raw`\u001B(?:\[[\d;]*[^\d;]?|O.|[^\u001B])?|[^\u001B]`, 'gs');

/** The keys in what the terminal has sent: `up`, `enter`, `q`. Leaves out keys that mean nothing here. */
export function typedKeys(typed: string): string[] {
  return [...typed.matchAll(KEY)].flatMap(([sequence]) => {
    const name = NAMED[sequence];
    if (name !== undefined) return [name];
    return sequence.startsWith('\u001B') || sequence < ' ' ? [] : [sequence];
  });
}
