import { type Container, labelMessages } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, invalid } from '../base/field-error.ts';
import { requiredOneOf, requiredText, requiredWellFormed } from './checks.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { type HandlerRules, validateLifecycle, validateProbe } from './handlers.ts';
import { validateDevices, validateMounts } from './mounts.ts';
import { child } from '../base/path.ts';
import { validatePorts } from './ports.ts';
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
export function validateContainer(path: string, container: Decoded<Container>, rules: ContainerRules): FieldError[] {
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
export function validateHandlers(path: string, container: Decoded<Container>, rules: HandlerRules): FieldError[] {
  const { lifecycle } = container;
  const probes = PROBES.flatMap((kind) => {
    const probe = container[kind];
    return probe ? validateProbe(child(path, kind), kind, probe) : [];
  });
  return [...(lifecycle ? validateLifecycle(child(path, 'lifecycle'), lifecycle, rules) : []), ...probes];
}
