import type { CriticalPath, PathStep } from '../../history/index.ts';
import { describeExitCode } from '../base/exit-code.ts';

type StepTable<T> = Readonly<Record<PathStep['kind'], T>>;

/** A step of the critical path in words: `init container fetch ran`, `startup probe of app: initial delay`. */
export function stepText(step: PathStep): string {
  const { kind, container = '', role = 'regular', probe = '', probes = 0, reason = '', message } = step;
  const why = [step.reason, message].filter((text) => text !== undefined).join(': ');
  const name = `${ROLES[role]} ${container}`;
  const probing = `${probe} probe of ${container}`;
  const attempts = probes === 1 ? '1 attempt' : `${probes} attempts`;
  const texts: StepTable<string> = {
    scheduling: why === '' ? 'scheduled' : `waited to be scheduled: ${why}`,
    sandbox: `volumes and network${why === '' ? '' : `: ${why}`}`,
    creating: `${name} created`,
    image: `image of ${container} pulled`,
    blocked: `${name} could not start: ${why}`,
    backOff: `back-off of ${container}: ${reason}`,
    restart: `${name} restarted`,
    run: `${name} ran${runDetails(step)}`,
    postStart: `postStart hook of ${container}`,
    readinessGate: `readiness gate ${reason}`,
    reporting: 'status reported',
    initialDelay: `${probing}: initial delay`,
    firstTick: `${probing}: until its first attempt`,
    failing: `${probing}: ${attempts} that did not succeed`,
    lastPeriod: `${probing}: until its next attempt`,
    probe: `${probing}: the attempt that succeeded`,
    successThreshold: `${probing}: ${attempts} in a row that succeeded`,
    probing,
  };
  return texts[kind];
}

const ROLES = { init: 'init container', sidecar: 'sidecar', regular: 'container', ephemeral: 'ephemeral container' };

function runDetails({ attempt = 0, exitCode = 0 }: PathStep): string {
  const which = attempt === 0 ? '' : ` (attempt ${attempt + 1})`;
  return exitCode === 0 ? which : `${which}: ${describeExitCode(exitCode)}`;
}

const HINTS: StepTable<string | undefined> = {
  scheduling: 'remove what holds the Pod back',
  sandbox: 'what the Pod mounts must exist before it starts',
  image: 'a smaller image, or one that the node has already',
  blocked: 'its image and its configuration must exist before it starts',
  backOff: 'the attempt before it must not fail',
  run: 'what the init container does',
  postStart: 'a faster hook: the Pod waits until it has returned',
  initialDelay: 'a shorter delay; a startup probe needs none',
  firstTick: 'a shorter period asks sooner',
  lastPeriod: 'a shorter period asks sooner',
  failing: 'the program must answer the probe sooner',
  successThreshold: 'a lower threshold',
  readinessGate: 'set this condition sooner',
  creating: undefined,
  restart: undefined,
  probing: undefined,
  probe: undefined,
  reporting: undefined,
};

/** Advice for shortening a step. Undefined when neither the manifest nor the program can shorten it. */
export function stepHint({ kind, role, reason, exitCode = 0 }: PathStep): string | undefined {
  if (kind === 'run' && exitCode !== 0) return 'this attempt must not fail';
  if (kind === 'run' && role !== 'init') return undefined;
  return (kind === 'scheduling' || kind === 'sandbox') && reason === undefined ? undefined : HINTS[kind];
}

/** The steps to show, and the sum of the steps left out. */
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
  const long = left.length === 1 ? steps : steps.filter(({ share }) => share >= SHARE_MIN);
  const others = left.length === 1 ? [] : left;
  const hinted = long.filter((step) => stepHint(step) !== undefined);
  return {
    steps: long,
    purpose: isReady ? 'To shorten it' : 'To get there',
    others: {
      count: others.length,
      ms: others.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0),
      share: others.reduce((sum, { share }) => sum + share, 0),
    },
    longest: isReady ? hinted.toSorted((a, b) => b.share - a.share)[0] : hinted.at(-1),
  };
}
