export { atExit } from './at-exit.ts';
export type {
  Confinement,
  FileOwners,
  Identity,
  ImageLayers,
  ImageRoot,
  Mount,
  OciProgram,
  PodMemory,
  PodNamespaces,
  ResourceLimits,
} from './base/confinement.ts';
export { type HelperOutcome, runHelper, startable, STARTED_APART, startPeer } from './base/helper.ts';
export { errnoOf, errnoText, fileTrouble, isDiskTrouble, mkdirIfMissing } from './base/errno.ts';
export type { NamespaceDetection, NamespaceFacts, RuntimeFeatures } from './base/features.ts';
export type { ProgramCall } from './base/inside.ts';
export { inNetwork, joinPrefix, type NamespaceFiles, namespacePath, type NetworkJoin } from './base/join.ts';
export type {
  Adopted,
  ContainerLaunch,
  ExecLaunch,
  ExecOutcome,
  ExecRequest,
  ExecStart,
  PodOutcome,
  PodRequest,
  OutputStream,
  ProcessExit,
  ProcessStreams,
  RunningContainer,
  RunningExec,
  Runtime,
  StartOutcome,
  TerminalSize,
} from './base/runtime.ts';
export type { SeccompFilter } from './base/seccomp.ts';
export { goNetworkError, HTTP_FOR_HTTPS, type NetworkConnection } from './go-network-error.ts';
export { ANSWER_DESCRIPTOR, startInBackground } from './helpers/background.ts';
export { startCommand, startInForeground, type WholeCommand } from './helpers/command.ts';
export { runEditor, runPager } from './helpers/user-programs.ts';
export { closeInheritedDescriptors } from './helpers/inherited-descriptors.ts';
export { startStreamHelper, type StreamHelper } from './helpers/stream-helper.ts';
export { cgroupMachine } from './linux/cgroup/cgroup-machine.ts';
export { runInScope } from './linux/cgroup/scope.ts';
export { removeGroupsOfPod, removeStrayGroups } from './linux/cgroup/stray-groups.ts';
export { forgetDetection, readCache, writeCache } from './linux/detection/cache.ts';
export { distributions, namespaceFindings, readPrivileges } from './linux/detection/findings.ts';
export { detectNamespaces, explainRefusal } from './linux/detection/namespaces.ts';
export { findProgram, searchFolders } from './linux/detection/programs.ts';
export { runtimeFolder } from './linux/detection/trial-folder.ts';
export { pathInImage, readImageFile } from './linux/image/programs.ts';
export { compileProfile } from './linux/seccomp/programs.ts';
export { DEFAULT_PROFILE } from './linux/seccomp/default-profile.ts';
export { parseProfile } from './linux/seccomp/parse-profile.ts';
export { resolveProfile, type SeccompProfile } from './linux/seccomp/profile.ts';
export { whyNotEnforced } from './linux/limits/limiter.ts';
export { memoryMounts } from './linux/memory-mount.ts';
export { whyNotOver } from './linux/namespace/image-folder.ts';
export { removeLeftLayers } from './linux/namespace/layers.ts';
export { Namespaces } from './linux/namespaces.ts';
export { detectOci } from './linux/oci/detect.ts';
export { isInFolder, mountTie } from './linux/paths/host-mounts.ts';
export {
  type ContainerLook,
  cpuMillisBetween,
  lookAtContainers,
  lookAtMachine,
  measureContainers,
  type MeasuredContainer,
  measureMachine,
  type Usage,
} from './linux/usage/container-usage.ts';
export { removeFifos } from './pipes/fifo-pool.ts';
export type { PipeKind } from './pipes/process-pipes.ts';
export { ProcessRuntime } from './process-runtime.ts';
export { endRemains, type RemainingContainer } from './remains.ts';
export { closing, descriptorPath, fileIdentity, openBeneath, pathOf } from './start/open-beneath.ts';
export { canFilterCalls, findPerl } from './start/perl.ts';
export { findSetpriv } from './start/setpriv.ts';
export {
  guardTerminal,
  isInForeground,
  type KeyByKey,
  readKeyByKey,
  showOutputAsItIs,
  takeSignal,
} from './terminal/own-terminal.ts';
export { terminalKind } from './terminal/terminal.ts';
export {
  clientProcess,
  type ClientProcess,
  commandOfMark,
  type HeldSocket,
  isHeld,
  OwnerSearch,
  type SocketOwner,
  type SocketOwners,
} from './watch/socket-owners.ts';
export { isProcessOf, socketHeldBy } from './watch/container-processes.ts';
export { killGroup, killProcess, sendSignal } from './watch/kill.ts';
export { type Listener, listenersIn } from './watch/listeners.ts';
export {
  bootId,
  factsOf,
  isProcessAlive,
  localProcesses,
  type ProcessFacts,
  type ProcessIdentity,
  quickStartTimeOf,
  startTimeOf,
} from './watch/process-identity.ts';
export { CONTAINER_MARKER } from './watch/process-table.ts';
