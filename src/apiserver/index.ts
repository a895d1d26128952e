export { accountToken } from './access/account-tokens.ts';
export { accountOfToken } from './access/account-user.ts';
export { ADMIN, ANONYMOUS, authenticate, isSameSecret, tokenOf } from './access/authenticate.ts';
export { isPermitted } from './access/permissions.ts';
export { accessReviewAnswer, rulesReviewAnswer, selfReviewAnswer, tokenReviewAnswer } from './access/reviews.ts';
export { protocolsIn } from './access/websocket-protocols.ts';
export { accountOf, admitAll } from './admission/admit-new.ts';
export { authorize, authorizeConnection } from './requests/authorize.ts';
export type {
  ApiAnswer,
  ApiHandler,
  RouteRequest,
  ServerRoute,
  SubresourceHandlers,
  UpgradeHandler,
} from './base/answer.ts';
export type { AuthorizationMode, ServerContext, TokenReader } from './base/context.ts';
export { objectToChange } from './base/default-objects.ts';
export { EventRecorder, type EventRecorderOptions } from './base/event-recorder.ts';
export type { NodeClient } from './base/node-client.ts';
export { getObject, missingObjectError, type ObjectRef, podNotFound, similarName } from './base/object-ref.ts';
export { randomSuffix } from './base/random-suffix.ts';
export { type ApiRequest, type ApiUser, type ApiVerb, isOn } from './base/request.ts';
export { ServiceTokens } from './base/service-tokens.ts';
export {
  asStatusError,
  badRequestStatus,
  expired,
  invalidObject,
  methodNotAllowed,
  noSuchPath,
  notFoundStatus,
  StatusError,
} from './base/status-error.ts';
export { writePatch } from './base/write-patch.ts';
export { BUILT_IN_RESOURCES } from './built-in.ts';
export { type ChangedObject, changeObject } from './objects/change-object.ts';
export { checkChanges } from './check-changes.ts';
export { withClusterObjects } from './objects/cluster-objects.ts';
export { ApiService } from './cluster/api-service.ts';
export { GarbageCollector } from './cluster/collect-garbage.ts';
export { keepDefaultAccess } from './cluster/default-access.ts';
export { endNamespaces } from './cluster/end-namespaces.ts';
export { FaultWatch } from './cluster/faults.ts';
export { keepCounts } from './cluster/keep-counts.ts';
export { keepNodeLease } from './cluster/node-lease.ts';
export { keepStandingObjects, nodeShape, registerNode } from './cluster/standing-objects.ts';
export { configureObject } from './configure-object.ts';
export { createObject, newObject } from './objects/create-object.ts';
export { followDefinitions, loadPatterns, shownObjects } from './custom/index.ts';
export { type Collected, collectGarbage, removePods } from './deletion/collect-garbage.ts';
export { contentsOf, isNamespace, namespaceProblem, removeEmptyNamespaces } from './deletion/delete-namespace.ts';
export { deleteObject } from './deletion/delete-object.ts';
export { deletePod } from './deletion/delete-pod.ts';
export { deleteRecord } from './deletion/delete-record.ts';
export { BUDGET_SOURCES, evictPod } from './deletion/evict-pod.ts';
export { garbageIn, mayMakeGarbage } from './deletion/garbage.ts';
export { isRenewed, isStored } from './deletion/is-stored.ts';
export { endLeftovers, endProcesses, removeLayers } from './deletion/leftovers.ts';
export { closeLostRun, closeLostRuns } from './deletion/lost-runs.ts';
export { requestDeletion } from './deletion/request-deletion.ts';
export { getObjectAnswer } from './requests/get.ts';
export { controlledTypes, isPod, isService, ObjectCache } from './informer/object-cache.ts';
export { keepRecord } from './keep-record.ts';
export { hasLiveController, type WorkloadKey } from './live-controller.ts';
export { timedOutWaiting, waitForObject, waitForPod, waitForPods } from './object-wait.ts';
export { ResourceTable } from './resources/resource-table.ts';
export { apiVersionOf, inVersionOf, type PrinterColumn, type ServedResource } from './resources/served-resource.ts';
export { matcherOf, type ObjectMatcher } from './requests/selectors.ts';
export { type SeparatedObjects, separateObjects } from './separate-objects.ts';
export { allocated } from './services/allocate.ts';
export { hasApiServer, isApiServer, knownServices, serviceFacts } from './services/service-facts.ts';
export { isServiceManifest, serviceKeys, unservedLines } from './services/unserved.ts';
export type { StoredChange } from './state/change-window.ts';
export { compactHistory } from './state/compact-history.ts';
export { ServedObjects } from './state/served-objects.ts';
export { recordOf } from './store-record.ts';
export { endedJob, storeWorkload, workloadKey } from './store-workload.ts';
export { finalizeAnswer } from './subresources/namespaces.ts';
export { bindingAnswer, evictionAnswer } from './subresources/pods.ts';
export { SCALE_HANDLERS } from './subresources/scale.ts';
export { tokenAnswer } from './subresources/token.ts';
export { awaitVersion, versionAsked } from './requests/versions.ts';
export { claimedData, type ClaimedData, claimFacts } from './volumes/claim-volume.ts';
export { settleClaimsOf } from './volumes/settle-volumes.ts';
export { topWorkload, workloadsAbove, type WorkloadsAbove } from './workloads-above.ts';
export { hasAdmission, permitConnection } from './writes/admission.ts';
export { createAnswer } from './writes/create.ts';
export { deleteAnswer, deleteCollectionAnswer } from './writes/delete.ts';
export { patchAnswer } from './writes/patch.ts';
export { updateAnswer } from './writes/update.ts';
