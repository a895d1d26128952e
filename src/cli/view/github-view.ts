import type { Owned } from '../../controllers/index.ts';
import type { HookOutput } from '../../kubelet/index.ts';
import type { PullNotice } from '../../images/index.ts';
import type { RunOutcome } from '../../engine/index.ts';
import {
  controllerOf,
  isTerminalPhase,
  type OwnerReference,
  resolvedUid,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../../api/index.ts';
import { type ManifestObject, podIn } from '../../manifest/index.ts';
import { type Lapse, podRoot, type Root, rootEnd, unservableText } from '../../lifecycle/index.ts';
import {
  type Annotation,
  annotationOf,
  type AnnotationPosition,
  blamedPod,
  conditionOf,
  deletionText,
  eventTransition,
  gitHubAnnotation,
  gitHubGroup,
  GROUP_END,
  howLapsed,
  podError,
  progressText,
  type Transition,
  transitionsOf,
  waitingFor,
  whyLapsed,
} from '../../print/index.ts';
import type { OutputStream } from '../../runtime/index.ts';
import { annotationPosition } from './github-mistakes.ts';
import type { ReaderGone } from '../base/process.ts';
import type { ApplyView, ApplyViewOptions, FollowedRun } from './apply-view.ts';

/**
 * A view for the log of a job of GitHub Actions. Folds the lines of another view while the Pods start and while they
 * end. Adds annotations about failures, at the fields of the manifests.
 */
export class GitHubView implements ApplyView {
  readonly #view: ApplyView;
  readonly #options: ApplyViewOptions;
  readonly #pods = new Map<string, StoredPod>();
  /** The controllers of what controllers made, by uid: of a ReplicaSet its Deployment. */
  readonly #owners = new Map<string, OwnerReference>();
  readonly #annotated = new Set<string>();
  #group: 'none' | 'starting' | 'ending' = 'none';
  #stage: 'starting' | 'running' | 'ending' | 'closed' = 'starting';

  constructor(view: ApplyView, options: ApplyViewOptions) {
    this.#view = view;
    this.#options = options;
  }

  pod(event: WatchEvent<StoredPod>): void {
    const { type, object } = event;
    const uid = resolvedUid(object);
    if (this.#pods.size === 0 && this.#stage === 'starting') this.#open('starting', `Starting ${this.#names()}`);
    const previous = this.#pods.get(uid);
    this.#pods.set(uid, object);
    this.#view.pod(event);
    if (type !== 'DELETED') {
      for (const transition of transitionsOf(previous, object, this.#options.cli.clock.now().wallMs)) {
        this.#remark(transition, object);
      }
    }
    const hasArrived = this.#pods.size === this.#options.pods.length && [...this.#pods.values()].every(isUp);
    if (this.#stage === 'starting' && hasArrived) this.#run();
  }

  event(event: WatchEvent<StoredEvent>): void {
    this.#view.event(event);
    const { type, object } = event;
    const pod = this.#pods.get(object.involvedObject.uid ?? '');
    if (type === 'DELETED' || pod === undefined) return;
    const transition = eventTransition(object, this.#options.cli.clock.now().wallMs, pod);
    if (transition !== undefined) this.#remark(transition, pod);
  }

  object(event: WatchEvent<Owned>): void {
    const { metadata } = event.object;
    const owner = controllerOf(event.object);
    if (owner !== undefined) this.#owners.set(metadata.uid, owner);
    this.#view.object(event);
  }

  output(pod: StoredPod, container: string, stream: OutputStream, chunk: Buffer): Promise<void> | undefined {
    return this.#view.output(pod, container, stream, chunk);
  }

  hookOutput(pod: StoredPod, output: HookOutput): void {
    this.#view.hookOutput(pod, output);
  }

  note(text: string): void {
    this.#view.note(text);
  }

  runsNothing(): void {
    this.#view.runsNothing?.();
  }

  trouble(text: string): void {
    this.#view.trouble(text);
  }

  pull(notice: PullNotice): void {
    this.#view.pull(notice);
  }

  follow(run: FollowedRun): void {
    this.#view.follow(run);
  }

  /** Ends the folded group: the output of COMMAND is the result of the job. */
  commandStarts(argv: readonly string[]): void {
    this.#run();
    this.#view.commandStarts(argv);
  }

  decided(outcome: RunOutcome, roots: readonly Root[]): void {
    this.#run();
    for (const [root, what, why] of this.#faultsOf(outcome, roots)) this.#annotateRoot(root, what, why);
    for (const deletion of (outcome.type === 'commandEnded' && outcome.deleted) || []) {
      this.#annotateObject(deletion.object, 'was deleted', deletionText(deletion));
    }
    for (const object of outcome.type === 'unservable' ? outcome.objects : []) {
      const { about, path } = object;
      const manifest = this.#manifest(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}` === about);
      const annotation = {
        level: 'error',
        path,
        title: `${about} cannot serve`,
        message: unservableText(object),
      } as const;
      this.#line(gitHubAnnotation(annotation, this.#positionIn(manifest, path)));
    }
  }

  ending(outcome: RunOutcome): void {
    this.#stage = 'ending';
    if (outcome.type !== 'ended') this.#open('ending', `Ending ${this.#names()}`);
    this.#view.ending(outcome);
  }

  onReaderGone(callback: (how: ReaderGone) => void): void {
    this.#view.onReaderGone(callback);
  }

  close(): void {
    this.#view.close();
    this.#closeGroup();
    this.#stage = 'closed';
  }

  #run(): void {
    this.#closeGroup();
    if (this.#stage === 'starting') this.#stage = 'running';
  }

  #open(group: 'starting' | 'ending', title: string): void {
    this.#closeGroup();
    if (this.#options.cli.isQuiet) return;
    this.#group = group;
    this.#line(gitHubGroup(title));
  }

  #closeGroup(): void {
    if (this.#group !== 'none') this.#line(GROUP_END);
    this.#group = 'none';
  }

  /** Adds an annotation for a transition, unless podrun is ending the Pods. */
  #remark(transition: Transition, pod: StoredPod): void {
    if (this.#stage === 'ending' || this.#stage === 'closed') return;
    const annotation = annotationOf(transition, pod);
    if (annotation !== undefined) this.#annotate(annotation, pod);
  }

  /** The roots because of which the run has failed, each with what is wrong with it, and why. */
  #faultsOf(outcome: RunOutcome, roots: readonly Root[]): readonly RootFault[] {
    const failed = (root: Root): RootFault => [root, rootEnd(root) === 'failed' ? 'failed' : 'is not Ready'];
    const lapsed = (lapse: Lapse): RootFault => [podRoot(lapse.pod), howLapsed(lapse), whyLapsed(lapse)];
    switch (outcome.type) {
      case 'ended':
        return roots.filter((root) => rootEnd(root) === 'failed').map(failed);
      case 'goalImpossible':
        return [[outcome.root, 'can no longer meet the goal']];
      case 'goalLapsed':
        return [lapsed(outcome.lapse)];
      case 'commandEnded':
        return [...(outcome.lapse === undefined ? [] : [lapsed(outcome.lapse)]), ...outcome.missing.map(failed)];
      case 'stuck':
        return outcome.pods.map((pod) => [podRoot(pod), 'waits for an image']);
      case 'timedOut': {
        const nowMs = this.#options.cli.clock.now().wallMs;
        const late = outcome.roots.flatMap(({ pods }) => pods).filter((pod) => !isUp(pod) || outcome.duringCommand);
        return late.map((pod) => [podRoot(pod), 'timed out', `waiting for ${waitingFor(pod, nowMs)}`]);
      }
      case 'unservable':
      case 'broken':
      case 'goalMet':
      case 'interrupted':
        return [];
      default:
        return outcome satisfies never;
    }
  }

  /** Adds an error at the Pod that explains a root best, else at the root. */
  #annotateRoot(root: Root, what: string, why: string | undefined): void {
    const pod = blamedPod(root);
    if (pod !== undefined) this.#annotate(podError(pod, what, why), pod);
    else if (root.object.kind !== 'Pod') this.#annotateObject(root.object, what, why ?? progressText(root.object));
  }

  /** Adds an error at the name of an object. */
  #annotateObject(object: Root['object'], what: string, message: string): void {
    const { kind, metadata } = object;
    const title = `${kind.toLowerCase()} ${metadata.name} ${what}`;
    const annotation = { level: 'error', path: 'metadata.name', title, message } as const;
    if (object.kind === 'Pod') return this.#annotate(annotation, object);
    const manifest = this.#manifest(({ kind: its, metadata: { name, namespace } }) => {
      return its === kind && name === metadata.name && namespace === metadata.namespace;
    });
    this.#line(gitHubAnnotation(annotation, this.#positionIn(manifest, annotation.path)));
  }

  /** Adds one annotation per field, and one error per Pod: GitHub shows ten annotations per step. */
  #annotate(annotation: Annotation, pod: StoredPod): void {
    const { uid, namespace } = pod.metadata;
    const key = annotation.level === 'error' ? uid : `${uid} ${annotation.path}`;
    if (this.#annotated.has(key)) return;
    this.#annotated.add(key);
    const owner = this.#topOwner(pod);
    const manifest = this.#manifest(
      ({ kind, metadata }) => metadata.namespace === namespace && metadata.name === owner.name && kind === owner.kind,
    );
    const template = manifest && podIn(manifest.object)?.path;
    // The name of a Pod of a workload is nowhere: its template has at best labels.
    const path = template && annotation.path === 'metadata.name' ? '' : annotation.path;
    const position = this.#positionIn(manifest, [template, path].filter(Boolean).join('.'));
    this.#line(gitHubAnnotation(annotation, position));
  }

  /** The workload of the manifests that made a Pod, or the Pod. */
  #topOwner(pod: StoredPod): { readonly kind: string; readonly name: string } {
    let top: { readonly kind: string; readonly name: string } = { kind: 'Pod', name: pod.metadata.name };
    let owner = controllerOf(pod);
    while (owner !== undefined) {
      top = owner;
      owner = this.#owners.get(owner.uid);
    }
    return top;
  }

  #manifest(isMeant: (object: ManifestObject['object']) => boolean): ManifestObject | undefined {
    return this.#options.manifests.find(({ object }) => isMeant(object));
  }

  #positionIn(manifest: ManifestObject | undefined, path: string): AnnotationPosition | undefined {
    return manifest?.positionOf && annotationPosition(this.#options.cli, manifest.file, manifest.positionOf(path));
  }

  #names(): string {
    const { pods, workloads } = this.#options;
    const names = [...pods, ...workloads].map(({ metadata }) => metadata.name);
    const what = workloads.length === 0 ? 'Pods' : 'objects';
    return names.length > 5 ? `${names.length} ${what}` : names.join(', ');
  }

  #line(text: string): void {
    this.#options.cli.stdout.write(`${text}\n`);
  }
}

/** A root at fault, what is wrong with it, and the reason. Default: the cause that the Pod has on record. */
type RootFault = readonly [root: Root, what: string, why?: string | undefined];

/** True when the Pod is Ready or has ended. */
function isUp({ status }: StoredPod): boolean {
  return isTerminalPhase(status.phase) || conditionOf(status, 'Ready')?.status === 'True';
}
