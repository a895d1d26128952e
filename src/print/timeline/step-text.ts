import type { CriticalPath, PathStep } from '../../history/timeline/model.ts';
import { describeExitCode } from '../exit-code.ts';

type ProbeStepKind = Extract<
  PathStep['kind'],
  'initialDelay' | 'firstTick' | 'failing' | 'lastPeriod' | 'probe' | 'successThreshold' | 'probing'
>;

/** A step of the critical path in words: `init container fetch ran`, `startup probe of app: initial delay`. */
export function stepText(step: PathStep): string {
  const { container = '', reason, message } = step;
  const why = [reason, message].filter((text) => text !== undefined).join(': ');
  switch (step.kind) {
    case 'scheduling':
      return why === '' ? 'scheduled' : `waited to be scheduled: ${why}`;
    case 'sandbox':
      return `volumes and network${why === '' ? '' : `: ${why}`}`;
    case 'creating':
      return `${nameOf(step)} created`;
    case 'image':
      return `image of ${container} pulled`;
    case 'blocked':
      return `${nameOf(step)} could not start: ${why}`;
    case 'backOff':
      return `back-off of ${container}: ${reason ?? ''}`;
    case 'restart':
      return `${nameOf(step)} restarted`;
    case 'run':
      return runText(step);
    case 'postStart':
      return `postStart hook of ${container}`;
    case 'readinessGate':
      return `readiness gate ${reason ?? ''}`;
    case 'reporting':
      return 'status reported';
    case 'initialDelay':
    case 'firstTick':
    case 'failing':
    case 'lastPeriod':
    case 'probe':
    case 'successThreshold':
    case 'probing':
      return probeText(step, step.kind);
    default:
      return step.kind satisfies never;
  }
}

function nameOf({ container, role }: PathStep): string {
  const roles = { init: 'init container', sidecar: 'sidecar', regular: 'container', ephemeral: 'ephemeral container' };
  return `${roles[role ?? 'regular']} ${container ?? ''}`;
}

function runText(step: PathStep): string {
  const { attempt = 0, exitCode } = step;
  const which = attempt === 0 ? '' : ` (attempt ${attempt + 1})`;
  const end = exitCode === undefined || exitCode === 0 ? '' : `: ${describeExitCode(exitCode)}`;
  return `${nameOf(step)} ran${which}${end}`;
}

function probeText({ probe, container, probes = 0 }: PathStep, kind: ProbeStepKind): string {
  const name = `${probe ?? ''} probe of ${container ?? ''}`;
  const attempts = probes === 1 ? '1 attempt' : `${probes} attempts`;
  switch (kind) {
    case 'initialDelay':
      return `${name}: initial delay`;
    case 'firstTick':
      return `${name}: until its first attempt`;
    case 'failing':
      return `${name}: ${attempts} that did not succeed`;
    case 'lastPeriod':
      return `${name}: until its next attempt`;
    case 'probe':
      return `${name}: the attempt that succeeded`;
    case 'successThreshold':
      return `${name}: ${attempts} in a row that succeeded`;
    case 'probing':
      return name;
    default:
      return kind satisfies never;
  }
}

/** Advice for shortening a step. Undefined when neither the manifest nor the program can shorten it. */
export function stepHint({ kind, role, reason, exitCode }: PathStep): string | undefined {
  switch (kind) {
    case 'scheduling':
      return reason === undefined ? undefined : 'remove what holds the Pod back';
    case 'sandbox':
      return reason === undefined ? undefined : 'what the Pod mounts must be there before it starts';
    case 'image':
      return 'a smaller image, or one that the node has already';
    case 'blocked':
      return 'its image and its configuration must be there before it starts';
    case 'backOff':
      return 'the attempt before it must not fail';
    case 'run':
      if (exitCode !== undefined && exitCode !== 0) return 'this attempt must not fail';
      return role === 'init' ? 'what the init container does' : undefined;
    case 'postStart':
      return 'a faster hook: the Pod waits until it has returned';
    case 'initialDelay':
      return 'a shorter delay; a startup probe needs none';
    case 'firstTick':
    case 'lastPeriod':
      return 'a shorter period asks sooner';
    case 'failing':
      return 'the program must answer the probe sooner';
    case 'successThreshold':
      return 'a lower threshold';
    case 'readinessGate':
      return 'set this condition sooner';
    case 'creating':
    case 'restart':
    case 'probing':
    case 'probe':
    case 'reporting':
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** The steps to show, and the sum of the others. */
export interface PathExtract {
  readonly steps: readonly PathStep[];
  /** The other steps: their number, their total time and its share. */
  readonly others: { readonly count: number; readonly ms: number; readonly share: number };
  /**
   * The longest step with advice. For a Pod that never became Ready, the last step: shortening earlier steps would not
   * help.
   */
  readonly longest: PathStep | undefined;
  /** The purpose of the advice. */
  readonly purpose: 'To shorten it' | 'To get there';
}

/** The share of the time below which a step gets no line. */
const SHARE_MIN = 0.01;

export function pathExtract({ steps, isReady }: CriticalPath): PathExtract {
  const left = steps.filter(({ share }) => share < SHARE_MIN);
  const shown = left.length === 1 ? steps : steps.filter(({ share }) => share >= SHARE_MIN);
  const others = left.length === 1 ? [] : left;
  const hinted = shown.filter((step) => stepHint(step) !== undefined);
  return {
    steps: shown,
    purpose: isReady ? 'To shorten it' : 'To get there',
    others: {
      count: others.length,
      ms: others.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0),
      share: others.reduce((sum, { share }) => sum + share, 0),
    },
    longest: isReady ? hinted.toSorted((a, b) => b.share - a.share)[0] : hinted.at(-1),
  };
}
