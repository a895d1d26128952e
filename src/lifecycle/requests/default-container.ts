import type { PodSpec, StoredPod } from '../../api/index.ts';

/** The container that a command uses when the user names none, and a note about the choice. */
export interface DefaultContainer {
  readonly name: string;
  /** The note for standard error. Undefined when there was no choice. */
  readonly note: string | undefined;
}

const ANNOTATION = 'kubectl.kubernetes.io/default-container';

/** Source: kubectl/pkg/cmd/util/podcmd/podcmd.go. */
export function chooseDefaultContainer({ metadata, spec }: StoredPod): DefaultContainer {
  const names = containerNames(spec);
  const annotated = metadata.annotations?.[ANNOTATION];
  if (annotated && names.includes(annotated)) return { name: annotated, note: undefined };
  const name = spec.containers[0]?.name ?? '';
  const missing = annotated ? `Default container name "${annotated}" not found in pod ${metadata.name}\n` : '';
  const choice = names.length > 1 ? `Defaulted container "${name}" out of: ${listContainers(spec)}\n` : '';
  return { name, note: missing + choice || undefined };
}

/** Names of all containers, in the order in which they start. */
export function containerNames({ initContainers = [], containers, ephemeralContainers = [] }: PodSpec): string[] {
  return [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
}

/** The containers as kubectl lists them: `main, debugger (ephem), setup (init)`. */
export function listContainers({ initContainers = [], containers, ephemeralContainers = [] }: PodSpec): string {
  return [
    ...containers.map(({ name }) => name),
    ...ephemeralContainers.map(({ name }) => `${name} (ephem)`),
    ...initContainers.map(({ name }) => `${name} (init)`),
  ].join(', ');
}
