import path from 'node:path';
import type { AttachPoint } from '../attach/attach-point.ts';
import type { StoredPod } from '../../api/index.ts';
import type { NodeFacts, OwnRights } from '../../lifecycle/index.ts';
import type { FileStore, PodFiles } from '../../store/index.ts';
import type { ContainerImages } from '../../images/index.ts';
import type { PodNames, PodNetworks } from '../../network/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import { clientSocketStep } from './client-socket.ts';
import { confinementStep, hiddenFolders } from './confinement.ts';
import { environmentStep } from './environment.ts';
import { etcFilesStep } from './etc-files.ts';
import { hostEnvironmentStep } from './host-environment.ts';
import { imageFolderStep, imageStep } from './image.ts';
import { identityStep } from './identity.ts';
import { limitsStep } from './limits.ts';
import { networkStep } from './network.ts';
import { programStep } from './program.ts';
import { type LaunchStep, type OciOf, prepareLaunch } from './step.ts';
import { seccompStep } from './seccomp.ts';
import { targetStep } from './target.ts';
import { terminalStep } from './terminal.ts';
import { terminationLogMount, terminationLogOnHost } from './termination-log.ts';
import { propagationStep } from './propagation.ts';
import { volumesStep } from './volumes.ts';
import { workingFolderStep } from './working-folder.ts';

/** The settings, and the parts of the machine, that the steps need. */
export interface LaunchOptions {
  readonly settings: AgentSettings;
  readonly store: FileStore;
  readonly files: PodFiles;
  readonly rights: () => OwnRights;
  readonly names: PodNames;
  readonly attachPoint: Pick<AttachPoint, 'expect'>;
  /** Undefined: all containers run programs of this machine. */
  readonly images?: ContainerImages | undefined;
  readonly ociOf: OciOf;
  readonly networks: Pick<PodNetworks, 'foreignAt' | 'isOnMachine'>;
  /** The node of a Pod. */
  readonly nodeOf: (pod: Pick<StoredPod, 'spec'>) => NodeFacts;
}

/** The steps of each start of a container, in their order. */
export function launchSteps({
  settings,
  store,
  files,
  rights,
  attachPoint,
  names,
  images: ownImages,
  ociOf,
  networks,
  nodeOf,
}: LaunchOptions): readonly LaunchStep[] {
  const { hostEnv, cwd, images, isBestEffort, podPidsLimit, features, sharedFolders: shared, strictPid1 } = settings;
  const { seccompRoot } = settings;
  const network = settings.privateNetworks?.kind === 'cluster' ? 'cluster' : 'host';
  const program: readonly LaunchStep[] = [
    imageStep(ownImages),
    hostEnvironmentStep(hostEnv, cwd),
    identityStep(rights, isBestEffort),
    targetStep((input) => prepareLaunch(program, input), ownImages),
    terminalStep,
    environmentStep({
      store,
      network,
      isOnMachine: (pod) => networks.isOnMachine(pod),
      nodeOf,
      foreignAt: (places) => networks.foreignAt(places),
    }),
    volumesStep(rights, isBestEffort),
    propagationStep(rights, ociOf),
    programStep(images),
    workingFolderStep(cwd),
  ];
  const onHost = (): LaunchStep[] => [terminationLogOnHost(files)];
  const inNamespace = (): LaunchStep[] => [
    imageFolderStep(features.namespaces),
    terminationLogMount(files),
    etcFilesStep(files, store.recent, names),
    confinementStep({ shared, hidden: hiddenFolders(store, hostEnv), strictPid1 }, files, ownImages, ociOf),
  ];
  return [
    clientSocketStep(attachPoint, settings.awaitsClient === true),
    ...program,
    networkStep,
    limitsStep(podPidsLimit),
    seccompStep(seccompRoot ?? path.join(store.root, 'seccomp'), rights, ociOf),
    ...(features.tier === 'namespace' ? inNamespace() : onHost()),
  ];
}
