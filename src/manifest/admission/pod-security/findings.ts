import type { Container, EphemeralContainer, ObjectMeta, PodSpec } from '../../../api/index.ts';

/** A thing that a Pod Security check forbids in a Pod: the reason, and the place. */
export interface PodSecurityFinding {
  readonly reason: string;
  readonly detail: string;
}

/** A Pod, or the template of one. */
export interface SecuredPod {
  readonly metadata?: Pick<ObjectMeta, 'annotations'> | undefined;
  readonly spec: PodSpec;
}

/** A container of any list of a Pod. */
export type AnyContainer = Container | EphemeralContainer;

/** The containers in the order in which messages name them. */
export function securedContainers({ spec }: SecuredPod): readonly AnyContainer[] {
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
}

/** Source: pod-security-admission/policy/helpers.go, joinQuote: nothing is escaped. */
export const quoted = (texts: readonly string[]): string => `"${texts.join('", "')}"`;

/** Texts in their order, each once. */
export const unique = (texts: readonly string[]): string[] => [...new Set(texts)].toSorted();

/** A noun for a number of things. */
export const plural = (count: number, one: string): string => (count === 1 ? one : `${one}s`);

/** The names of containers. */
export const namesOf = (containers: readonly AnyContainer[]): string[] => containers.map(({ name }) => name);

/** `container "a"`, `containers "a", "b"`. */
export function named(containers: readonly AnyContainer[]): string {
  return `${plural(containers.length, 'container')} ${quoted(namesOf(containers))}`;
}

/** `pod`, `container "a"`, or both. Empty: nothing of the Pod does it. */
export function setters(isPod: boolean, containers: readonly AnyContainer[]): string {
  return [...(isPod ? ['pod'] : []), ...(containers.length > 0 ? [named(containers)] : [])].join(' and ');
}

/** A check of Pod Security. Undefined: it forbids nothing. */
export type SecurityCheck = (pod: SecuredPod) => PodSecurityFinding | undefined;

/** The finding, unless nothing was found. */
export function findingOf(reason: string, who: string, detail: string): PodSecurityFinding | undefined {
  return who === '' ? undefined : { reason, detail: `${who} ${detail}` };
}
