import { reportTrouble } from '../../defects.ts';
import path from 'node:path';
import type { Run } from '../../engine/index.ts';
import {
  allContainers,
  applyPatch,
  DEFAULT_NAMESPACE,
  isSidecar,
  isTerminalPhase,
  isWorkload,
  parseLabelSelector,
  resolvedUid,
  resourceTypeOf,
  restartPatch,
  type StoredPod,
  usage,
} from '../../api/index.ts';
import { shouldRestart } from '../../lifecycle/index.ts';
import { type Isolation, type ManifestObject, renderManifestErrors, withoutHelmHooks } from '../../manifest/index.ts';
import { changeObject, deleteObject, keepRecord, type ObjectRef, storeWorkload } from '../../apiserver/index.ts';
import { rememberCreated } from '../../store/index.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { loadFromFlags } from '../apply/manifest-input.ts';
import type { ApplySession, FollowManifests } from '../apply/session.ts';
import {
  changesBetween,
  displayPath,
  displayPaths,
  type FollowedChange,
  followedLines,
  objectName,
} from './changes.ts';
import {
  concernedContainers,
  type ContainerFiles,
  containerFiles,
  type NamedPlace,
  namedPlace,
} from './program-files.ts';
import { RestartLoops } from './restart-loops.ts';
import { WatchedFiles } from './watched-files.ts';
import { WITHOUT_WATCH } from './without-watch.ts';

const EXAMPLE = 'podrun dev deploy/, for example, follows the manifests of the folder deploy.';

/**
 * The follower of the manifests for one `apply --watch`.
 * @throws {PodrunError} (usage) with flags that end a run, or without a file to follow
 */
export function watching(flags: ApplyFlags, command: readonly string[] | undefined): FollowManifests {
  const given = WITHOUT_WATCH.filter(([, isGiven]) => isGiven(flags)).map(([flag]) => flag);
  if (command !== undefined) given.push('a COMMAND');
  if (given.length > 0) {
    throw usage(`--watch cannot be used with ${given.join(', ')}`, 'podrun follows the files until you interrupt it.');
  }
  if (manifestPlaces(flags).length === 0) throw usage('--watch needs a manifest in a file, or in a folder', EXAMPLE);
  return (session, start) => new WatchRun(session, start);
}

function manifestPlaces({ filename, kustomize }: ApplyFlags): readonly string[] {
  const files = filename.filter((name) => name !== '-' && !/^https?:/.test(name));
  return kustomize === undefined ? files : [kustomize];
}

/** Follows the manifests and programs of one run: each change restarts what it concerns, and nothing else. */
class WatchRun {
  readonly #session: ApplySession;
  readonly #running: Run;
  readonly #isolation: Isolation;
  readonly #files: WatchedFiles;
  readonly #named: readonly NamedPlace[];
  readonly #noted = new Set<string>();
  readonly #loops = new RestartLoops();
  #known: readonly ManifestObject[];
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(session: ApplySession, { running, objects, isolation }: Parameters<FollowManifests>[1]) {
    this.#session = session;
    this.#running = running;
    this.#isolation = isolation;
    this.#known = objects;
    this.#named = (session.flags.watchPath ?? session.config?.watch ?? []).map((text) =>
      namedPlace(text, session.cli.cwd),
    );
    this.#files = new WatchedFiles(session.cli.clock, (files) => {
      this.#work = this.#work.then(() => this.#changed(files)).catch((error: unknown) => this.#failed(error));
    });
    this.#follow();
  }

  close(): void {
    this.#isClosed = true;
    this.#files.close();
  }

  #follow(): void {
    const { cli, flags } = this.#session;
    const isDeep = flags.recursive || flags.kustomize !== undefined;
    this.#files.follow({ places: this.#manifests, recursive: isDeep });
    const all = this.#known.flatMap((each) => this.#filesOf(each));
    this.#files.follow({ places: all.flatMap(({ programs }) => programs), recursive: false });
    for (const { path: place } of all.flatMap(({ sources }) => sources)) {
      const except = this.#session.store.root;
      if (this.#files.followSources(place, { except, counts: (file) => this.#isSource(file) })) continue;
      const folder = displayPath(place, cli.cwd);
      this.#tell(`${folder} has too many folders: some are not followed; name a smaller one with --watch-path`);
    }
    const lines = followedLines(this.#known, (each) => this.#filesOf(each), cli.cwd);
    for (const line of lines) this.#tell(line);
  }

  /** The followed files and folders of the command line. */
  get #manifests(): readonly string[] {
    const { cli, flags } = this.#session;
    return manifestPlaces(flags).map((place) => path.resolve(cli.cwd, place));
  }

  /** Tells something once. */
  #tell(line: string): void {
    if (this.#noted.has(line)) return;
    this.#noted.add(line);
    this.#session.view.note(line);
  }

  #filesOf({ object }: ManifestObject): readonly ContainerFiles[] {
    const { images, cwd } = this.#session.settings;
    return containerFiles(object, images, { root: cwd, named: this.#named });
  }

  /** True for a file that a container runs. */
  #isSource(file: string): boolean {
    const all = this.#known.flatMap((each) => this.#filesOf(each));
    const { hasInit, inPlace } = concernedContainers(all, all, [file]);
    return !this.#isManifest(file) && !this.#loops.has(file) && (hasInit || inPlace.length > 0);
  }

  #isManifest(file: string): boolean {
    return this.#manifests.some(
      (place) => file === place || (file.startsWith(`${place}/`) && /\.(?:ya?ml|json)$/.test(file)),
    );
  }

  async #changed(files: readonly string[]): Promise<void> {
    if (this.#isClosed) return;
    const { cli, flags, view } = this.#session;
    const what = `${displayPaths(files, cli.cwd)} changed`;
    const { objects: all, errors } = await loadFromFlags(cli, flags, this.#isolation);
    if (errors.length > 0) {
      view.note(`${what}: the run continues unchanged, because of a mistake`);
      for (const line of renderManifestErrors(errors)) view.trouble(line.replace(/^error: /, ''));
      return;
    }
    const isSelected = parseLabelSelector(flags.selector ?? '');
    const selected = all.filter(({ object }) => isSelected(object.metadata.labels ?? {}));
    const { objects } = withoutHelmHooks({ objects: selected, unread: [] }, flags.helmHooks === true);
    const sources = files.filter((file) => this.#isSource(file));
    const ofAll = objects.flatMap((each) => this.#filesOf(each));
    const changes = changesBetween(this.#known, objects, (each) =>
      concernedContainers(this.#filesOf(each), ofAll, sources),
    );
    if (changes.length === 0) return;
    view.note(`${what}: ${changes.map(sentenceOf).join(', ')}`);
    const { monotonicMs } = cli.clock.now();
    for (const file of sources.filter((each) => this.#loops.restarts(each, monotonicMs))) {
      this.#tell(`${displayPath(file, cli.cwd)} changes with each restart: not watching it any more`);
    }
    this.#known = objects;
    this.#follow();
    // One refused change must not keep back the rest.
    for (const change of changes) await this.#carryOut(change).catch((error: unknown) => this.#failed(error));
  }

  async #carryOut(change: FollowedChange): Promise<void> {
    if (this.#isClosed) return;
    const { type, manifest } = change;
    const { cli, store } = this.#session;
    const ref = refOf(manifest);
    if (type === 'reload') return this.#reload(change.containers, manifest, ref);
    if (type === 'replace') return this.#replace(manifest, ref);
    if (type === 'end') return void (await deleteObject({ store, clock: cli.clock, graceSeconds: undefined }, ref));
    if (type === 'restart') {
      const patch = restartPatch(cli.clock.now().wallMs);
      changeObject({
        store,
        ref,
        change: (stored) => applyPatch(stored, patch, 'merge'),
        warn: cli.warn,
        isDryRun: false,
      });
      return;
    }
    if (isWorkload(manifest.object)) {
      await storeWorkload(store, cli.clock, manifest, {
        warn: cli.warn,
        note: (text) => this.#session.view.note(text),
      });
    } else {
      const trouble = (text: string): void => this.#session.view.trouble(text);
      keepRecord(manifest, { store, clock: cli.clock, warn: cli.warn, trouble });
    }
    const { name } = ref;
    const { apiVersion, kind } = manifest.object;
    const metadata = { ...manifest.object.metadata, name, namespace: ref.namespace };
    this.#running.took({ apiVersion, kind, metadata } as Parameters<Run['took']>[0]);
  }

  /** Restarts containers in place. A Pod in which one of them has ended for good starts anew. */
  async #reload(containers: readonly string[], manifest: ManifestObject, ref: ObjectRef): Promise<void> {
    for (const pod of this.#podsOf(manifest, ref)) {
      const isOver = containers.some((name) => hasEnded(pod, name));
      if (!isOver) this.#running.agent.restart(resolvedUid(pod), containers);
      else if (manifest.object.kind === 'Pod') await this.#replace(manifest, ref);
    }
  }

  #podsOf({ object: { kind } }: ManifestObject, { namespace, name }: ObjectRef): readonly StoredPod[] {
    const isNamed = ({ metadata }: Pick<StoredPod, 'metadata'>): boolean =>
      metadata.namespace === namespace && metadata.name === name;
    if (kind === 'Pod') return this.#running.allPods.filter(isNamed);
    const root = this.#running.roots.find(({ object }) => object.kind === kind && isNamed(object));
    return root?.pods ?? [];
  }

  /** Ends the Pod as its manifest says, and starts the new one after it. */
  async #replace({ object, written }: ManifestObject, ref: ObjectRef): Promise<void> {
    const { cli, store } = this.#session;
    const { namespace, name } = ref;
    const old = store.get<StoredPod>('pods', namespace, name);
    if (old !== undefined) {
      const gone = new Promise<void>((resolve) => {
        const subscription = store.watch<StoredPod>('pods', { namespace, name }, (event) => {
          if (event.type !== 'DELETED') return;
          subscription.close();
          resolve();
        });
      });
      const outcome = await deleteObject({ store, clock: cli.clock, graceSeconds: undefined }, ref);
      if (outcome === 'ending') await gone;
    }
    if (this.#isClosed) return;
    rememberCreated(store, this.#running.startPod(object), written);
  }

  #failed(error: unknown): void {
    reportTrouble(error, ({ message }) => this.#session.view.trouble(message));
  }
}

function refOf(manifest: ManifestObject): ObjectRef {
  const { namespace = DEFAULT_NAMESPACE, name = '' } = manifest.object.metadata;
  return { type: resourceTypeOf(manifest.object), namespace, name };
}

/** True when the container has ended, and its Pod does not start it again. */
function hasEnded({ spec, status }: StoredPod, name: string): boolean {
  if (isTerminalPhase(status.phase)) return true;
  const container = allContainers(spec).find((each) => each.name === name);
  const ended = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].find(
    (each) => each.name === name,
  )?.state?.terminated;
  if (container === undefined || ended === undefined) return false;
  return !isSidecar(container) && !shouldRestart(spec.restartPolicy, container, ended.exitCode ?? 0);
}

const WORDS: Readonly<Record<Exclude<FollowedChange['type'], 'reload'>, string>> = {
  apply: 'is applied',
  replace: 'is replaced',
  restart: 'restarts',
  end: 'ends',
};

function sentenceOf(change: FollowedChange): string {
  const { type, manifest } = change;
  if (type !== 'reload') return `${objectName(manifest)} ${WORDS[type]}`;
  const { containers } = change;
  const what = containers.length === 1 ? 'container' : 'containers';
  const verb = containers.length === 1 ? 'restarts' : 'restart';
  return `${what} ${containers.join(', ')} of ${objectName(manifest)} ${verb}`;
}
