import type { StoredPod } from '../../api/index.ts';
import { ociRuntimeUnusable, type RuntimeHandler } from '../../lifecycle/index.ts';
import type { OciProgram } from '../../runtime/index.ts';
import { runtimeHandlerOf } from '../../images/index.ts';
import { type LaunchOptions, launchSteps } from '../steps/index.ts';
import type { LaunchStep } from '../steps/step.ts';
import type { AgentSettings } from '../../settings/index.ts';

/** The OCI runtimes that handlers of an agent's Pods name. Each is tried once, when the first Pod wants it. */
class OciRuntimes {
  readonly #settings: Pick<AgentSettings, 'features' | 'hostEnv'>;
  readonly #stateDir: string;
  /** By name or path; only runtimes that work. */
  readonly #programs = new Map<string, OciProgram>();

  /** @param stateDir the folder for the trial */
  constructor(settings: Pick<AgentSettings, 'features' | 'hostEnv'>, stateDir: string) {
    this.#settings = settings;
    this.#stateDir = stateDir;
  }

  /**
   * Finds a runtime that works here.
   * @param wanted its name or path
   * @throws {Error} with the reason why it does not
   */
  async find(wanted: string): Promise<OciProgram> {
    const known = this.#programs.get(wanted);
    if (known !== undefined) return known;
    const { features, hostEnv } = this.#settings;
    const { detectOci } = await import('../../runtime/linux/oci/detect.ts');
    const facts = features.namespaces;
    const detection = await detectOci({ wanted, facts, stateDir: this.#stateDir, userPath: hostEnv['PATH'] });
    if (!detection.ok) throw new Error(ociRuntimeUnusable(detection.why));
    this.#programs.set(wanted, detection.program);
    return detection.program;
  }
}

type Options = Omit<LaunchOptions, 'ociOf'>;

/** The steps of the containers' starts, Pod by Pod: a RuntimeClass may want another handler than the rest have. */
export class PodHandlers {
  readonly #options: Options;
  readonly #steps: readonly LaunchStep[];
  /**
   * The steps of Pods whose RuntimeClass wants plain processes while all other Pods run in namespaces; made for the
   * first.
   */
  #plainSteps: readonly LaunchStep[] | undefined;
  /** The Pods that have such steps, by uid. */
  readonly #plainPods = new Set<string>();
  /** The Pods whose programs an OCI runtime starts, by uid. */
  readonly #ociPods = new Map<string, OciProgram>();
  readonly #ociRuntimes: OciRuntimes;

  constructor(options: Options) {
    this.#options = options;
    this.#steps = this.#stepsWith(options);
    this.#ociRuntimes = new OciRuntimes(options.settings, options.store.root);
  }

  /** Finds the handler of the Pod's RuntimeClass. Returns its network. Rejects where this machine does not have it. */
  async choose(pod: StoredPod): Promise<RuntimeHandler['network']> {
    const { settings, rights, store } = this.#options;
    const handler = runtimeHandlerOf(pod, settings, store);
    if (!handler.ok) throw new Error(handler.error);
    const { type, path, network } = handler;
    if (type === 'oci') this.#ociPods.set(pod.metadata.uid, await this.#ociRuntimes.find(path ?? ''));
    if (type !== 'process' || settings.features.tier === 'process') return network;
    this.#plainSteps ??= this.#stepsWith({
      ...this.#options,
      settings: { ...settings, features: { tier: type, namespaces: undefined } },
      rights: () => ({ ...rights(), tier: type }),
    });
    this.#plainPods.add(pod.metadata.uid);
    return network;
  }

  stepsOf({ metadata }: StoredPod): readonly LaunchStep[] {
    return (this.#plainPods.has(metadata.uid) ? this.#plainSteps : undefined) ?? this.#steps;
  }

  /** True for a Pod of plain processes while all other Pods run in namespaces. */
  isPlain({ metadata }: StoredPod): boolean {
    return this.#plainPods.has(metadata.uid);
  }

  /** Called when the Pod's sandbox is removed. */
  forget({ metadata }: StoredPod): void {
    this.#plainPods.delete(metadata.uid);
    this.#ociPods.delete(metadata.uid);
  }

  #stepsWith(options: Options): readonly LaunchStep[] {
    return launchSteps({ ...options, ociOf: ({ metadata }) => this.#ociPods.get(metadata.uid) });
  }
}
