export { accountToken, accountTokenOf } from './access/account-tokens.ts';
export { accountOfToken } from './access/account-user.ts';
export {
  ADMIN,
  ANONYMOUS,
  authenticate,
  isSameSecret,
  ownVerdict,
  tokenOf,
  unauthorized,
} from './access/authenticate.ts';
export { isPermitted } from './access/permissions.ts';
export { protocolsIn } from './access/websocket-protocols.ts';
export { accountOf, admitAll, securityVerdict } from './admission/admit-new.ts';
export { AGGREGATOR, backendHost, connectBackend, readBackend } from './aggregation/backend.ts';
export { FRONT_PROXY_CLIENT, frontProxyHeaders } from './aggregation/front-proxy.ts';
export { groupsInOrder } from './aggregation/group-order.ts';
export type {
  ApiAnswer,
  ApiHandler,
  RouteRequest,
  ServerRoute,
  SubresourceHandlers,
  UpgradedSocket,
  UpgradeHandler,
} from './base/answer.ts';
export { asBytes, fromBytes } from './base/as-bytes.ts';
export type { AuthorizationMode, FrontProxy, ServerConfig, ServerContext, TokenReader } from './base/context.ts';
export { objectToChange } from './base/default-objects.ts';
export {
  type Dialect,
  DIALECT_VERSIONS,
  dialectOf,
  isServedIn,
  isWarningIn,
  namesEmulation,
  NEWEST_DIALECT,
} from './base/dialects.ts';
export { EventRecorder, type EventRecorderOptions } from './base/event-recorder.ts';
export { targetScale } from './subresources/scale-object.ts';
export { autoscalerApiOf } from './autoscaler-api.ts';
export type { AutoscalerApi } from './base/autoscaler-api.ts';
export { loneOf, type LoneServer, LoneStore } from './base/lone-store.ts';
export { applyConflict, type ManifestManager } from './base/manifest-manager.ts';
export type { NodeClient, SampledUsage } from './base/node-client.ts';
export { getObject, inPlace, missingObjectError, type ObjectRef, podNotFound, similarName } from './base/object-ref.ts';
export { randomSuffix } from './base/random-suffix.ts';
export { type ApiRequest, type ApiUser, type ApiVerb, isOn, userInfoOf } from './base/request.ts';
export { ServiceTokens, type TokenIssuer } from './base/service-tokens.ts';
export {
  asStatusError,
  badRequestStatus,
  expired,
  inDialect,
  invalidObject,
  methodNotAllowed,
  noSuchPath,
  notFoundStatus,
  plainError,
  StatusError,
} from './base/status-error.ts';
export { writePatch } from './base/write-patch.ts';
export { BUILT_IN_RESOURCES } from './built-in.ts';
export { checkChanges } from './check-changes.ts';
export { apiNeeds, type ApiNeeds, definedKinds, refuseNothingDefined, unreadWarnings } from './needed-api.ts';
export { ApiService } from './cluster/api-service.ts';
export { GarbageCollector } from './cluster/collect-garbage.ts';
export { keepDefaultAccess, storeDefaultAccess } from './cluster/default-access.ts';
export { storeFirstObjects } from './cluster/first-objects.ts';
export { endNamespaces } from './cluster/end-namespaces.ts';
export { expireEvents } from './cluster/expire-events.ts';
export { followApiServices } from './cluster/follow-api-services.ts';
export { keepAuthenticationConfig } from './cluster/keep-authentication-config.ts';
export { keepCounts } from './cluster/keep-counts.ts';
export { keepLocalApiServices } from './cluster/keep-local-api-services.ts';
export { keepOwnParts } from './cluster/keep-own-parts.ts';
export { showDns } from './cluster/dns-service.ts';
export { kubeletChanger } from './cluster/change-kubelet.ts';
export { NodeActions, type NodeActionsOptions } from './cluster/node-actions.ts';
export {
  createLease,
  keepNodeHeartbeat,
  NodeHeartbeat,
  nodeOfKubelet,
  removeLeaseOf,
} from './cluster/node-heartbeat.ts';
export { keepStandingObjects, nodeShape, registerNode } from './cluster/standing-objects.ts';
export { configureObject } from './configure-object.ts';
export {
  customTypeNamed,
  explainCustom,
  followDefinitions,
  loadPatterns,
  schemaOfType,
  shownObjects,
} from './custom/index.ts';
export { type Collected, collectGarbage, removePods } from './deletion/collect-garbage.ts';
export { contentsOf, isNamespace, keptProblem, removeEmptyNamespaces } from './deletion/delete-namespace.ts';
export { dependentsIn } from './deletion/collect-dependents.ts';
export { deleteObject } from './deletion/delete-object.ts';
export { deletePod } from './deletion/delete-pod.ts';
export { deleteRecord } from './deletion/delete-record.ts';
export { BUDGET_SOURCES, evictPod } from './deletion/evict-pod.ts';
export { garbageIn, mayMakeGarbage } from './deletion/garbage.ts';
export { isRenewed, isStored } from './deletion/is-stored.ts';
export { endLeftovers, endProcesses, removeLayers } from './deletion/leftovers.ts';
export { closeLostRun, closeLostRuns } from './deletion/lost-runs.ts';
export { authorHere, authorsOfDeletions, type FindAuthor, isDeletionRecorded } from './deletion/record-author.ts';
export { requestDeletion } from './deletion/request-deletion.ts';
export { controlledTypes, isPod, isService, ObjectCache } from './informer/object-cache.ts';
export { judgeOfUnread } from './judge-unread.ts';
export { keepRecord } from './keep-record.ts';
export { managedManifests } from './managed-manifests.ts';
export { hasLiveController, type WorkloadKey } from './live-controller.ts';
export { loadPart, type SubresourceView } from './subresource-view.ts';
export { timedOutWaiting, waitForObject, waitForPod, waitForPods } from './object-wait.ts';
export { type HookLimits, type HookObjects, type HookState, runHooks } from './run-hooks.ts';
export { changeObject } from './objects/change-object.ts';
export type { ChangedObject } from './objects/change-request.ts';
export { type LoadedRules, loadKindRules } from './objects/kind-rules.ts';
export { nodeAddresses, registeredByKubelet } from './objects/node-object.ts';
export { withClusterObjects } from './objects/cluster-objects.ts';
export { createObject, newObject } from './objects/create-object.ts';
export { authorize, authorizeConnection } from './requests/authorize.ts';
export { getObjectAnswer } from './requests/get.ts';
export { checkParameters } from './requests/query-parameters.ts';
export { matcherOf, type ObjectMatcher } from './requests/selectors.ts';
export { awaitVersion, versionAsked } from './requests/versions.ts';
export { AggregatedTable, type AggregatedVersion, type DiscoveredResource } from './resources/aggregated-table.ts';
export { isAnyValue, knownFieldsOf, knownTypeOfKind } from './resources/known-types.ts';
export { groupPriority } from './resources/group-priorities.ts';
export { ResourceTable } from './resources/resource-table.ts';
export {
  apiVersionOf,
  inStoredForm,
  inVersionOf,
  listMetadata,
  type PrinterColumn,
  type ServedResource,
} from './resources/served-resource.ts';
export { accessReviewAnswer, rulesReviewAnswer } from './reviews/access-reviews.ts';
export { selfReviewAnswer, tokenReviewAnswer } from './reviews/user-reviews.ts';
export { zeroFields } from './resources/zero-objects.ts';
export { type SeparatedObjects, separateObjects } from './separate-objects.ts';
export { allocated } from './services/allocate.ts';
export { LooseEnds } from './services/loose-ends.ts';
export { servedUrls } from './services/served-urls.ts';
export { API_SERVER, hasApiServer, isApiServer, knownServices, serviceFacts } from './services/service-facts.ts';
export { type ServedKey, servedKeys, TakenAddresses } from './services/taken-addresses.ts';
export { isServiceManifest, serviceKeys, unservedLines } from './services/unserved.ts';
export type { StoredChange } from './state/change-window.ts';
export { compactHistory } from './state/compact-history.ts';
export { type ListedObject, ServedObjects } from './state/served-objects.ts';
export { recordOf } from './store-record.ts';
export { replacedJob, storeWorkload, workloadKey } from './store-workload.ts';
export { finalizeAnswer } from './subresources/namespaces.ts';
export { bindingAnswer, bindingsAnswer, evictionAnswer } from './subresources/pods.ts';
export { SCALE_HANDLERS } from './subresources/scale.ts';
export { tokenAnswer } from './subresources/token.ts';
export { claimedData, type ClaimedData, schedulingObjects } from './volumes/claim-volume.ts';
export { PodClaims } from './volumes/pod-claims.ts';
export { bindVolumes, podsThatUse, settleClaimsOf } from './volumes/settle-volumes.ts';
export { topWorkload, workloadsAbove, type WorkloadsAbove } from './workloads-above.ts';
export { hasAdmission, permitConnection } from './writes/admission.ts';
export { createAnswer } from './writes/create.ts';
export { deleteAnswer, deleteCollectionAnswer } from './writes/delete.ts';
export { patchAnswer } from './writes/patch.ts';
export { updateAnswer } from './writes/update.ts';
