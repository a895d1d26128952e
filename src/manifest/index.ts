export { claimResizeProblem } from './admission/claim-resize.ts';
export {
  budgetEvents,
  evictionProblem,
  type EvictionProblem,
  withBudgetStatus,
} from './admission/disruption-budget.ts';
export { withDefaultClass } from './admission/ingress-class.ts';
export { claimLimitErrors, podLimitErrors, withDefaultLimits } from './admission/limit-ranger.ts';
export {
  priorityClassProblem,
  withPriority,
  withKeptPriority,
  withPullSecrets,
  withTolerations,
} from './admission/pod-defaults.ts';
export {
  podSecurityAnnotations,
  podSecurityChangeWarnings,
  podSecurityProblem,
  podSecurityWarning,
} from './admission/pod-security/evaluate.ts';
export { quotaError, quotaStatus } from './admission/quota.ts';
export { withRuntimeClass } from './admission/runtime-class.ts';
export { withNotReadyTaint } from './admission/node-taint.ts';
export { isApiAccess, withServiceAccount } from './admission/service-account.ts';
export type { Decoded } from './base/decoded.ts';
export {
  duplicate,
  type FieldError,
  forbidden,
  formatFieldError,
  type GoShape,
  inGo,
  invalid,
  notSupported,
  required,
  statusCauseOf,
  tooLong,
  tooMany,
  typeInvalid,
  withHeading,
  withoutRepeats,
} from './base/field-error.ts';
export { containersWithPaths, podIn } from './base/pod-specs.ts';
export { SYSTEM_PRIORITIES } from './base/system-priorities.ts';
export { autoscalerInV1, autoscalerInV2 } from './convert/autoscaler.ts';
export { decodeObject } from './decode/decode.ts';
export { withoutOmitted } from './decode/without-omitted.ts';
export { goTypeError } from './decode/go-type-error.ts';
export { checkBase64, toInteger } from './decode/scalars.ts';
export { prepareForCreate } from './default/create.ts';
export { asCreated, withProtection } from './default/created.ts';
export { applyDefaults } from './default/index.ts';
export { EMPTY_NODE_INFO } from './default/table.ts';
export { readExpectations } from './expect/read-expectations.ts';
export {
  isExposable,
  portsToExpose,
  selectorToExpose,
  serviceToExpose,
  type WantedService,
} from './generate/expose.ts';
export { autoscalerToCreate } from './generate/autoscaler.ts';
export { newIngress } from './generate/ingress.ts';
export { checkKeys, envFileEntries, fileSourceOf, type KeyValue, literalOf } from './generate/key-values.ts';
export { amountsIn, labelsIn, newBudget, newPriority, newQuota } from './generate/policy.ts';
export { newBinding, newRole, type RoleRules, newRules } from './generate/rbac.ts';
export { type NewService, newService } from './generate/service.ts';
export { jobOfCronJob, newCronJob, newDeployment, newJob, podToRun } from './generate/workloads.ts';
export { type Finding, FINDING_RULES, type FindingRule, type Findings } from './lint/finding.ts';
export { undefinedKindText } from './check/identify.ts';
export { isUnservedVersion } from './check/kinds.ts';
export { lintManifests } from './lint/lint.ts';
export type { JudgeUnread, JudgedObject } from './lint/unread-objects.ts';
export { looseReferences } from './lint/references.ts';
export { loadManifests, type LoadOptions } from './check/load.ts';
export type { UnreadObject } from './check/load-object.ts';
export type { ManifestMistake } from './check/manifest-mistake.ts';
export type { ManifestObject, ServerSideMerge } from './manifest-object.ts';
export { neededForVariables, type NeededObject, neededObjects } from './needed-objects.ts';
export { cutDocuments, readDocument, readValue } from './read/documents.ts';
export { type HelmHook, type HelmHookEvent, type HelmHooks, NO_HELM_HOOKS, withoutHelmHooks } from './helm-hooks.ts';
export { adviseRecursion, type Input } from './read/input.ts';
export { readJson } from './read/json-reader.ts';
export { nodeOf } from './read/value-node.ts';
export { repeatedKeys } from './read/repeated-keys.ts';
export { type MapNode, nodeValue, SourceError, type SourceNode, SourceText } from './read/source-node.ts';
export { explainProblem, renderManifestErrors, statusesOf } from './report.ts';
export { hasParts, type Part, PARTS, STARTER_KINDS, type StarterKind } from './starter/parts.ts';
export { ownManifest, starterManifest } from './starter/starter.ts';
export { apiReference, asMirrorPod } from './static-pod.ts';
export {
  type Descriptions,
  explain,
  type Explained,
  type ExplainedField,
  explainEverything,
  type ExplainOutcome,
  type FieldDescription,
} from './support/explain.ts';
export { groupIgnoredFields } from './support/find-fields.ts';
export type { Isolation } from './support/rule.ts';
export { SUPPORTED_KINDS } from './support/table.ts';
export {
  admitUpdate,
  decodeChanged,
  noSuchSubresource,
  type Subresource,
  validateMetadataUpdate,
  validateStrictEventUpdate,
  withServerFields,
} from './update/index.ts';
export { validateAccessReview, validateLocalAccessReview, validateSelfAccessReview } from './validate/access-review.ts';
export { validateStrictEvent } from './validate/event.ts';
export { validateObject } from './validate/index.ts';
export { isInCidr } from './validate/ip.ts';
export { ANNOTATIONS_MAX_BYTES } from './validate/labels.ts';
export { validateMetadata } from './validate/metadata.ts';
export { validateTokenSeconds } from './validate/storage.ts';
export { ENDPOINTS_DEPRECATED, warningsFor } from './warnings/object-warnings.ts';
