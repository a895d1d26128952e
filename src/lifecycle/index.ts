export { type ContainerActivity, type PlannedProbe, podActivity, type PodActivity } from './activity.ts';
export type { Effect, Step } from './base/effects.ts';
export { isFinished, NEW_POD, type NodeEviction, type PodFacts, type StorageUsage } from './base/facts.ts';
export type { EnsuredImage, ImageNeed } from './base/image-need.ts';
export {
  type Credential,
  type CredentialOrigin,
  type ImageConfig,
  type ImageRunConfig,
  type ImageSource,
  type LayerKind,
  type Platform,
  type PresentImage,
  type PullOutcome,
  type PullProgress,
  type PullRequest,
  type RegistrySettings,
  SOURCE_CHOICES,
  type SourceChoice,
} from './base/image-types.ts';
export type { NodeFacts } from './base/node-facts.ts';
export { shouldRestart } from './base/restart-policy.ts';
export { apiServerNotices } from './environment/api-server-variables.ts';
export {
  imageFolder,
  type ImageMap,
  type ImageMapping,
  mappingOf,
  resolveEntryPoint,
} from './environment/entry-point.ts';
export { resolveValue } from './environment/environment-references.ts';
export { type ServiceFact, serviceVariables } from './environment/environment-services.ts';
export { commandLine, makeEnvironment } from './environment/environment.ts';
export { escapeExpansion, expand, EXPANDED_MAX, type ExpansionRoom } from './environment/expansion.ts';
export { hostnameAndDomain, podHostname } from './environment/hostname.ts';
export { invalidImageMessage } from './environment/image-name.ts';
export { isImagePattern } from './environment/image-pattern.ts';
export { knownCommands } from './environment/known-images.ts';
export { EventCorrelator } from './event-correlation.ts';
export { managedHostsFile, nodeHostsFile } from './files/hosts-file.ts';
export { parseResolvConf, podResolvConf, type PodResolvConf, unreachableResolver } from './files/resolv-conf.ts';
export type { HookRun } from './hook-run.ts';
export {
  type ImageAccess,
  mayUse,
  permittedUsers,
  VERIFICATION_POLICIES,
  type VerificationRules,
  withAccess,
} from './images/access.ts';
export { type DockerConfig, parseDockerConfig } from './images/docker-config.ts';
export { type AgedImage, outdatedImages, removableImages } from './images/garbage.ts';
export { imageIdentity, type ImageIdentityOutcome, type ImageUserInput } from './images/image-identity.ts';
export { programOfImage } from './images/image-program.ts';
export { credentialsFor, joinedErrors, type KeyringEntry, matchesImage } from './images/keyring.ts';
export { type PullRate, takePull } from './images/pull-rate.ts';
export {
  type CredentialProvider,
  DEFAULT_IMAGE_SETTINGS,
  type ImageGarbageSettings,
  type ImageSettings,
} from './images/settings.ts';
export { containerSource, type SourceRules, volumeSource } from './images/source.ts';
export { containerLimits, limitsOfEach } from './node/container-limits.ts';
export {
  chooseEviction,
  EVICTION_SIGNALS,
  type EvictionSettings,
  type EvictionThreshold,
  lookAtPressure,
  NO_PRESSURE,
  type NodePressure,
  type NodeReadings,
  type PodUse,
  PRESSURE_TAINTS,
  type PressureMemory,
  resourceOf,
} from './node/eviction.ts';
export { matchesNode } from './node/node-affinity.ts';
export { pressureIn, reportedPressure, shownPressure } from './node/node-conditions.ts';
export { shortages } from './node/node-resources.ts';
export { endedUnscheduled, place, type Placement } from './node/placement.ts';
export { LOOPBACK, podAddress, PRIVATE } from './node/pod-address.ts';
export { boundTo } from './node/pod-scheduled.ts';
export { priorityOf } from './node/priority.ts';
export { resourcesKey } from './node/resources-key.ts';
export {
  BUILT_IN_HANDLERS,
  HANDLER_NETWORKS,
  HANDLER_TYPES,
  type HandlerOutcome,
  OCI_RUNTIMES,
  podHandler,
  type RuntimeHandler,
} from './node/runtime-handler.ts';
export type { ClaimFacts, SchedulerFacts } from './node/schedule.ts';
export { podSysctls, type PodSysctls } from './node/sysctls.ts';
export { hasUntoleratedTaint, toleranceMs } from './node/taints.ts';
export type { Observation, StartFailed } from './observation.ts';
export { containerSpec, observe } from './observe.ts';
export { type BackOffLimits, CRASH_LOOP } from './plan/back-off.ts';
export type { SyncConfig } from './plan/draft.ts';
export { imageNeeds, type ImageVerdict, type ImageVerdicts, pullingImage } from './plan/image-pull.ts';
export { podGraceSeconds, stopSignal } from './plan/stop.ts';
export { describeHandler } from './probes/describe-handler.ts';
export {
  causedKill,
  type FinishedProbe,
  probeAttempt,
  type ProbeAttempt,
  probeDecision,
  type ProbeDecision,
  type ProbeVerdict,
} from './probes/probe-attempt.ts';
export { countsAsSuccess, outcomeEvent, type ProbeAnswer, type ProbeOutcome } from './probes/probe-outcome.ts';
export {
  awaitsReadiness,
  countOutcome,
  NEW_PROBE_WORKER,
  nextProbeStep,
  PROBE_TYPES,
  type ProbedContainer,
  type ProbedPod,
  probeNumbers,
  type ProbeNumbers,
  probeOf,
  type ProbeStep,
  type ProbeType,
  type ProbeWorker,
  tickMs,
} from './probes/probe.ts';
export { probedContainers, probedStage } from './probes/probed-containers.ts';
export { defaultHost, resolvePort, userAgent } from './probes/target.ts';
export { commandVariables } from './requests/command-variables.ts';
export { chooseDefaultContainer, containerNames, listContainers } from './requests/default-container.ts';
export { isRemnant, planDeletion, withoutGrace } from './requests/deletion.ts';
export { firstLoggedPod, firstPod } from './requests/first-pod.ts';
export { type ForwardedPort, forwardedPorts } from './requests/forwarded-ports.ts';
export {
  type GoalProgress,
  type GoalRules,
  type GoalWatch,
  lapseLeft,
  lapseSince,
  NOT_REACHED,
  SETTLE_MS,
  watchGoal,
} from './requests/goal-watch.ts';
export {
  cannotStart,
  goalState,
  type GoalState,
  goalText,
  includesReady,
  parseGoal,
  type PodGoal,
} from './requests/goal.ts';
export { lapseOf } from './requests/lapse.ts';
export { chooseLog, type LogChoice } from './requests/log-choice.ts';
export { surplusPods } from './requests/pod-gc.ts';
export { podRoot, type Root, rootEnd, servingPods } from './requests/root.ts';
export type { EndingSignal, Lapse, RunOutcome } from './requests/run-outcome.ts';
export {
  checkConditionType,
  type ConditionEdit,
  type ConditionStatus,
  setConditions,
} from './requests/set-conditions.ts';
export { stuckPods, waitsForImage } from './requests/stuck.ts';
export {
  decidedEnd,
  isNodeCondition,
  isUnattainable,
  NODE_CONDITIONS,
  type WantedState,
} from './requests/unattainable.ts';
export { type Fault, type RunRecord, type Verdict, verdictOf } from './requests/verdict.ts';
export { parseWaitCondition, type WaitCondition } from './requests/wait-condition.ts';
export { type FoundInstance, type Restoration, restoredFacts } from './restored-facts.ts';
export { findAccount } from './security/accounts.ts';
export { capabilitiesOf } from './security/capabilities.ts';
export { type Complaint, judgeSecurity, refusalOf } from './security/judge-security.ts';
export { type Account, canChangeUser, type OwnRights } from './security/own-rights.ts';
export type { RunAs } from './security/run-as.ts';
export { volumeGroup } from './security/volume-group.ts';
export { containerKind, type ContainerKind } from './status/container-status.ts';
export { brokenPodStatus, lostPodStatus } from './status/lost-pod.ts';
export { isSameForClients, mergeStatus } from './status/merge-status.ts';
export { podStatus } from './status/pod-status.ts';
export { sync } from './sync.ts';
export { CONDITION, DELETED_FOR_TAINT, DISRUPTION_TARGET, EVICTED_BY_API } from './texts/condition-reasons.ts';
export { objectNotFound, subPathFailed, unusableMountPath, volumeNotFound } from './texts/config-errors.ts';
export { noServiceNames } from './texts/dns-events.ts';
export type { EventDraft } from './texts/event-draft.ts';
export {
  COMBINED,
  EVENT_REASON,
  failedCreatePodSandBox,
  failedMount,
  lifecycleHttpFallback,
  nodeNotReady,
  preemptedBy,
  pullSecretsMissing,
  readFailedMount,
  sandboxChanged,
  type SchedulingEvent,
  taintEviction,
} from './texts/events.ts';
export {
  commandCanceled,
  commandFailed,
  commandNotStarted,
  execHook,
  hookFailed,
  httpHook,
  invalidHandler,
  SLEEP_CUT_SHORT,
  sleepHook,
} from './texts/hook-errors.ts';
export {
  imageFolderUnusable,
  imageNeedsNamespaces,
  imageNotHere,
  isImageFolderUnusable,
} from './texts/image-errors.ts';
export {
  INGRESS_SERVED,
  ingressAnnotationsIgnored,
  ingressPortTaken,
  ingressServed,
  ingressWithoutCertificate,
} from './texts/ingress-events.ts';
export { HOOK_FAILED, RESTARTING_ALL, stopping } from './texts/killing.ts';
export { evictionThresholdMet, NODE_READY, nodeStatusIs, SUFFICIENT_PID } from './texts/node-conditions.ts';
export { DEADLINE_EXCEEDED, NODE_LOST } from './texts/pod-reasons.ts';
export {
  countIn,
  endedByFault,
  fasterTime,
  FAULT_INJECTED,
  FAULT_OVER,
  faultInjected,
  faultOver,
  FIELD_HAS_NO_EFFECT,
  fieldHasNoEffect,
  imageUsersNotMapped,
  limitsNotEnforced,
  NODE_LABELS_MISSING,
  noSignalHandler,
  readNodeLabelsMissing,
  type RequestCount,
  REQUESTS_COUNTED,
  requestsCounted,
  staticPodProblem,
  targetNotResolved,
  terminalMissing,
  terminationLogNotAtPath,
  timeIsFaster,
  volumeNotAtMountPath,
  volumeOnDisk,
} from './texts/podrun-events.ts';
export {
  hostPortLost,
  hostPortNotForwarded,
  isolatedNetwork,
  listensOnLocalhost,
  networkLost,
  noWayOut,
  type PortOwner,
  portTaken,
  readListensOnLocalhost,
} from './texts/port-events.ts';
export { tooLargeForNode } from './texts/resize.ts';
export { handlerNetworkUnusable, ociRuntimeUnusable } from './texts/runtime-handlers.ts';
export { MISFIT, PREEMPTED } from './texts/scheduling.ts';
export { REMEDY, securityRefused, TERMINATION_LOG_OUT_OF_REACH, volumeOutOfReach } from './texts/security.ts';
export {
  cannotServe,
  PORT_TAKEN,
  SERVICE_SERVED,
  serviceAddressReplaced,
  servicePortMoved,
  servicePortTaken,
  serviceServed,
} from './texts/service-events.ts';
export { MEMORY_POLLED, TERMINATED } from './texts/terminated.ts';
export { hostPathInState, localPathMissing } from './texts/volume-errors.ts';
export { WAITING } from './texts/waiting.ts';
export { storageMeasures, type StorageMeasures } from './volumes/local-storage.ts';
export { byteLength } from './volumes/volume-file-path.ts';
export { type VolumeFacts, type VolumeFile, volumeFiles } from './volumes/volume-files.ts';
export { type FileKind, judgeHostPath } from './volumes/volume-host-path.ts';
export { memoryWanted, usesMemory } from './volumes/volume-medium.ts';
export {
  absoluteMountPath,
  atMountPaths,
  hostPathOf,
  type Mounted,
  mountSubPath,
  notAtMountPath,
  volumeVariables,
} from './volumes/volume-mounts.ts';
