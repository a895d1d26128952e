import { allContainers, DEFAULT_NAMESPACE, PodrunError, type PodSpec, refusedStart, usage } from '../../api/index.ts';
import { type Clock, machineClock } from '../../clock.ts';
import { limitsOfEach } from '../../lifecycle/index.ts';
import { type Obstacle, obstacleText, RUNTIME_CHOICES, type RuntimeChoice } from '../../machine/index.ts';
import { type ManifestObject, podIn } from '../../manifest/index.ts';
import {
  detectNamespaces,
  forgetDetection,
  Namespaces,
  type PipeKind,
  ProcessRuntime,
  type RuntimeFeatures,
  runtimeFolder,
  whyNotEnforced,
} from '../../runtime/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import { fifoFolder, type FileStore } from '../../store/index.ts';
import { version } from '../../version.ts';

/** Opens the runtime with these features, for Pods of this store. */
export function openRuntime(
  store: FileStore,
  clock: Clock,
  { features, pollsMemory }: Pick<AgentSettings, 'features' | 'pollsMemory'>,
  pipes?: PipeKind,
): ProcessRuntime {
  const { namespaces: facts } = features;
  const commonDir = runtimeFolder(store.root);
  const onFailure = (): void => forgetDetection(store.root, 'namespaces');
  return new ProcessRuntime({
    clock,
    fifoDir: fifoFolder(store.root),
    features,
    confiner: facts && new Namespaces({ facts, clock: machineClock(clock), commonDir, onFailure }),
    pollsMemory,
    ...(pipes && { pipes }),
  });
}

/** The sources of the choice, the first one wins: --runtime, $PODRUN_RUNTIME, podrun.yaml. */
interface RuntimeSources {
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

/**
 * The limits of Pods that podrun cannot enforce here, a sentence for each. Undefined: the Pods have no limits.
 * @param podPidsLimit of podrun.yaml
 * @param pollsMemory true: podrun measures memory where no cgroup limits it
 */
export function openLimits(
  pods: readonly PlannedPod[],
  podPidsLimit: number | undefined,
  pollsMemory: boolean,
): readonly string[] | undefined {
  const limited = pods.flatMap(({ kind, name, spec }) =>
    limitsOfEach(spec, allContainers(spec), podPidsLimit).map((limits) => ({
      subject: `${kind.toLowerCase()}/${name}`,
      limits,
    })),
  );
  if (limited.length === 0) return undefined;
  return limited.flatMap(({ subject, limits }) => {
    const why = whyNotEnforced(limits, pollsMemory);
    return why === undefined ? [] : [`error: ${subject}: ${why}`];
  });
}

/** The error of `--strict` about limits that podrun cannot enforce. */
export function limitsRefused(open: readonly string[]): PodrunError {
  return new PodrunError('Unsupported', [...new Set(open)].join('\n'), {
    hint: 'podrun doctor shows what this machine permits. Without --strict the Pods would run without these limits.',
  });
}

/** A Pod that will run: a Pod of a manifest, or all Pods that a workload makes from its template. */
export interface PlannedPod {
  /** The kind of the object in the manifest. */
  readonly kind: string;
  readonly namespace: string;
  /** The name of that object. */
  readonly name: string;
  readonly spec: PodSpec;
  /** The name of the manifest file for messages. */
  readonly file: string;
}

/** The Pods of these manifests, and one for each workload: podrun checks what they ask for before anything starts. */
export function plannedPods(manifests: readonly ManifestObject[]): PlannedPod[] {
  return manifests.flatMap(({ object, file }) => {
    const spec = podIn(object)?.pod.spec as PodSpec | undefined;
    const { namespace = DEFAULT_NAMESPACE, name = '' } = object.metadata;
    return spec === undefined ? [] : [{ kind: object.kind, namespace, name, spec, file }];
  });
}
