import { ociRuntimeUnusable } from '../../lifecycle/texts/runtime-handlers.ts';
import type { OciProgram } from '../../runtime/base/confinement.ts';
import type { AgentSettings } from '../../settings/agent-settings.ts';

/** The OCI runtimes that handlers of an agent's Pods name. Each is tried once, when the first Pod wants it. */
export class OciRuntimes {
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
