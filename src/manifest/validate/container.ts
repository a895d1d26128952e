import {
  type Container,
  type ContainerRestartRule,
  type EphemeralContainer,
  labelMessages,
  type PodSpec,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  item,
  notFound,
  required,
  tooMany,
} from '../base/field-error.ts';
import { each, oneOfIfSet, requiredOneOf, requiredText, requiredWellFormed } from './checks.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { type HandlerRules, validateLifecycle, validateProbe } from './handlers.ts';
import { validateDevices, validateMounts } from './mounts.ts';
import { validateHostPorts, validatePorts } from './ports.ts';
import { validateContainerResourceName } from './resource-names.ts';
import { validateRequirements, validateResizePolicy } from './resources.ts';
import { validateSecurityContext } from './security-context.ts';
import { PULL_POLICIES, type Volumes } from './volumes.ts';

const TERMINATION_POLICIES: readonly string[] = ['File', 'FallbackToLogsOnError'];
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** Facts about the Pod that the rules of a container need. */
export interface ContainerRules extends HandlerRules {
  /** True for a Pod, false for a template. */
  readonly isPod: boolean;
  readonly volumes: Volumes;
  /** Names of the Pod's resource claims. */
  readonly claimNames: ReadonlySet<string>;
  readonly podRestartPolicy: string | undefined;
  /** True when users in the Pod are users of the host. */
  readonly hasHostUsers: boolean;
}

/** Rules of every container. Source: pkg/apis/core/validation/validation.go, validateContainerCommon. */
function validateContainer(path: string, container: Decoded<Container>, rules: ContainerRules): FieldError[] {
  const { name, image = '', ports, env, envFrom, resources = {}, resizePolicy = [], securityContext } = container;
  const messagePolicyPath = child(path, 'terminationMessagePolicy');
  return [
    ...requiredWellFormed(child(path, 'name'), name, labelMessages),
    ...validateImage(child(path, 'image'), image, rules.isPod),
    ...requiredOneOf(messagePolicyPath, container.terminationMessagePolicy, TERMINATION_POLICIES),
    ...validatePorts(child(path, 'ports'), ports),
    ...validateEnv(child(path, 'env'), env, rules.volumes),
    ...validateEnvFrom(child(path, 'envFrom'), envFrom),
    ...validateMounts(child(path, 'volumeMounts'), container, rules.volumes),
    ...validateDevices(child(path, 'volumeDevices'), container, rules.volumes),
    ...requiredOneOf(child(path, 'imagePullPolicy'), container.imagePullPolicy, PULL_POLICIES),
    ...validateRequirements(child(path, 'resources'), resources, validateContainerResourceName, rules.claimNames),
    ...validateResizePolicy(child(path, 'resizePolicy'), resizePolicy, rules.podRestartPolicy),
    ...(securityContext
      ? validateSecurityContext(child(path, 'securityContext'), securityContext, rules.hasHostUsers)
      : []),
  ];
}

/** Requires an image, without blanks in a Pod. Its form is not checked: a bad name fails when the container starts. */
function validateImage(path: string, image: string, isPod: boolean): FieldError[] {
  if (!isPod || image.trim() === image) return requiredText(path, image);
  return [invalid(path, image, 'must not have leading or trailing whitespace')];
}

/** Validates hooks and probes. */
function validateHandlers(path: string, container: Decoded<Container>, rules: HandlerRules): FieldError[] {
  const { lifecycle } = container;
  const probes = PROBES.flatMap((kind) => {
    const probe = container[kind];
    return probe ? validateProbe(child(path, kind), kind, probe) : [];
  });
  return [...(lifecycle ? validateLifecycle(child(path, 'lifecycle'), lifecycle, rules) : []), ...probes];
}

const RESTART_POLICIES: readonly string[] = ['Always', 'Never', 'OnFailure'];
const RULE_ACTIONS: readonly string[] = ['Restart', 'RestartAllContainers'];
const RULE_OPERATORS: readonly string[] = ['In', 'NotIn'];
const RESTART_RULES_MAX = 20;
const RULE_EXIT_CODES_MAX = 255;

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

/** Validates the restart policy and rules of one container. Source: validateContainerRestartPolicy (v1.36). */
function validateRestartRules(path: string, container: Decoded<Container>): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  const rulesPath = child(path, 'restartPolicyRules');
  if (restartPolicy === undefined) {
    const needsPolicy = 'must specify restartPolicy when restart rules are used';
    return rules.length > 0 ? [required(child(path, 'restartPolicy'), needsPolicy)] : [];
  }
  return [
    ...oneOfIfSet(child(path, 'restartPolicy'), restartPolicy, RESTART_POLICIES),
    ...(rules.length > RESTART_RULES_MAX ? [tooMany(rulesPath, rules.length, RESTART_RULES_MAX)] : []),
    ...each(rulesPath, rules, validateRule),
  ];
}

function validateRule({ action = '', exitCodes }: Decoded<ContainerRestartRule>, path: string): FieldError[] {
  const errors = oneOfIfSet(child(path, 'action'), action, RULE_ACTIONS);
  const codesPath = child(path, 'exitCodes');
  if (exitCodes === undefined) return [...errors, required(codesPath, 'must be specified')];
  const count = (exitCodes.values ?? []).length;
  return [
    ...errors,
    ...oneOfIfSet(child(codesPath, 'operator'), exitCodes.operator ?? '', RULE_OPERATORS),
    ...(count > RULE_EXIT_CODES_MAX ? [tooMany(child(codesPath, 'values'), count, RULE_EXIT_CODES_MAX)] : []),
  ];
}
