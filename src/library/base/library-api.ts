import type { ApiNeeds, NodeClient } from '../../apiserver/index.ts';
import { DEFAULT_NAMESPACE } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
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
}

/** The API server beside a run of the library. */
export class LibraryApi {
  readonly #needs: ApiNeeds;
  readonly #run: Beside;
  #server: ApiBeside | undefined;
  #objects: ApplyObjects | undefined;
  #onChange: () => void = () => undefined;

  constructor(needs: ApiNeeds, run: Beside) {
    this.#needs = needs;
    this.#run = run;
  }

  /** Serves the API, and stores the objects that come before anything runs. */
  async open(node: NodeClient): Promise<void> {
    const { store, clock, namespace = DEFAULT_NAMESPACE, warn, descriptionsFile } = this.#run;
    const { openBeside } = await import('../../server/index.ts');
    this.#server = await openBeside({ store, clock, node, descriptionsFile, report: warn });
    this.#objects = this.#server.objects(namespace, { note: () => undefined, warn, changed: () => this.#onChange() });
    await this.#objects.apply(this.#needs.first.map(toApply));
  }

  /** Stores the custom resources. What has to wait is tried again until `close`. */
  async applyCustom(): Promise<void> {
    await this.#objects?.apply(this.#needs.custom.map(toApply));
  }

  /** Calls back when an object that had to wait is stored, or is refused. */
  follow(onChange: () => void): void {
    this.#onChange = onChange;
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
