import { refusedStart, usage } from '../../api/index.ts';
import { type Obstacle, obstacleText, RUNTIME_CHOICES, type RuntimeChoice, unmetText } from '../../machine/index.ts';
import type { Clock } from '../../clock.ts';
import { detectNamespaces, type RuntimeFeatures } from '../../runtime/index.ts';
import { version } from '../../version.ts';
import type { PlannedPod } from './planned-pods.ts';

/** The sources of the choice, the first one wins: --runtime, $PODRUN_RUNTIME, podrun.yaml. */
export interface RuntimeSources {
  readonly flag?: RuntimeChoice | undefined;
  readonly variable: string | undefined;
  readonly file: RuntimeChoice | undefined;
}

/** The default choice. */
const DEFAULT_CHOICE: RuntimeChoice = 'auto';

/**
 * The choice of the first source that has one.
 * @throws {PodrunError} (usage) when the variable has an invalid value
 */
export function runtimeChoice({ flag, variable, file }: RuntimeSources): RuntimeChoice {
  if (flag !== undefined || !variable) return flag ?? file ?? DEFAULT_CHOICE;
  const chosen = RUNTIME_CHOICES.find((choice) => choice === variable);
  if (chosen !== undefined) return chosen;
  throw usage(`invalid PODRUN_RUNTIME ${JSON.stringify(variable)}`, `Use one of ${RUNTIME_CHOICES.join(', ')}.`);
}

/** The parameters of the detection. */
export interface DetectionInput {
  readonly stateDir: string;
  readonly clock: Clock;
  /** PATH of the user. */
  readonly userPath: string | undefined;
}

/** The features of a run's runtime. */
export interface ChosenRuntime {
  readonly features: RuntimeFeatures;
  /** The feature that this machine lacks, where podrun uses the best available runtime. */
  readonly lack: { readonly of: 'namespaces' | 'layers'; readonly why: Obstacle } | undefined;
}

const PROCESSES: RuntimeFeatures = { tier: 'process', namespaces: undefined };

/**
 * Finds out how containers can be isolated. Takes 0.5 ms when the result is cached, 20 ms the first time.
 * @throws {PodrunError} (usage) when the requested isolation is not possible
 */
export async function chooseRuntime(choice: RuntimeChoice, input: DetectionInput): Promise<ChosenRuntime> {
  if (choice === 'process') return { features: PROCESSES, lack: undefined };
  const detection = await detectNamespaces({ ...input, version });
  if (detection.ok) {
    const { facts, gaps } = detection;
    const lack = gaps.tmpfsLayers && ({ of: 'layers', why: gaps.tmpfsLayers } as const);
    return { features: { tier: 'namespace', namespaces: facts }, lack };
  }
  const { why } = detection;
  if (choice === 'auto') return { features: PROCESSES, lack: { of: 'namespaces', why } };
  throw refusedStart(
    `podrun cannot isolate containers with namespaces here: ${obstacleText(why)}`,
    "'podrun doctor' shows the remedy.",
  );
}

/** One line about the requests of these Pods that this machine does not fulfil. Undefined when it fulfils all. */
export function unmetRequests({ lack }: ChosenRuntime, pods: readonly PlannedPod[]): string | undefined {
  return lack === undefined || pods.length === 0 ? undefined : unmetText(lack, pods);
}
