import type { Owned } from '../../controllers/index.ts';
import type { HookOutput } from '../../kubelet/index.ts';
import type { PullNotice } from '../../images/index.ts';
import type { RunOutcome } from '../../engine/index.ts';
import { isTerminalPhase, resolvedUid, type StoredEvent, type StoredPod, type WatchEvent } from '../../api/index.ts';
import type { PodActivity } from '../../lifecycle/index.ts';
import {
  type Annotation,
  annotationOf,
  blamedPod,
  conditionOf,
  eventTransition,
  gitHubAnnotation,
  gitHubGroup,
  GROUP_END,
  howLapsed,
  podError,
  type Transition,
  transitionsOf,
  waitingFor,
  whyLapsed,
} from '../../print/index.ts';
import type { OutputStream } from '../../runtime/index.ts';
import { annotationPosition } from './github-mistakes.ts';
import type { ReaderGone } from '../base/process.ts';
import type { ApplyView, ApplyViewOptions } from './apply-view.ts';

/**
 * A view for the log of a job of GitHub Actions. Folds the lines of another view while the Pods start and while they
 * end. Adds annotations about failures, at the fields of the manifests.
 */
export class GitHubView implements ApplyView {
  readonly #view: ApplyView;
  readonly #options: ApplyViewOptions;
  readonly #pods = new Map<string, StoredPod>();
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

  trouble(text: string): void {
    this.#view.trouble(text);
  }

  pull(notice: PullNotice): void {
    this.#view.pull(notice);
  }

  follow(activityOf: (uid: string) => PodActivity | undefined): void {
    this.#view.follow(activityOf);
  }

  /** Ends the folded group: the output of COMMAND is the result of the job. */
  commandStarts(argv: readonly string[]): void {
    this.#run();
    this.#view.commandStarts(argv);
  }

  ending(outcome: RunOutcome): void {
    this.#run();
    const nowMs = this.#options.cli.clock.now().wallMs;
    if (outcome.type === 'goalImpossible') {
      const pod = blamedPod(outcome.root);
      if (pod !== undefined) this.#annotate(podError(pod, 'can no longer meet the goal'), pod);
    }
    const isLapse = outcome.type === 'goalLapsed' || outcome.type === 'commandEnded';
    const lapse = isLapse ? outcome.lapse : undefined;
    if (lapse !== undefined) this.#annotate(podError(lapse.pod, howLapsed(lapse), whyLapsed(lapse)), lapse.pod);
    if (outcome.type === 'stuck') {
      for (const pod of outcome.pods) this.#annotate(podError(pod, 'waits for an image'), pod);
    }
    if (outcome.type === 'timedOut') {
      for (const pod of outcome.roots.flatMap(({ pods }) => pods)) {
        if (isUp(pod) && !outcome.duringCommand) continue;
        this.#annotate(podError(pod, 'timed out', `waiting for ${waitingFor(pod, nowMs)}`), pod);
      }
    }
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

  /** Adds one annotation per field, and one error per Pod: GitHub shows ten annotations per step. */
  #annotate(annotation: Annotation, pod: StoredPod): void {
    const { uid, namespace, name } = pod.metadata;
    const key = annotation.level === 'error' ? uid : `${uid} ${annotation.path}`;
    if (this.#annotated.has(key)) return;
    this.#annotated.add(key);
    const manifest = this.#options.manifests.find(
      ({ object: { metadata } }) => metadata.namespace === namespace && metadata.name === name,
    );
    const position =
      manifest?.positionOf &&
      annotationPosition(this.#options.cli, manifest.file, manifest.positionOf(annotation.path));
    this.#line(gitHubAnnotation(annotation, position));
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

/** True when the Pod is Ready or has ended. */
function isUp({ status }: StoredPod): boolean {
  return isTerminalPhase(status.phase) || conditionOf(status, 'Ready')?.status === 'True';
}
