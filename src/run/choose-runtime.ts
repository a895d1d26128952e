import { EXIT, PodrunError } from '../api/errors.ts';
import type { Obstacle } from '../api/machine.ts';
import type { StoredPod } from '../api/objects.ts';
import { RUNTIME_CHOICES, type RuntimeChoice } from '../api/runtime-choice.ts';
import type { Clock } from '../clock.ts';
import type { RuntimeFeatures } from '../runtime/features.ts';
import { version } from './version.ts';
import { detectNamespaces } from '../runtime/detection/namespaces.ts';
import { obstacleText } from '../print/doctor/obstacle.ts';
import { unmetText } from '../print/doctor/unmet.ts';

/** Who may say it, the first one decides: --runtime, $PODRUN_RUNTIME, podrun.yaml. */
export interface RuntimeSources {
  readonly flag?: RuntimeChoice | undefined;
  readonly variable: string | undefined;
  readonly file: RuntimeChoice | undefined;
}

/** When nobody says anything. */
const UNLESS_SAID: RuntimeChoice = 'auto';

/** @throws {PodrunError} (usage) when the variable says something else */
export function runtimeChoice({ flag, variable, file }: RuntimeSources): RuntimeChoice {
  if (flag !== undefined || !variable) return flag ?? file ?? UNLESS_SAID;
  const chosen = RUNTIME_CHOICES.find((choice) => choice === variable);
  if (chosen !== undefined) return chosen;
  throw new PodrunError(`error: invalid PODRUN_RUNTIME ${JSON.stringify(variable)}`, {
    exitCode: EXIT.usage,
    hint: `It is one of ${RUNTIME_CHOICES.join(', ')}.`,
  });
}

/** Where it is found out. */
export interface RuntimePlace {
  readonly stateDir: string;
  readonly clock: Clock;
  /** PATH of whoever runs podrun. */
  readonly userPath: string | undefined;
}

/** What the runtime of a run can do. */
export interface ChosenRuntime {
  readonly features: RuntimeFeatures;
  /** It was to do its best, and this is missing. */
  readonly lack: { readonly of: 'namespaces' | 'layers'; readonly why: Obstacle } | undefined;
}

const PROCESSES: RuntimeFeatures = { tier: 'process', namespaces: undefined };

/**
 * Finds out how containers can be kept apart. Takes 0.5 ms when that is known, 20 ms the first time.
 * @throws {PodrunError} (usage) when they cannot be as was demanded
 */
export async function chooseRuntime(choice: RuntimeChoice, place: RuntimePlace): Promise<ChosenRuntime> {
  if (choice === 'process') return { features: PROCESSES, lack: undefined };
  const detection = await detectNamespaces({ ...place, version });
  if (detection.ok) {
    const { facts, gaps } = detection;
    const lack = gaps.tmpfsLayers && ({ of: 'layers', why: gaps.tmpfsLayers } as const);
    return { features: { tier: 'namespace', namespaces: facts }, lack };
  }
  const { why } = detection;
  if (choice === 'auto') return { features: PROCESSES, lack: { of: 'namespaces', why } };
  throw new PodrunError(`error: containers cannot be kept apart by namespaces here: ${obstacleText(why)}`, {
    exitCode: EXIT.usage,
    hint: "Nothing was started. 'podrun doctor' tells how to permit it.",
  });
}

/** One line about the requests of these Pods that this machine does not fulfil. Undefined when it fulfils all. */
export function unmetRequests({ lack }: ChosenRuntime, pods: readonly StoredPod[]): string | undefined {
  return lack === undefined || pods.length === 0 ? undefined : unmetText(lack, pods);
}
