import path from 'node:path';
import type { Run } from '../../engine/index.ts';
import {
  applyPatch,
  DEFAULT_NAMESPACE,
  isWorkload,
  parseLabelSelector,
  resourceTypeOf,
  restartPatch,
  type StoredPod,
  usage,
} from '../../api/index.ts';
import { type Isolation, type ManifestObject, renderManifestErrors } from '../../manifest/index.ts';
import { changeObject, deleteObject, keepRecord, type ObjectRef, storeWorkload } from '../../apiserver/index.ts';
import { rememberCreated } from '../../store/index.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { loadFromFlags } from '../apply/manifest-input.ts';
import type { ApplySession, FollowManifests } from '../apply/session.ts';
import { changesBetween, type FollowedChange, objectName } from './changes.ts';
import { programFiles } from './program-files.ts';
import { WatchedFiles } from './watched-files.ts';

/** Flags that end a run, or that look at one state of the manifests, each with a check whether it was given. */
const WITHOUT_WATCH: ReadonlyArray<readonly [flag: string, isGiven: (flags: ApplyFlags) => boolean]> = [
  ['--until', ({ until }) => until !== undefined],
  ['--timeout', ({ timeout }) => timeout !== undefined],
  ['--detach', ({ detach }) => detach],
  ['--dry-run', ({ dryRun }) => dryRun !== 'none'],
  ['--report', ({ report }) => report !== undefined],
  ['--expect', ({ expect }) => expect !== undefined],
  ['--static-pods', ({ staticPods }) => staticPods !== undefined],
  ['--context', ({ context, kubeconfig }) => context !== undefined || kubeconfig !== undefined],
];

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
  if (manifestPlaces(flags).length === 0) throw usage('--watch needs a manifest in a file, or in a folder');
  return (session, start) => new WatchRun(session, start);
}

function manifestPlaces({ filename, kustomize }: ApplyFlags): readonly string[] {
  const files = filename.filter((name) => name !== '-' && !/^https?:/.test(name));
  return kustomize === undefined ? files : [kustomize];
}

/** Follows the manifests and programs of one run: each change restarts what it concerns, and nothing else. */
class WatchRun {
  readonly #session: ApplySession;
  readonly #running: () => Run;
  readonly #isolation: Isolation;
  readonly #files: WatchedFiles;
  #known: readonly ManifestObject[];
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(session: ApplySession, { running, objects, isolation }: Parameters<FollowManifests>[1]) {
    this.#session = session;
    this.#running = running;
    this.#isolation = isolation;
    this.#known = objects;
    this.#files = new WatchedFiles(session.cli.clock, (files) => {
      this.#work = this.#work.then(() => this.#changed(files)).catch((error: unknown) => this.#failed(error));
    });
  }

  begin(): void {
    this.#follow();
  }

  close(): void {
    this.#isClosed = true;
    this.#files.close();
  }

  #follow(): void {
    const { flags } = this.#session;
    const isDeep = flags.recursive || flags.kustomize !== undefined;
    this.#files.follow({ places: manifestPlaces(flags), recursive: isDeep });
    this.#files.follow({ places: this.#known.flatMap((each) => this.#programsOf(each)), recursive: false });
  }

  #programsOf({ object }: ManifestObject): readonly string[] {
    return programFiles(object, this.#session.settings.images, this.#session.settings.cwd);
  }

  async #changed(files: readonly string[]): Promise<void> {
    if (this.#isClosed) return;
    const { cli, flags, view } = this.#session;
    const what = `${files.map((file) => path.relative(process.cwd(), file)).join(', ')} changed`;
    const { objects: all, errors } = await loadFromFlags(cli, flags, this.#isolation);
    if (errors.length > 0) {
      view.note(`${what}: the run goes on as before, because of a mistake`);
      for (const line of renderManifestErrors(errors)) view.trouble(line.replace(/^error: /, ''));
      return;
    }
    const isSelected = parseLabelSelector(flags.selector ?? '');
    const objects = all.filter(({ object }) => isSelected(object.metadata.labels ?? {}));
    const changes = changesBetween(this.#known, objects, (each) =>
      this.#programsOf(each).some((file) => files.includes(file)),
    );
    if (changes.length === 0) return;
    view.note(`${what}: ${changes.map(told).join(', ')}`);
    this.#known = objects;
    this.#follow();
    // One refused change must not keep the others back.
    for (const change of changes) await this.#carryOut(change).catch((error: unknown) => this.#failed(error));
  }

  async #carryOut({ type, manifest }: FollowedChange): Promise<void> {
    if (this.#isClosed) return;
    const { cli, store } = this.#session;
    const ref = refOf(manifest);
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
    this.#running().took({ apiVersion, kind, metadata } as Parameters<Run['took']>[0]);
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
    rememberCreated(store, this.#running().startPod(object), written);
  }

  #failed(error: unknown): void {
    this.#session.view.trouble(error instanceof Error ? error.message : String(error));
  }
}

function refOf(manifest: ManifestObject): ObjectRef {
  const { namespace = DEFAULT_NAMESPACE, name = '' } = manifest.object.metadata;
  return { type: resourceTypeOf(manifest.object), namespace, name };
}

const WORDS: Readonly<Record<FollowedChange['type'], string>> = {
  apply: 'is applied',
  replace: 'is replaced',
  restart: 'restarts',
  end: 'ends',
};

function told({ type, manifest }: FollowedChange): string {
  return `${objectName(manifest)} ${WORDS[type]}`;
}
