import type { ApiNeeds, NodeClient } from '../../apiserver/index.ts';
import { DEFAULT_NAMESPACE, type KubeObject } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { inBackground } from '../../defects.ts';
import type { BesideRoots } from '../../engine/index.ts';
import type { Unservable } from '../../lifecycle/index.ts';
import type { UnreadObject } from '../../manifest/index.ts';
import type { ApiBeside, ApplyObjects } from '../../server/index.ts';
import type { FileStore } from '../../store/index.ts';

interface Beside {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The namespace of objects that name none. */
  readonly namespace: string | undefined;
  readonly warn: (text: string) => void;
  /** The path of dist/descriptions.json. */
  readonly descriptionsFile: string;
  /** The time for hooks that run before anything else. */
  readonly timeoutMs: number;
  /** Aborting it ends the hooks. */
  readonly signal: AbortSignal | undefined;
}

/** The API server beside a run of the library. */
export class LibraryApi {
  readonly #needs: ApiNeeds;
  readonly #run: Beside;
  #server: ApiBeside | undefined;
  #objects: ApplyObjects | undefined;
  #onChange: () => void = () => undefined;
  /** True: hooks of after the installation are left to run. */
  #hasHooksLeft: boolean;

  constructor(needs: ApiNeeds, run: Beside) {
    this.#needs = needs;
    this.#run = run;
    this.#hasHooksLeft = needs.hooks.postInstall.length > 0;
  }

  /**
   * Serves the API, and stores the objects that come before anything runs, with the hooks of before an installation.
   * @throws {PodrunError} when a hook fails, or its time passes; the reason of the aborted signal
   */
  async open(node: NodeClient): Promise<void> {
    const { store, clock, namespace = DEFAULT_NAMESPACE, warn, descriptionsFile, timeoutMs, signal } = this.#run;
    const { first, hooks } = this.#needs;
    const { openBeside } = await import('../../server/index.ts');
    this.#server = await openBeside({ store, clock, node, descriptionsFile, report: warn });
    this.#objects = this.#server.objects(namespace, { note: () => undefined, warn, changed: () => this.#onChange() });
    const deadlineMs = clock.now().monotonicMs + timeoutMs;
    await this.#objects.applyFirst(first.map(toApply), hooks.preInstall, { deadlineMs, signal });
  }

  /** Stores the custom resources. What has to wait is tried again until `close`. */
  async applyCustom(): Promise<void> {
    await this.#objects?.apply(this.#needs.custom.map(toApply));
  }

  /** True while hooks are left to run. */
  get isBusy(): boolean {
    return this.#hasHooksLeft;
  }

  /** Begins to run the hooks of after an installation. */
  beginHooks(): void {
    inBackground(this.#runHooks());
  }

  async #runHooks(): Promise<void> {
    const { signal } = this.#run;
    // `hooks` has a failure. An aborted signal has a reason of the user's.
    await this.#objects?.applyLast(this.#needs.hooks.postInstall, { signal }).catch(() => undefined);
    this.#hasHooksLeft = false;
    this.#onChange();
  }

  /** A running hook, and a failed one. */
  get hooks(): BesideRoots {
    return this.#objects?.hooks ?? { unfinished: [], failed: [] };
  }

  /** Calls back when an object that had to wait is stored, or is refused. */
  follow(onChange: () => void): void {
    this.#onChange = onChange;
  }

  /** The custom resources of the manifests, as written. */
  get custom(): readonly KubeObject[] {
    return this.#needs.custom.map(({ object }) => object);
  }

  get kubeconfig(): string | undefined {
    return this.#server?.kubeconfig;
  }

  /** Lines about objects that wait. */
  get pending(): string[] {
    return (this.#objects?.pending ?? []).map(({ about, reason }) => `${about}: ${reason}`);
  }

  /** The objects that the server does not take. */
  get refused(): Unservable[] {
    return (this.#objects?.refused ?? []).map(({ about, reason }) => ({ about, path: '', message: reason }));
  }

  async close(): Promise<void> {
    this.#objects?.close();
    await this.#server?.close();
  }
}

function toApply({ object, file, position }: UnreadObject): { object: UnreadObject['object']; place: string } {
  return { object, place: `${file}:${position.line}` };
}
