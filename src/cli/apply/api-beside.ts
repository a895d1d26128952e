import path from 'node:path';
import type { ApiNeeds, NodeClient } from '../../apiserver/index.ts';
import { DEFAULT_NAMESPACE, EXIT, type KubeObject } from '../../api/index.ts';
import type { ObjectsForApi } from '../../engine/index.ts';
import type { Unservable } from '../../lifecycle/index.ts';
import type { UnreadObject } from '../../manifest/index.ts';
import type { ApiBeside, ApplyListener, ApplyObjects, ObjectToApply } from '../../server/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import type { Cli } from '../base/cli.ts';
import { managerOfFlags } from './apply-input.ts';
import type { ApplyView } from '../view/apply-view.ts';

interface Beside {
  readonly cli: Cli;
  readonly flags: ApplyFlags;
  readonly store: FileStore;
  readonly view: ApplyView;
}

/** The API server beside a run of `apply`, and the objects that only one stores. */
export class RunApi {
  readonly #needs: ApiNeeds;
  readonly #run: Beside;
  /** Undefined: it is not open yet. */
  #server: ApiBeside | undefined;
  #objects: ApplyObjects | undefined;
  /** The lines that were printed. */
  readonly #printed = new Set<string>();
  #refusedBefore: readonly Unservable[] = [];
  #onChange: () => void = () => undefined;

  constructor(needs: ApiNeeds, run: Beside) {
    this.#needs = needs;
    this.#run = run;
  }

  /** The objects that a background agent is to store before it runs anything. */
  get first(): ObjectsForApi {
    const manager = managerOfFlags(this.#run.flags);
    return { namespace: this.#namespace, objects: this.#needs.first.map(toApply), manager };
  }

  /** The custom resources of the manifests, as written. */
  get custom(): readonly KubeObject[] {
    return this.#needs.custom.map(({ object }) => object);
  }

  get #namespace(): string {
    return this.#run.flags.namespace ?? DEFAULT_NAMESPACE;
  }

  /** Serves the API for a run, unless another process does so for the state folder. */
  async open(node: NodeClient): Promise<void> {
    const { cli, store, view } = this.#run;
    const { openBeside } = await import('../../server/index.ts');
    this.#opened(
      await openBeside({
        store,
        clock: cli.clock,
        node,
        descriptionsFile: path.join(cli.folder, 'descriptions.json'),
        report: (line) => view.trouble(line),
      }),
    );
  }

  /**
   * Uses the server of the background agent.
   * @param refused the objects that it did not take
   */
  async meet(refused: readonly Unservable[]): Promise<void> {
    this.#refusedBefore = refused;
    const { meet } = await import('../../server/index.ts');
    this.#opened(meet(this.#run.store.root, this.#run.cli.clock));
  }

  #opened(server: ApiBeside): void {
    const { cli, view } = this.#run;
    this.#server = server;
    cli.note(`serving the API of these objects at ${server.url}: export KUBECONFIG=${server.kubeconfig}`);
    const listener: ApplyListener = {
      note: (line) => view.note(line),
      warn: cli.warn,
      changed: () => {
        this.#tell();
        this.#onChange();
      },
    };
    this.#objects = server.objects(this.#namespace, listener, managerOfFlags(this.#run.flags));
    this.#tell();
  }

  /** Stores the definitions, the roles and the like: before anything runs. */
  applyFirst(): Promise<void> {
    return this.#apply(this.#needs.first);
  }

  /** Stores the custom resources. What has to wait is tried again until `close`. */
  applyCustom(): Promise<void> {
    return this.#apply(this.#needs.custom);
  }

  async #apply(objects: readonly UnreadObject[]): Promise<void> {
    await this.#objects?.apply(objects.map(toApply));
    this.#tell();
  }

  /** Tells of each reason once. */
  #tell(): void {
    const { view } = this.#run;
    for (const { about, reason } of this.#objects?.pending ?? []) {
      this.#once(`${about} waits: ${reason}`, (text) => view.note(text));
    }
    for (const { about, message } of this.refused) this.#once(`${about}: ${message}`, (text) => view.trouble(text));
  }

  #once(text: string, tell: (text: string) => void): void {
    if (this.#printed.has(text)) return;
    this.#printed.add(text);
    tell(text);
  }

  /** Calls back when what is pending or refused has changed. */
  follow(onChange: () => void): void {
    this.#onChange = onChange;
  }

  /** Lines about objects that wait: goals that include Ready wait for them. */
  get pending(): string[] {
    return (this.#objects?.pending ?? []).map(({ about, reason }) => `${about}: ${reason}`);
  }

  /** The objects that the server does not take. */
  get refused(): Unservable[] {
    const refused = (this.#objects?.refused ?? []).map(({ about, reason, place }) => {
      return { about, path: '', message: `${reason} (${place})` };
    });
    return [...this.#refusedBefore, ...refused];
  }

  /** Resolves when nothing waits any more. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.pending.length === 0) resolve();
      };
      this.#onChange = look;
      look();
    });
  }

  /** The variables for COMMAND. */
  get variables(): Record<string, string> {
    return this.#server === undefined ? {} : { KUBECONFIG: this.#server.kubeconfig };
  }

  /** Tells what was never stored. Returns the exit code of the run with it. */
  judge(exitCode: number): number {
    const unstored = [...this.refused.map(({ about, message }) => `${about}: ${message}`), ...this.pending];
    if (exitCode !== EXIT.ok) return exitCode;
    for (const line of unstored) this.#run.cli.stderr.write(`error: ${line}\n`);
    return unstored.length === 0 ? exitCode : EXIT.failed;
  }

  /** Ends the server, if it is one of this run. */
  async close(): Promise<void> {
    this.#objects?.close();
    await this.#server?.close();
  }
}

function toApply({ object, file, position }: UnreadObject): ObjectToApply {
  return { object, place: `${file}:${position.line}` };
}
