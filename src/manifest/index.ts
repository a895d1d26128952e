export { claimResizeProblem } from './admission/claim-resize.ts';
export {
  budgetEvents,
  evictionProblem,
  type EvictionProblem,
  withBudgetStatus,
} from './admission/disruption-budget.ts';
export { withDefaultClass } from './admission/ingress-class.ts';
export { claimLimitErrors, podLimitErrors, withDefaultLimits } from './admission/limit-ranger.ts';
export { priorityClassProblem, withPriority, withPullSecrets, withTolerations } from './admission/pod-defaults.ts';
export { quotaError, quotaStatus } from './admission/quota.ts';
export { withRuntimeClass } from './admission/runtime-class.ts';
export { isApiAccess, withServiceAccount } from './admission/service-account.ts';
export type { Decoded } from './base/decoded.ts';
export {
  duplicate,
  type FieldError,
  forbidden,
  formatFieldError,
  formatFieldErrorBody,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  withHeading,
  withoutRepeats,
} from './base/field-error.ts';
export { containersWithPaths, podIn } from './base/pod-specs.ts';
export { SYSTEM_PRIORITIES } from './base/system-priorities.ts';
export { decodeObject } from './decode/decode.ts';
export { goTypeError } from './decode/go-type-error.ts';
export { toInteger } from './decode/integers.ts';
export { checkBase64 } from './decode/scalars.ts';
export { prepareForCreate } from './default/create.ts';
export { asCreated } from './default/created.ts';
export { applyDefaults } from './default/index.ts';
export { readExpectations } from './expect/read-expectations.ts';
export {
  isExposable,
  portsToExpose,
  selectorToExpose,
  serviceToExpose,
  type WantedService,
} from './generate/expose.ts';
export { newIngress } from './generate/ingress.ts';
export { checkKeys, envFileEntries, fileSourceOf, type KeyValue, literalOf } from './generate/key-values.ts';
export { jobOfCronJob, newCronJob, newDeployment, newJob, podToRun } from './generate/workloads.ts';
export { type Finding, FINDING_RULES, type FindingRule, type Findings } from './lint/finding.ts';
export { lintManifests } from './lint/lint.ts';
export { loadManifests, type LoadOptions } from './check/load.ts';
export type { ManifestMistake } from './check/manifest-mistake.ts';
export type { ManifestObject } from './manifest-object.ts';
export { neededForVariables, type NeededObject, neededObjects } from './needed-objects.ts';
export { cutDocuments, readDocument, readValue } from './read/documents.ts';
export type { Input } from './read/input.ts';
export { readJson } from './read/json-reader.ts';
export { repeatedKeys } from './read/repeated-keys.ts';
export { type MapNode, nodeValue, type SourceNode } from './read/source-node.ts';
export { SourceError, SourceText } from './read/source-text.ts';
export { explainProblem, renderManifestErrors, statusesOf } from './report.ts';
export { type Part, PARTS, STARTER_KINDS, type StarterKind } from './starter/parts.ts';
export { starterManifest } from './starter/starter.ts';
export { apiReference, asMirrorPod } from './static-pod.ts';
export { explain, type Explained, explainEverything } from './support/explain.ts';
export type { Descriptions, ExplainedField, FieldDescription } from './support/explained-field.ts';
export { groupIgnoredFields } from './support/fields-without-effect.ts';
export type { Isolation } from './support/rule.ts';
export { SUPPORTED_KINDS } from './support/table.ts';
export {
  admitUpdate,
  decodeChanged,
  noSuchSubresource,
  type Subresource,
  validateStrictEventUpdate,
} from './update/index.ts';
export { validateStrictEvent } from './validate/event.ts';
export { validateObject } from './validate/index.ts';
export { ENDPOINTS_DEPRECATED, warningsFor } from './warnings/object-warnings.ts';
