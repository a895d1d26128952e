import type { Container, EphemeralContainer, PodSpec } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, duplicate, forbidden, invalid, notFound, required } from '../base/field-error.ts';
import { each } from './checks.ts';
import { validateContainer, validateHandlers, type ContainerRules } from './container.ts';
import { child, item } from '../base/path.ts';
import { validateHostPorts } from './ports.ts';
import { validateRestartRules } from './restart-rules.ts';

const ONLY_SIDECARS = 'may not be set for init containers without restartPolicy=Always';
const SIDECAR_FIELDS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** The fields that an ephemeral container may have: with any further field, the Pod would rely on it. */
const EPHEMERAL_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'image',
  'command',
  'args',
  'workingDir',
  'envFrom',
  'env',
  'volumeMounts',
  'volumeDevices',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'imagePullPolicy',
  'securityContext',
  'stdin',
  'stdinOnce',
  'tty',
  'targetContainerName',
]);
const NOT_EPHEMERAL = 'cannot be set for an Ephemeral Container';

/** Validates regular containers. Source: pkg/apis/core/validation/validation.go, validateContainers. */
export function validateContainers(
  path: string,
  containers: readonly Decoded<Container>[],
  rules: ContainerRules,
): FieldError[] {
  if (containers.length === 0) return [required(path)];
  const names = new Set<string>();
  const errors = each(path, containers, (container, at) => [
    ...validateContainer(at, container, rules),
    ...validateUniqueName(at, container, names),
    ...validateHandlers(at, container, rules),
    ...validateRestartRules(at, container),
  ]);
  return [...errors, ...validateHostPorts(containers.map((container, index) => [item(path, index), container]))];
}

/** Validates a name, and adds it to `names`. */
function validateUniqueName(
  path: string,
  { name = '' }: { name?: string | undefined },
  names: Set<string>,
): FieldError[] {
  if (names.has(name)) return [duplicate(child(path, 'name'), name)];
  names.add(name);
  return [];
}

/** Validates init containers: names are unique over all containers; ports only within each, since they run in turn. */
export function validateInitContainers(path: string, spec: Decoded<PodSpec>, rules: ContainerRules): FieldError[] {
  const names = namesOf(spec.containers);
  return each(path, spec.initContainers, (container, at) => [
    ...validateContainer(at, container, rules),
    ...validateRestartRules(at, container),
    ...(container.name ? validateUniqueName(at, container, names) : []),
    ...validateHostPorts([[at, container]]),
    ...(container.restartPolicy === 'Always'
      ? validateHandlers(at, container, rules)
      : validatePlainInitContainer(at, container)),
  ]);
}

function namesOf(containers: readonly Decoded<Container>[] | undefined): Set<string> {
  return new Set((containers ?? []).flatMap(({ name }) => (name ? [name] : [])));
}

/** Refuses probes, hooks and a resize policy for an init container that is no sidecar. */
function validatePlainInitContainer(path: string, container: Decoded<Container>): FieldError[] {
  const forbiddenFields = SIDECAR_FIELDS.filter((field) => container[field] !== undefined);
  const resizePath = child(path, 'resizePolicy');
  return [
    ...forbiddenFields.map((field) => forbidden(child(path, field), ONLY_SIDECARS)),
    ...each(resizePath, container.resizePolicy, ({ restartPolicy }, at) => {
      if (restartPolicy !== 'RestartContainer') return [];
      const text = "must not be set to 'RestartContainer' for non-sidecar initContainers";
      return [invalid(child(at, 'restartPolicy'), restartPolicy, text)];
    }),
  ];
}

/** Validates containers that were added to a running Pod for debugging. */
export function validateEphemeralContainers(path: string, spec: Decoded<PodSpec>, rules: ContainerRules): FieldError[] {
  const others = new Set([...namesOf(spec.containers), ...namesOf(spec.initContainers)]);
  const names = new Set(others);
  return each(path, spec.ephemeralContainers, (container, at) => {
    const target = container.targetContainerName;
    return [
      ...validateContainer(at, container, { ...rules, isPod: true }),
      ...validateUniqueName(at, container, names),
      ...(target && !others.has(target) ? [notFound(child(at, 'targetContainerName'), target)] : []),
      ...forbidUnsupported(at, container),
      ...forbidSubPaths(at, container),
    ];
  });
}

function forbidUnsupported(path: string, container: Decoded<EphemeralContainer>): FieldError[] {
  return Object.entries(container)
    .filter(([field, value]) => !EPHEMERAL_FIELDS.has(field) && isSet(value))
    .map(([field]) => forbidden(child(path, field), NOT_EPHEMERAL));
}

/** True for a value with content: defaulting gives every container empty resources. */
function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}

function forbidSubPaths(path: string, container: Decoded<EphemeralContainer>): FieldError[] {
  return each(child(path, 'volumeMounts'), container.volumeMounts, (mount, at) =>
    (['subPath', 'subPathExpr'] as const)
      .filter((field) => mount[field])
      .map((field) => forbidden(child(at, field), NOT_EPHEMERAL)),
  );
}
