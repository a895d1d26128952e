export { type ContainerActivity, type HookRun, type PlannedProbe, podActivity, type PodActivity } from './activity.ts';
export type { Effect, Step } from './base/effects.ts';
export { isFinished, NEW_POD, type NodeEviction, type PodFacts, type StorageUsage } from './base/facts.ts';
export {
  type Credential,
  type CredentialOrigin,
  type EnsuredImage,
  type FoundImage,
  type ImageConfig,
  type ImageNeed,
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
export {
  imageFolder,
  type ImageMap,
  type ImageMapping,
  knownCommands,
  mappingOf,
  resolveEntryPoint,
} from './environment/entry-point.ts';
export { commandLine, makeEnvironment, resolveValue } from './environment/environment.ts';
export {
  apiServerNotices,
  looksUpServices,
  type ServiceFact,
  serviceVariables,
} from './environment/environment-services.ts';
export { escapeExpansion, expand, EXPANDED_MAX, type ExpansionRoom } from './environment/expansion.ts';
export { hostnameAndDomain, managedHostsFile, nodeHostsFile, podHostname } from './files/hosts-file.ts';
export { invalidImageMessage, isImagePattern } from './environment/image-pattern.ts';
export { EventCorrelator } from './event-correlation.ts';
export { parseResolvConf, podResolvConf, type PodResolvConf, unreachableResolver } from './files/resolv-conf.ts';
export {
  type ImageAccess,
  mayUse,
  permittedUsers,
  VERIFICATION_POLICIES,
  type VerificationRules,
  withAccess,
} from './images/access.ts';
export {
  credentialsFor,
  type DockerConfig,
  joinedErrors,
  type KeyringEntry,
  matchesImage,
  parseDockerConfig,
} from './images/keyring.ts';
export {
  type AgedImage,
  type CredentialProvider,
  DEFAULT_IMAGE_SETTINGS,
  type ImageGarbageSettings,
  type ImageSettings,
  outdatedImages,
  type PullRate,
  removableImages,
  takePull,
} from './images/settings.ts';
export { findAccount, imageIdentity, type ImageIdentityOutcome, type ImageUserInput } from './images/image-identity.ts';
export { programOfImage } from './images/image-program.ts';
export { containerSource, type SourceRules, volumeSource } from './images/source.ts';
export { containerLimits, limitsOfEach } from './node/container-limits.ts';
export {
  chooseEviction,
  EVICTION_SIGNALS,
  type EvictionSettings,
  type EvictionThreshold,
  lookAtPressure,
  NO_PRESSURE,
  nodePressureTaints,
  type NodePressure,
  type NodeReadings,
  type PodUse,
  PRESSURE_TAINTS,
  type PressureMemory,
  resourceOf,
} from './node/eviction.ts';
export { matchesNode } from './node/node-affinity.ts';
export {
  HEARTBEAT_PERIOD_MS,
  pressureIn,
  reportedPressure,
  shownHeartbeat,
  shownPressure,
  withHeartbeat,
  withShutdown,
} from './node/node-conditions.ts';
export { isExtendedResource, shortages } from './node/node-resources.ts';
export { boundTo, endedUnscheduled, place, type Placement } from './scheduling/placement.ts';
export {
  isInCluster,
  isNodeInCluster,
  LOOPBACK,
  nodeInCluster,
  nodeOnMachine,
  nodePlace,
  podAddress,
  privateRange,
} from './node/pod-address.ts';
export {
  BUILT_IN_HANDLERS,
  HANDLER_NETWORKS,
  HANDLER_TYPES,
  type HandlerOutcome,
  OCI_RUNTIMES,
  podHandler,
  type RuntimeHandler,
} from './node/runtime-handler.ts';
export type { SchedulingNode, Snapshot } from './scheduling/base/snapshot.ts';
export type { ClusterEvent } from './scheduling/queue/cluster-event.ts';
export type { HintFacts } from './scheduling/queue/hint.ts';
export { nodeChanges } from './scheduling/queue/node-changes.ts';
export { SchedulingQueue, type SchedulingRejection } from './scheduling/queue/scheduling-queue.ts';
export { outranked } from './scheduling/preemption.ts';
export { type PlacedPod, placePods } from './scheduling/place-pods.ts';
export type { VolumeChoice } from './scheduling/filters/volume-binding.ts';
export { imageSizes, readCluster, spreadGroups } from './scheduling/read-cluster.ts';
export { pluginsFor, schedule, type SchedulerFacts } from './scheduling/schedule.ts';
export { podSysctls, type PodSysctls } from './node/sysctls.ts';
export { CORDON, hasUntoleratedTaint, toleranceMs } from './node/taints.ts';
export type { Observation, StartFailed } from './observation.ts';
export { containerSpec, observe } from './observe.ts';
export { type BackOffLimits, CRASH_LOOP } from './plan/back-off.ts';
export type { SyncConfig } from './plan/draft.ts';
export { imageNeeds, type ImageVerdict, type ImageVerdicts, pullingImage } from './plan/image-pull.ts';
export { podGraceSeconds, stopSignal } from './plan/stop.ts';
export {
  causedKill,
  countsAsSuccess,
  describeHandler,
  type FinishedProbe,
  outcomeEvent,
  type ProbeAnswer,
  probeAttempt,
  type ProbeAttempt,
  probeDecision,
  type ProbeDecision,
  type ProbeOutcome,
  type ProbeVerdict,
} from './probes/probe-attempt.ts';
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
export { defaultHost, probedContainers, probedStage, resolvePort, userAgent } from './probes/probed-containers.ts';
export { commandVariables, type Reach, type ServedUrl, urlVariables } from './requests/command-variables.ts';
export {
  chooseDefaultContainer,
  chooseLog,
  containerNames,
  listContainers,
  type LogChoice,
} from './requests/default-container.ts';
export { isRemnant, planDeletion, surplusPods, withoutGrace } from './requests/deletion.ts';
export { firstLoggedPod, firstPod } from './requests/first-pod.ts';
export { type ForwardedPort, forwardedPorts } from './requests/forwarded-ports.ts';
export {
  type GoalProgress,
  type GoalRules,
  type GoalWatch,
  lapseAtEnd,
  lapseOf,
  NOT_REACHED,
  SETTLE_MS,
  watchGoal,
} from './requests/goal-watch.ts';
export {
  cannotStart,
  decidedEnd,
  goalState,
  type GoalState,
  goalText,
  includesReady,
  isNodeCondition,
  isUnattainable,
  NODE_CONDITIONS,
  parseGoal,
  type PodGoal,
  type WantedState,
} from './requests/goal.ts';
export { podRoot, type Root, rootEnd, servingPods } from './requests/root.ts';
export {
  type EndingSignal,
  type Fault,
  type ForeignDeletion,
  type Lapse,
  type RunOutcome,
  type RunRecord,
  type Unservable,
  unservableText,
  type Verdict,
  verdictOf,
} from './requests/verdict.ts';
export {
  checkConditionType,
  type ConditionEdit,
  type ConditionStatus,
  setConditions,
} from './requests/set-conditions.ts';
export { stuckPods, waitsForImage } from './requests/stuck.ts';
export { parseWaitCondition, type WaitCondition } from './requests/wait-condition.ts';
export { type FoundInstance, type Restoration, restoredFacts } from './restored-facts.ts';
export { capabilitiesOf, wantedCapabilities } from './security/capabilities.ts';
export { effectiveSecurity } from './security/effective-security.ts';
export { type Complaint, judgeSecurity, refusalOf, volumeGroup } from './security/judge-security.ts';
export { canChangeUser, type OwnRights } from './security/own-rights.ts';
export { type RunAs, userOf } from './security/run-as.ts';
export { containerKind, type ContainerKind } from './status/container-status.ts';
export { brokenPodStatus, lostPodStatus } from './status/lost-pod.ts';
export { isSameForClients, mergeStatus } from './status/merge-status.ts';
export { podStatus } from './status/pod-status.ts';
export { sync } from './sync.ts';
export {
  CONDITION,
  DELETED_FOR_TAINT,
  DELETION_BY_POD_GC,
  DISRUPTION_TARGET,
  EVICTED_BY_API,
  TERMINATION_BY_KUBELET,
} from './texts/condition-reasons.ts';
export {
  hostPathInState,
  unknownMedium,
  localPathMissing,
  objectNotFound,
  subPathFailed,
  unusableMountPath,
  volumeNotFound,
} from './texts/config-errors.ts';
export {
  DELETED_BY,
  deletedByAuthor,
  type DeletionAuthor,
  HOOK_FAILED,
  readDeletedBy,
  RESTARTING_ALL,
  stopping,
} from './texts/killing.ts';
export {
  cannotServe,
  INGRESS_SERVED,
  ingressAnnotationsIgnored,
  ingressPortTaken,
  ingressServed,
  ingressWithoutCertificate,
  NO_NAME_REASONS,
  NO_SERVICE_FILES,
  noServiceNames,
  SERVICE_SERVED,
  serviceAddressReplaced,
  clientsUnknown,
  servicePortMoved,
  servicePortTaken,
  serviceServed,
} from './texts/network-events.ts';
export {
  cannotEnforcePolicies,
  policyHasNoEffect,
  policyNotEnforced,
  refusedByPolicy,
  type WithoutPolicies,
} from './texts/policy-events.ts';
export {
  COMBINED,
  EVENT_REASON,
  type EventDraft,
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
export { imageFolderUnusable, imageNotHere, isImageFolderUnusable, isPassingPullError } from './texts/image-errors.ts';
export {
  evictionThresholdMet,
  MISFIT,
  NO_ROOM,
  NODE_READY,
  NODE_SILENT,
  nodeIsNotReady,
  nodeIsReady,
  nodeRebooted,
  nodeStatusIs,
  OVERCOMMIT_REMEDY,
  PREEMPTED,
  registeredInController,
  removedFromController,
  roomIn,
  startOfNode,
  SUFFICIENT_PID,
} from './texts/scheduling.ts';
export { DEADLINE_EXCEEDED, EVICTED, NODE_LOST, NODE_SHUTDOWN } from './texts/pod-reasons.ts';
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
  hostPathMade,
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
  sizeLimitMeasured,
  volumeOnDisk,
  WORKING_FOLDER_HIDDEN,
  workingFolderHidden,
} from './texts/podrun-events.ts';
export {
  answeredByOther,
  hostPortLost,
  hostPortNotForwarded,
  isolatedNetwork,
  listensOnLocalhost,
  networkLost,
  noWayOut,
  PORT_TAKEN,
  type PortOwner,
  portShared,
  portTaken,
  readListensOnLocalhost,
} from './texts/port-events.ts';
export { tooLargeForNode } from './texts/resize.ts';
export { handlerNetworkUnusable, ociRuntimeUnusable } from './texts/runtime-handlers.ts';
export {
  profileUnreadable,
  REMEDY,
  securityRefused,
  TERMINATION_LOG_OUT_OF_REACH,
  volumeOutOfReach,
} from './texts/security.ts';
export { MEMORY_POLLED, TERMINATED, WAITING } from './texts/container-states.ts';
export { storageMeasures, type StorageMeasures } from './volumes/local-storage.ts';
export { byteLength } from './volumes/volume-file-path.ts';
export { isMeantFor, sizeOfVolume, storageClassOf, volumeMismatch } from './volumes/volume-fit.ts';
export { type VolumeFacts, type VolumeFile, volumeFiles } from './volumes/volume-files.ts';
export {
  type FileKind,
  judgeHostPath,
  memoryVolumeSize,
  memoryWanted,
  usesMemory,
} from './volumes/volume-host-path.ts';
export {
  absoluteMountPath,
  atMountPaths,
  type DisplacedMount,
  displacedMounts,
  hostPathOf,
  type Mounted,
  mountSubPath,
  notAtMountPath,
  volumeVariables,
} from './volumes/volume-mounts.ts';
export { priorityOf } from './node/priority.ts';
