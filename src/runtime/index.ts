export { atExit } from './at-exit.ts';
export type {
  Confinement,
  FileOwners,
  Identity,
  ImageLayers,
  ImageRoot,
  Mount,
  OciProgram,
  PodNamespaces,
  ResourceLimits,
} from './base/confinement.ts';
export { startable } from './base/descriptors-left.ts';
export { errnoOf, errnoText, fileTrouble, isDiskTrouble, mkdirIfMissing } from './base/errno.ts';
export type { NamespaceDetection, NamespaceFacts, RuntimeFeatures } from './base/features.ts';
export { type HelperOutcome, runHelper, STARTED_APART } from './base/helper.ts';
export type { ProgramCall } from './base/inside.ts';
export { inNetwork, joinPrefix, type NamespaceFiles, namespacePath, type NetworkJoin } from './base/join.ts';
export type {
  Adopted,
  ContainerLaunch,
  ExecLaunch,
  ExecOutcome,
  ExecRequest,
  ExecStart,
  OutputStream,
  ProcessExit,
  ProcessStreams,
  RunningContainer,
  RunningExec,
  Runtime,
  StartOutcome,
  TerminalSize,
} from './base/runtime.ts';
export { goNetworkError, HTTP_FOR_HTTPS, type NetworkConnection } from './go-network-error.ts';
export { ANSWER_DESCRIPTOR, startInBackground } from './helpers/background.ts';
export { type RunningCommand, startCommand } from './helpers/command.ts';
export { runEditor } from './helpers/editor.ts';
export { closeInheritedDescriptors } from './helpers/inherited-descriptors.ts';
export { runPager } from './helpers/pager.ts';
export { startStreamHelper, type StreamHelper } from './helpers/stream-helper.ts';
export { cgroupMachine } from './linux/cgroup/cgroup-machine.ts';
export { runInScope } from './linux/cgroup/scope.ts';
export { removeGroupsOfPod, removeStrayGroups } from './linux/cgroup/stray-groups.ts';
export { forgetDetection, readCache, writeCache } from './linux/detection/cache.ts';
export { distributions, namespaceFindings } from './linux/detection/findings.ts';
export { detectNamespaces, explainRefusal } from './linux/detection/namespaces.ts';
export { readPrivileges } from './linux/detection/privileges.ts';
export { findProgram, searchFolders } from './linux/detection/programs.ts';
export { runtimeFolder } from './linux/detection/trial-folder.ts';
export { pathInImage, readImageFile } from './linux/image/read-image-file.ts';
export { whyNotEnforced } from './linux/limits/limiter.ts';
export { whyNotOver } from './linux/namespace/image-folder.ts';
export { removeLeftLayers } from './linux/namespace/layers.ts';
export { Namespaces } from './linux/namespaces.ts';
export { detectOci } from './linux/oci/detect.ts';
export { isInFolder } from './linux/paths/host-mounts.ts';
export { measureContainers, type Usage } from './linux/usage/container-usage.ts';
export { measureMachine } from './machine-usage.ts';
export { removeFifos } from './pipes/fifo-pool.ts';
export type { PipeKind } from './pipes/process-pipes.ts';
export { ProcessRuntime } from './process-runtime.ts';
export { endRemains, type RemainingContainer } from './remains.ts';
export { fileIdentity } from './start/file-identity.ts';
export { closing, descriptorPath, openBeneath, pathOf } from './start/open-beneath.ts';
export { findSetpriv } from './start/setpriv.ts';
export { isInForeground, type KeyByKey, readKeyByKey, showOutputAsItIs, takeSignal } from './terminal/own-terminal.ts';
export { guardTerminal } from './terminal/terminal-guard.ts';
export { terminalKind } from './terminal/terminal.ts';
export { killGroup, killProcess, sendSignal } from './watch/kill.ts';
export { type Listener, type ListenerOwner, listenersIn, OwnerSearch } from './watch/listeners.ts';
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
