import type { StoredPod } from '../../api/index.ts';
import { containersOf } from '../base/pod-container.ts';
import { causeOf } from './first-cause.ts';
import type { Transition } from './transition.ts';

/** A remark that a CI system shows beside a line of a manifest. */
export interface Annotation {
  readonly level: 'error' | 'warning';
  readonly title: string;
  readonly message: string;
  /** The field of the remark, for example `spec.containers[0].livenessProbe`. */
  readonly path: string;
}

/** The position of an annotation. */
export interface AnnotationPosition {
  /** The path relative to the root of the repository. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * The annotation for a transition: a container that failed or cannot start, a probe that restarts it or makes it
 * unready, a Pod that has failed or cannot be scheduled. Undefined for all other transitions.
 * @param pod the Pod after the transition
 */
export function annotationOf(transition: Transition, pod: StoredPod): Annotation | undefined {
  const { kind, container, text, why, tone } = transition;
  if (tone !== 'bad') return undefined;
  // The run may want the failure, or have another Pod in its place: an error is for the verdict.
  if (kind === 'phase')
    return pod.status.phase === 'Failed' ? { ...podError(pod, 'failed'), level: 'warning' } : undefined;
  // The container that is not ready has an annotation of its own.
  if (kind === 'condition' && text.includes('ContainersReady=False')) return undefined;
  const message = why === undefined || why === '' ? text : `${text}: ${why}`;
  const title = container === undefined ? `pod ${pod.metadata.name}` : `${pod.metadata.name}/${container}`;
  const path = container === undefined ? podPath(kind) : containerPath(pod, container, fieldOf(transition, pod));
  return { level: 'warning', title, message, path };
}

/** The annotation for a Pod that missed its goal. It points to the container that caused this. */
export function podError(pod: StoredPod, what: string, why?: string): Annotation {
  const cause = causeOf(pod);
  const field = cause?.container === undefined ? undefined : blamedField(pod, cause.container);
  return {
    level: 'error',
    title: `pod ${pod.metadata.name} ${what}`,
    message: why ?? cause?.text ?? `its phase is ${pod.status.phase ?? 'Unknown'}`,
    path: cause?.container === undefined ? 'metadata.name' : containerPath(pod, cause.container, field),
  };
}

function podPath(kind: Transition['kind']): string {
  return kind === 'scheduling' ? 'spec' : 'metadata.name';
}

function containerPath(pod: StoredPod, name: string, field: string | undefined): string {
  const view = containersOf(pod).find(({ container }) => container.name === name);
  if (view === undefined) return 'spec';
  const isInit = view.role === 'init' || view.role === 'sidecar';
  const list = isInit ? 'initContainers' : view.role === 'ephemeral' ? 'ephemeralContainers' : 'containers';
  const path = `spec.${list}[${view.position - 1}]`;
  return field === undefined ? path : `${path}.${field}`;
}

/** The probe, hook or image in the text of a transition. */
function fieldOf({ text, why = '', container = '' }: Transition, pod: StoredPod): string | undefined {
  const probe = /\b(liveness|readiness|startup) probe\b/.exec(`${text} ${why}`)?.[1];
  if (probe !== undefined) return `${probe}Probe`;
  const hook = /\b(postStart|preStop) hook\b/.exec(text)?.[1];
  if (hook !== undefined) return `lifecycle.${hook}`;
  return blamedField(pod, container);
}

/** The field of a container that explains its state. */
function blamedField(pod: StoredPod, name: string): string | undefined {
  const view = containersOf(pod).find(({ container }) => container.name === name);
  const { waiting, running, terminated } = view?.status?.state ?? {};
  if (/Image/.test(waiting?.reason ?? '')) return 'image';
  if (running !== undefined && view?.status?.started === false) return 'startupProbe';
  if (running !== undefined && view?.status?.ready === false) return 'readinessProbe';
  return terminated === undefined && waiting === undefined ? undefined : 'command';
}

/**
 * Formats an annotation as a command of GitHub Actions: `::error file=…,line=…,col=…,title=…::message`. Source:
 * actions/toolkit, packages/core/src/command.ts.
 */
export function gitHubAnnotation(
  { level, title, message }: Annotation,
  position: AnnotationPosition | undefined,
): string {
  const properties = [
    ...(position === undefined
      ? []
      : [`file=${annotationProperty(position.file)}`, `line=${position.line}`, `col=${position.column}`]),
    `title=${annotationProperty(title)}`,
  ];
  return `::${level} ${properties.join(',')}::${annotationText(message)}`;
}

/** The line that starts a folded group, which ends with `GROUP_END`. */
export function gitHubGroup(title: string): string {
  return `::group::${annotationText(title)}`;
}

export const GROUP_END = '::endgroup::';

/** Escapes the text of a workflow command. */
export function annotationText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes a property of a workflow command. */
export function annotationProperty(text: string): string {
  return annotationText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
