import {
  type ControllerRevision,
  type DaemonSet,
  type Deployment,
  labelMessages,
  type LabelSelector,
  type PodTemplateSpec,
  type ReplicaSet,
  type ReplicationController,
  type StatefulSet,
  type StatefulSetSpec,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import { each, notNegative, oneOfIfSet, wellFormedIfSet } from './checks.ts';
import { validateClaimSpec } from './claim.ts';
import { isEmptySelector, selectorMatches, validateLabelSelector } from './labels.ts';
import { nameOf } from './metadata.ts';
import { validateTemplate } from './pod.ts';
import {
  validateDaemonSetStrategy,
  validateDeploymentStrategy,
  validateStatefulSetStrategy,
} from './rolling-update.ts';

/** Rules of workloads, which keep Pods running. Source: pkg/apis/apps/validation/validation.go. */
const TEMPLATE = 'spec.template';
const SELECTOR = 'spec.selector';
const RESTART_POLICIES: readonly string[] = ['Always'];
const MANAGEMENT_POLICIES: ReadonlySet<string> = new Set(['OrderedReady', 'Parallel']);
const RETENTION_POLICIES: readonly string[] = ['Retain', 'Delete'];

type Selector = Decoded<LabelSelector> | undefined;
type PodTemplate = Decoded<PodTemplateSpec> | undefined;

export function validateDeployment(deployment: Decoded<Deployment>): FieldError[] {
  const spec = deployment.spec ?? {};
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  const deadlinePath = 'spec.progressDeadlineSeconds';
  const isTooShort = deadline !== undefined && deadline <= minReadySeconds;
  return [
    ...notNegative('spec.replicas', spec.replicas),
    ...validateSelectedPods(spec.selector, spec.template, { emptyFor: 'deployment', templateOf: 'ReplicaSet' }),
    ...validateDeploymentStrategy('spec.strategy', spec.strategy ?? {}),
    ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...notNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...notNegative(deadlinePath, deadline),
    ...(isTooShort ? [invalid(deadlinePath, deadline, 'must be greater than minReadySeconds')] : []),
  ];
}

export function validateReplicaSet(replicaSet: Decoded<ReplicaSet>): FieldError[] {
  const spec = replicaSet.spec ?? {};
  return [
    ...notNegative('spec.replicas', spec.replicas),
    ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...validateSelectedPods(spec.selector, spec.template, { emptyFor: 'deployment', templateOf: 'ReplicaSet' }),
  ];
}

interface SelectionRules {
  /** The kind in the message about an empty selector, as upstream has it. */
  readonly emptyFor: string;
  /** The kind in the message about a deadline. */
  readonly templateOf: string;
}

/** Requires a selector that matches the template, and a template whose Pods never end. */
function validateSelectedPods(selector: Selector, template: PodTemplate, rules: SelectionRules): FieldError[] {
  const errors = selector === undefined ? [required(SELECTOR)] : validateLabelSelector(SELECTOR, selector);
  const isMalformed = selector !== undefined && errors.length > 0;
  if (selector !== undefined && isEmptySelector(selector)) {
    errors.push(invalid(SELECTOR, selector, `empty selector is invalid for ${rules.emptyFor}`));
  }
  if (isMalformed) return [...errors, invalid(SELECTOR, selector, 'invalid label selector')];
  return [...errors, ...validateMatch(selector, template), ...validateLastingPods(template, rules.templateOf)];
}

function validateMatch(selector: Selector, template: PodTemplate): FieldError[] {
  const labels = template?.metadata?.labels;
  if (selectorMatches(selector, labels)) return [];
  return [invalid(`${TEMPLATE}.metadata.labels`, labels, '`selector` does not match template `labels`')];
}

/** Refuses a template whose Pods end by themselves. @param kind the kind in the message about a deadline */
function validateLastingPods(template: PodTemplate, kind: string): FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  const errors = validateTemplate(TEMPLATE, template ?? {});
  if (restartPolicy !== 'Always') {
    errors.push(notSupported(`${TEMPLATE}.spec.restartPolicy`, restartPolicy ?? '', RESTART_POLICIES));
  }
  if (activeDeadlineSeconds === undefined) return errors;
  const text = `activeDeadlineSeconds in ${kind} is not Supported`;
  return [...errors, forbidden(`${TEMPLATE}.spec.activeDeadlineSeconds`, text)];
}

export function validateStatefulSet(statefulSet: Decoded<StatefulSet>): FieldError[] {
  const spec = statefulSet.spec ?? {};
  const { podManagementPolicy: management = '', persistentVolumeClaimRetentionPolicy: retention } = spec;
  const badManagement = "must be 'OrderedReady' or 'Parallel'";
  const retentionPath = 'spec.persistentVolumeClaimRetentionPolicy';
  return [
    ...validatePodNames(nameOf(statefulSet.metadata), spec),
    ...(MANAGEMENT_POLICIES.has(management) ? [] : [invalid('spec.podManagementPolicy', management, badManagement)]),
    ...validateStatefulSetStrategy('spec.updateStrategy', spec.updateStrategy ?? {}),
    ...oneOfIfSet(child(retentionPath, 'whenDeleted'), retention?.whenDeleted, RETENTION_POLICIES),
    ...oneOfIfSet(child(retentionPath, 'whenScaled'), retention?.whenScaled, RETENTION_POLICIES),
    ...notNegative('spec.replicas', spec.replicas),
    ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...notNegative('spec.ordinals.start', spec.ordinals?.start),
    ...wellFormedIfSet('spec.serviceName', spec.serviceName, labelMessages),
    ...each('spec.volumeClaimTemplates', spec.volumeClaimTemplates, (claim, at) =>
      validateClaimSpec(child(at, 'spec'), claim.spec ?? {}),
    ),
    ...validateSelectedPods(spec.selector, withClaimVolumes(spec), {
      emptyFor: 'statefulset',
      templateOf: 'StatefulSet',
    }),
  ];
}

/** Validates the names of the Pods: set name and number, which are also the host name. */
function validatePodNames(name: string, spec: Decoded<StatefulSetSpec>): FieldError[] {
  const last = (spec.ordinals?.start ?? 0) + Math.max(spec.replicas ?? 1, 1) - 1;
  const podName = `${name}-${last}`;
  if (!name || labelMessages(podName).length === 0 || labelMessages(name).length > 0) return [];
  return [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${podName}`)];
}

/** The template with a volume for each claim. The volume of a claim replaces another one with its name. */
function withClaimVolumes({ template = {}, volumeClaimTemplates = [] }: Decoded<StatefulSetSpec>): PodTemplate {
  const names = new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name));
  const own = (template.spec?.volumes ?? []).filter(({ name }) => !names.has(name));
  const claimed = volumeClaimTemplates.map(({ metadata }) => ({
    name: metadata?.name,
    persistentVolumeClaim: { claimName: metadata?.name },
  }));
  return { ...template, spec: { ...template.spec, volumes: [...own, ...claimed] } };
}

export function validateDaemonSet(daemonSet: Decoded<DaemonSet>): FieldError[] {
  const { selector, template, ...spec } = daemonSet.spec ?? {};
  const selectorErrors = validateLabelSelector(SELECTOR, selector);
  const emptyText = 'empty selector is invalid for daemonset';
  return [
    ...selectorErrors,
    ...(selectorErrors.length > 0 ? [] : validateMatch(selector, template)),
    ...(selector !== undefined && isEmptySelector(selector) ? [invalid(SELECTOR, selector, emptyText)] : []),
    ...validateLastingPods(template, 'DaemonSet'),
    ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...validateDaemonSetStrategy('spec.updateStrategy', spec.updateStrategy ?? {}),
    ...notNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
  ];
}

/** Source: pkg/apis/core/validation/validation.go, ValidateReplicationController. */
export function validateReplicationController(controller: Decoded<ReplicationController>): FieldError[] {
  const { minReadySeconds, selector = {}, replicas, template } = controller.spec ?? {};
  const labels = template?.metadata?.labels;
  const isForeign = template !== undefined && !selectorMatches({ matchLabels: selector }, labels);
  const labelsPath = 'spec.template.metadata.labels';
  return [
    ...notNegative('spec.minReadySeconds', minReadySeconds),
    ...(Object.keys(selector).length > 0 ? [] : [required('spec.selector')]),
    ...notNegative('spec.replicas', replicas),
    ...(isForeign ? [invalid(labelsPath, labels, '`selector` does not match template `labels`')] : []),
    ...(template === undefined ? [required('spec.template')] : validateLastingPods(template, 'ReplicationController')),
  ];
}

/** Source: pkg/apis/apps/validation/validation.go, ValidateControllerRevisionCreate. */
export function validateControllerRevision({ data, revision }: Decoded<ControllerRevision>): FieldError[] {
  return [...(data === undefined ? [required('data', 'data is mandatory')] : []), ...notNegative('revision', revision)];
}
