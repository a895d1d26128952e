import { type Container, type KubeObject, matchesStars, PodrunError, type PodSpec } from '../../api/index.ts';

/** The fields on the way to the spec of a Pod, by kind. Source: kubectl/pkg/polymorphichelpers/updatepodspec.go. */
const IN_TEMPLATE = ['spec', 'template', 'spec'];
const PATHS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Pod', ['spec']],
  ['CronJob', ['spec', 'jobTemplate', 'spec', 'template', 'spec']],
  ...['DaemonSet', 'Deployment', 'Job', 'ReplicaSet', 'ReplicationController', 'StatefulSet'].map(
    (kind) => [kind, IN_TEMPLATE] as const,
  ),
]);

type Fields = Readonly<Record<string, unknown>>;

/**
 * The object with a changed spec of its Pod or Pod template.
 * @throws {PodrunError} in kubectl's words, for a kind without Pods
 */
export function withPodSpec<T extends KubeObject>(object: T, change: (spec: PodSpec) => PodSpec): T {
  const path = PATHS.get(object.kind);
  if (path !== undefined) return changeAt(object, path, change) as T;
  const type = `*v1.${object.kind}`;
  throw new PodrunError('BadRequest', `the object is not a pod or does not have a pod template: ${type}`);
}

function changeAt(
  fields: Fields,
  [field = '', ...rest]: readonly string[],
  change: (spec: PodSpec) => PodSpec,
): Fields {
  const inner = (fields[field] ?? {}) as Fields;
  const changed = rest.length === 0 ? change(inner as unknown as PodSpec) : changeAt(inner, rest, change);
  return { ...fields, [field]: changed };
}

/** The spec with changed containers: the regular ones and the init containers that are chosen. */
export function withContainers(
  spec: PodSpec,
  isChosen: (container: Container) => boolean,
  change: (container: Container) => Container,
): PodSpec {
  const changed = (containers: readonly Container[]): Container[] =>
    containers.map((container) => (isChosen(container) ? change(container) : container));
  const { initContainers } = spec;
  return {
    ...spec,
    containers: changed(spec.containers),
    ...(initContainers === undefined ? {} : { initContainers: changed(initContainers) }),
  };
}

/** The regular containers that are chosen, then the init containers. */
export function chosenContainers(
  { containers, initContainers = [] }: PodSpec,
  isChosen: (container: Container) => boolean,
): Container[] {
  return [...containers, ...initContainers].filter(isChosen);
}

/** Chooses containers by a name in which `*` stands for any text. Source: kubectl/pkg/cmd/set/helper.go. */
export function containerChoice(pattern: string): (container: Container) => boolean {
  return ({ name }) => matchesStars(name, pattern);
}
