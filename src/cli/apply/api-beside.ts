import path from 'node:path';
import type { ApiNeeds, NodeClient, WorkloadKey } from '../../apiserver/index.ts';
import { DEFAULT_NAMESPACE, EXIT, isWorkload, type KubeObject, PodrunError } from '../../api/index.ts';
import { inBackground } from '../../defects.ts';
import type { BesideRoots, ObjectsForApi } from '../../engine/index.ts';
import { type Unservable, unservableText } from '../../lifecycle/index.ts';
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
  /** The time for hooks that run before anything else. Undefined: they have all that they need. */
  readonly timeoutMs: number | undefined;
  /** True: what the server refuses is reported at once, since the run continues. False: at its end. */
  readonly tellsAtOnce: boolean;
  /** True: the server ends before the run begins. Default: false, people may use it. */
  readonly isBrief?: boolean;
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
  readonly #interruption = new AbortController();
  /** True: hooks of after the installation are left to run. */
  #hasHooksLeft: boolean;

  constructor(needs: ApiNeeds, run: Beside) {
    this.#needs = needs;
    this.#run = run;
    this.#hasHooksLeft = needs.hooks.postInstall.length > 0;
  }

  /**
   * Two of them in its place, for a run that has its server in the background: one for the hooks that come before
   * everything else, with the definitions, and one for the rest. Undefined: there are no such hooks.
   */
  apart(): { readonly before: RunApi; readonly after: RunApi } | undefined {
    const { first, hooks } = this.#needs;
    if (hooks.preInstall.length === 0) return undefined;
    const isDefinition = ({ object }: UnreadObject): boolean => object.kind === 'CustomResourceDefinition';
    const early = { first: first.filter(isDefinition), custom: [], hooks: { ...hooks, postInstall: [] } };
    const late = { first: first.filter((each) => !isDefinition(each)), hooks: { ...hooks, preInstall: [] } };
    return {
      before: new RunApi({ ...this.#needs, ...early }, { ...this.#run, isBrief: true }),
      after: new RunApi({ ...this.#needs, ...late }, this.#run),
    };
  }

  /** The workloads that hooks of before everything else have made: another process may run them. */
  get earlyWorkloads(): readonly WorkloadKey[] {
    const workloads = this.#needs.hooks.preInstall.filter(({ object }) => object.kind !== 'Job' && isWorkload(object));
    return workloads.map(({ object: { apiVersion, kind, metadata } }) => {
      const { name = '', namespace = this.#namespace } = metadata;
      return { apiVersion, kind, name, namespace };
    });
  }

  /** The objects that a background agent is to store before it runs anything. */
  get first(): ObjectsForApi {
    return { namespace: this.#namespace, objects: this.#needs.first.map(toApply), ...this.#how };
  }

  /** The custom resources of the manifests, as written. */
  get custom(): readonly KubeObject[] {
    return this.#needs.custom.map(({ object }) => object);
  }

  get #how(): Pick<ObjectsForApi, 'creates' | 'manager'> {
    const { flags } = this.#run;
    return { manager: managerOfFlags(flags), creates: flags.creates };
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
    this.#opened(meet(this.#run.store, this.#run.cli.clock));
  }

  #opened(server: ApiBeside): void {
    const { cli, view, isBrief = false } = this.#run;
    this.#server = server;
    if (!isBrief) cli.note(`serving the API of these objects at ${server.url}: export KUBECONFIG=${server.kubeconfig}`);
    const listener: ApplyListener = {
      note: (line) => view.note(line),
      warn: cli.warn,
      changed: () => {
        this.#tell();
        this.#onChange();
      },
    };
    this.#objects = server.objects(this.#namespace, listener, this.#how);
    this.#tell();
  }

  /**
   * Stores the definitions, the roles and the like, and runs the hooks of before an installation: before anything runs.
   * @throws {PodrunError} when a hook fails or its time passes, or `interrupt` is called
   */
  async applyFirst(): Promise<void> {
    const { cli, timeoutMs } = this.#run;
    const { first, hooks } = this.#needs;
    await this.#objects?.applyFirst(first.map(toApply), hooks.preInstall, {
      deadlineMs: timeoutMs && cli.clock.now().monotonicMs + timeoutMs,
      signal: this.#interruption.signal,
    });
    this.#tell();
  }

  /** Ends the hooks that run. */
  interrupt(): void {
    this.#interruption.abort(new PodrunError('NotRunning', 'interrupted'));
  }

  /** The error of hooks that `interrupt` has ended. Undefined: it was not called. */
  get interruption(): unknown {
    return this.#interruption.signal.reason;
  }

  /** True while hooks are left to run. */
  get isBusy(): boolean {
    return this.#hasHooksLeft;
  }

  /** Begins to run the hooks of after an installation. */
  beginHooks(): void {
    inBackground(this.runHooks());
  }

  /** Runs the hooks of after an installation. Resolves at their end, or when they are interrupted. */
  async runHooks(): Promise<void> {
    const { signal } = this.#interruption;
    const running = this.#objects?.applyLast(this.#needs.hooks.postInstall, { signal });
    try {
      await running;
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
    } finally {
      this.#hasHooksLeft = false;
      this.#onChange();
    }
    this.#tell();
  }

  /** Stores the custom resources. What has to wait is tried again until `close`. */
  applyCustom(): Promise<void> {
    return this.#apply(this.#needs.custom);
  }

  async #apply(objects: readonly UnreadObject[]): Promise<void> {
    await this.#objects?.apply(objects.map(toApply));
    this.#tell();
  }

  /** Objects that the server refuses, and a failed hook. */
  get #failures(): readonly Unservable[] {
    return [...this.refused, ...this.hooks.failed];
  }

  /** Tells of each reason once. */
  #tell(): void {
    const { view, tellsAtOnce } = this.#run;
    for (const { about, reason } of this.#objects?.pending ?? []) {
      this.#once(`${about} waits: ${reason}`, (text) => view.note(text));
    }
    if (!tellsAtOnce) return;
    for (const each of this.#failures) this.#once(unservableText(each), (text) => view.trouble(text));
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
      // `create` passes the objects without their files.
      return { about, path: '', message: this.#run.flags.creates === true ? reason : `${reason} (${place})` };
    });
    return [...this.#refusedBefore, ...refused];
  }

  /** A running hook, and a failed one. */
  get hooks(): BesideRoots {
    return this.#objects?.hooks ?? { unfinished: [], failed: [] };
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
    if (exitCode !== EXIT.ok) return exitCode;
    const failures = this.#failures.map((each) => {
      return this.#printed.has(unservableText(each)) ? `${each.about}: see the warning above` : unservableText(each);
    });
    const unstored = [...failures, ...this.pending, ...this.hooks.unfinished];
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
