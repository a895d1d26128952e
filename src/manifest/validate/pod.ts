import { type Pod, type PodSpec, type PodTemplateSpec, subdomainMessages } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, entry, type FieldError, forbidden, invalid } from '../base/field-error.ts';
import { inRange, INT32_MAX, oneOfIfSet, type Range, requiredOneOf, wellFormedIfSet } from './checks.ts';
import { validateAffinity } from './affinity.ts';
import {
  type ContainerRules,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from './container.ts';
import { validateAnnotations, validateLabels } from './labels.ts';
import { nameOf, validateMetadata } from './metadata.ts';
import {
  validateDnsConfig,
  validateDnsPolicy,
  validateHostAliases,
  validateHostname,
  validateHostUsers,
} from './networking.ts';
import { validatePodClaims, validatePodResources } from './pod-resources.ts';
import { validateHostNetworkPorts } from './ports.ts';
import { validateContainerResourceName } from './resource-names.ts';
import { validateRequirements } from './resources.ts';
import {
  validateReadinessGates,
  validateSchedulingGates,
  validateTolerations,
  validateTopologySpread,
} from './scheduling.ts';
import { validatePodSecurityContext } from './security-context.ts';
import { validateVolumes } from './volumes.ts';
import { validateHostProcess, validateOs } from './windows.ts';

type TextMap = Readonly<Record<string, string | undefined>> | undefined;

const RESTART_POLICIES: readonly string[] = ['Always', 'OnFailure', 'Never'];
const PREEMPTION_POLICIES: readonly string[] = ['PreemptLowerPriority', 'Never'];
const DEADLINE_SECONDS: Range = { min: 1, max: INT32_MAX };
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const NO_CLAIMS: ReadonlySet<string> = new Set();

/** Validates a new Pod. Source: pkg/apis/core/validation/validation.go, ValidatePodCreate. */
export function validatePod(pod: Decoded<Pod>): FieldError[] {
  const spec = pod.spec ?? {};
  const errors = validateAnyPod(pod);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return errors;
}

/**
 * Validates a Pod, new or not. The rule that a token needs a service account is left out, since it never fails on a
 * cluster: admission sets the account `default` before. Source: validatePodMetadataAndSpec;
 * plugin/pkg/admission/serviceaccount.
 */
export function validateAnyPod(pod: Decoded<Pod>): FieldError[] {
  return [
    ...validateMetadata(pod.metadata, subdomainMessages),
    ...validatePodAnnotations('metadata.annotations', pod.metadata?.annotations),
    ...validatePodSpec('spec', pod.spec ?? {}, nameOf(pod.metadata)),
  ];
}

/** Validates a Pod template. Reports bad labels beside `metadata`, as upstream. */
export function validateTemplate(path: string, template: Decoded<PodTemplateSpec>): FieldError[] {
  const { labels, annotations } = template.metadata ?? {};
  const spec = template.spec ?? {};
  const errors = [
    ...validateLabels(child(path, 'labels'), labels),
    ...validateAnnotations(child(path, 'annotations'), annotations),
    ...validatePodAnnotations(child(path, 'annotations'), annotations),
    ...validatePodSpec(child(path, 'spec'), spec, undefined),
  ];
  if ((spec.ephemeralContainers ?? []).length === 0) return errors;
  const text = 'ephemeral containers not allowed in pod template';
  return [...errors, forbidden(child(path, 'spec', 'ephemeralContainers'), text)];
}

/** Validates the annotation that controllers calculate with: the deletion cost. */
function validatePodAnnotations(path: string, annotations: TextMap): FieldError[] {
  const cost = annotations?.[DELETION_COST];
  if (cost === undefined) return [];
  const isNumber = /^(?:0|[1-9][0-9]{0,9}|-[0-9]{1,10})$/.test(cost);
  if (isNumber && Number(cost) >= -INT32_MAX - 1 && Number(cost) <= INT32_MAX) return [];
  return [invalid(entry(path, DELETION_COST), cost, 'must be a 32bit integer')];
}

/**
 * Validates a Pod spec in the order of the API: volumes, claims, containers, resources of the Pod, then the rest.
 * @param podName undefined in a template, for which some rules are looser
 */
function validatePodSpec(path: string, spec: Decoded<PodSpec>, podName: string | undefined): FieldError[] {
  const isPod = podName !== undefined;
  const claims = spec.resourceClaims ?? [];
  const volumes = validateVolumes(child(path, 'volumes'), spec.volumes ?? [], { isPod, podName: podName ?? '' });
  const rules: ContainerRules = {
    isPod,
    volumes: volumes.usable,
    claimNames: new Set(claims.flatMap(({ name }) => (name ? [name] : []))),
    podRestartPolicy: spec.restartPolicy,
    graceSeconds: spec.terminationGracePeriodSeconds ?? 0,
    system: spec.os?.name,
    hasHostUsers: spec.hostUsers !== false,
  };
  const containersPath = child(path, 'containers');
  const hostPorts = validateHostNetworkPorts(containersPath, spec.containers ?? [], isPod);
  return [
    ...volumes.errors,
    ...validatePodClaims(child(path, 'resourceClaims'), claims),
    ...validateContainers(containersPath, spec.containers ?? [], rules),
    ...validateInitContainers(child(path, 'initContainers'), spec, rules),
    ...validateEphemeralContainers(child(path, 'ephemeralContainers'), spec, rules),
    ...validatePodResources(child(path, 'resources'), spec, rules.claimNames),
    ...(spec.hostNetwork === true ? hostPorts : []),
    ...validateBehaviour(path, spec),
    ...validatePlacement(path, spec),
    ...validateIdentity(path, spec),
  ];
}

function validateBehaviour(path: string, spec: Decoded<PodSpec>): FieldError[] {
  return [
    ...requiredOneOf(child(path, 'restartPolicy'), spec.restartPolicy, RESTART_POLICIES),
    ...validateDnsPolicy(child(path, 'dnsPolicy'), spec.dnsPolicy),
    ...validateLabels(child(path, 'nodeSelector'), spec.nodeSelector),
    ...validatePodSecurityContext(child(path, 'securityContext'), spec),
  ];
}

function validatePlacement(path: string, spec: Decoded<PodSpec>): FieldError[] {
  return [
    ...(spec.affinity ? validateAffinity(child(path, 'affinity'), spec.affinity) : []),
    ...validateDnsConfig(child(path, 'dnsConfig'), spec.dnsConfig, spec.dnsPolicy),
    ...validateReadinessGates(child(path, 'readinessGates'), spec.readinessGates ?? []),
    ...validateSchedulingGates(child(path, 'schedulingGates'), spec.schedulingGates ?? []),
    ...validateTopologySpread(child(path, 'topologySpreadConstraints'), spec.topologySpreadConstraints ?? []),
    ...validateHostProcess(path, spec),
    ...validateHostUsers(path, spec),
  ];
}

function validateIdentity(path: string, spec: Decoded<PodSpec>): FieldError[] {
  const { activeDeadlineSeconds: deadline, overhead } = spec;
  const name = (field: 'serviceAccountName' | 'nodeName' | 'priorityClassName' | 'runtimeClassName'): FieldError[] =>
    wellFormedIfSet(child(path, field), spec[field], subdomainMessages);
  return [
    ...name('serviceAccountName'),
    ...name('nodeName'),
    ...(deadline === undefined ? [] : inRange(child(path, 'activeDeadlineSeconds'), deadline, DEADLINE_SECONDS)),
    ...validateHostname(path, spec),
    ...validateTolerations(child(path, 'tolerations'), spec.tolerations ?? []),
    ...validateHostAliases(child(path, 'hostAliases'), spec.hostAliases ?? []),
    ...name('priorityClassName'),
    ...name('runtimeClassName'),
    ...oneOfIfSet(child(path, 'preemptionPolicy'), spec.preemptionPolicy, PREEMPTION_POLICIES),
    ...(overhead ? validateOverhead(child(path, 'overhead'), overhead) : []),
    ...validateOs(path, spec),
  ];
}

/** Validates the overhead like the limits of a container, and reports it as such, as upstream. */
export function validateOverhead(path: string, overhead: Record<string, string | undefined>): FieldError[] {
  return validateRequirements(path, { limits: overhead }, validateContainerResourceName, NO_CLAIMS);
}
