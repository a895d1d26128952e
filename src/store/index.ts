export {
  agentsFolder,
  credentialsFile,
  fifoFolder,
  historyFolder,
  memoryMountPoints,
  namespaceFolder,
  objectPath,
  podPaths,
  resourceFolder,
  serverFolder,
  sharedClusterPaths,
  stateRoot,
} from './base/layout.ts';
export { changedMetadata, checkPrecondition, checkUid, isSamePart, keyOf, type StoredObject } from './base/metadata.ts';
export { lastWrittenMs, VersionSource } from './base/resource-version.ts';
export { alreadyExists, conflict, notInStore } from './base/store-errors.ts';
export type {
  ObjectKey,
  ObjectPart,
  ObjectReader,
  Resource,
  Scope,
  Storable,
  Store,
  Subscription,
} from './base/store.ts';
export { newUid } from './base/unique-id.ts';
export {
  inFolder,
  makeFolder,
  namesIn,
  readJsonFile,
  writeFileAtomically,
  writePrivateFile,
} from './disk/atomic-file.ts';
export { onDisk } from './disk/disk-errors.ts';
export { FileLocks } from './disk/file-lock.ts';
export { linkToMemory, makeInMemory, removeInMemory } from './disk/in-memory.ts';
export {
  distanceOf,
  isSelf,
  knownProcess,
  type KnownProcess,
  presenceOf,
  type ProcessLookup,
  withCachedIds,
} from './disk/known-process.ts';
export { keyText } from './disk/listing.ts';
export {
  holdMemoryFolders,
  type MemoryArea,
  type MemoryFolder,
  memoryFolders,
  memoryMountPoint,
  removeLeftHolds,
  sweepMemoryFolders,
} from './disk/memory-folders.ts';
export { readUpTo, textUpTo, unreadableFile } from './disk/read-up-to.ts';
export { isProcess } from './disk/stored-json.ts';
export { parseTransition, readPod, transitionLines } from './disk/transition-log.ts';
export { watchPath } from './feed/folder-watch.ts';
export { watchOwners } from './feed/owner-watch.ts';
export { onGrowth, podOver, type PodSource } from './feed/pod-watch.ts';
export { Subscribers } from './feed/subscribers.ts';
export type { KeptObject } from './feed/kept-object.ts';
export { FileStore, type FileStoreOptions } from './file-store.ts';
export { RecentReads } from './recent-reads.ts';
export { StoreGarbage, type UnreferencedFolder } from './garbage.ts';
export { Informer, type InformerChange } from './informer.ts';
export { rememberCreated, withoutServerFields } from './last-manifest.ts';
export { appendToHookLog, ContainerLog } from './logs/container-log.ts';
export { followedBytes, presentBytes } from './logs/log-bytes.ts';
export { instanceLogPath, instancesLogged } from './logs/log-files.ts';
export { LogFormat } from './logs/log-format.ts';
export { lastLogLines, logOutput } from './logs/log-reader.ts';
export { instanceEnded, instanceToFollow, instanceToShow, type LogSource, noLog, openLog } from './logs/log-source.ts';
export { appendToJournal, Journal, ProbeJournalReader } from './logs/probe-journal.ts';
export { BackgroundAgents, noBackgroundAgent } from './owners/background-agents.ts';
export { LEASE_RENEWAL_MS } from './owners/leases.ts';
export { NETWORK_PARTS, type NetworkRecord } from './owners/network-record.ts';
export type { Claim } from './owners/ownership.ts';
export { evidenceAbout, podEvidence, RecordWatch } from './pod-evidence.ts';
export { type InstanceRef, PodFiles } from './pod-files.ts';
export { RecordedRuns, type RunOnRecord } from './recorded-runs.ts';
export { diskFolder, folderOfVolume } from './records/claim-folders.ts';
export { LastApplied } from './records/last-applied.ts';
export { MemoryRecords } from './records/memory-records.ts';
export type { LostPod } from './records/pod-records.ts';
export type { RecordPlace } from './base/record-place.ts';
export { protectStateFolder } from './state-folder.ts';
