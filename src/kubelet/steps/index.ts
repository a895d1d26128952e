import type { AttachPoint } from '../attach/attach-point.ts';
import type { NodeFacts, OwnRights } from '../../lifecycle/index.ts';
import type { FileStore, PodFiles } from '../../store/index.ts';
import type { ContainerImages } from '../../images/index.ts';
import type { PodNames } from '../../network/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import { clientSocketStep } from './client-socket.ts';
import { confinementStep, hiddenFolders, type OciOf } from './confinement.ts';
import { environmentStep } from './environment.ts';
import { etcFilesStep } from './etc-files.ts';
import { hostEnvironmentStep } from './host-environment.ts';
import { imageStep } from './image.ts';
import { imageFolderStep } from './image-folder.ts';
import { identityStep } from './identity.ts';
import { limitsStep } from './limits.ts';
import { networkStep } from './network.ts';
import { programStep } from './program.ts';
import { type LaunchStep, prepareLaunch } from './step.ts';
import { targetStep } from './target.ts';
import { terminalStep } from './terminal.ts';
import { terminationLogMount, terminationLogOnHost } from './termination-log.ts';
import { volumesStep } from './volumes.ts';

/** The settings, and the parts of the machine, that the steps need. */
export interface LaunchOptions {
  readonly settings: AgentSettings;
  readonly store: FileStore;
  readonly files: PodFiles;
  readonly node: NodeFacts;
  readonly rights: () => OwnRights;
  readonly names: PodNames;
  readonly attachPoint: Pick<AttachPoint, 'expect'>;
  /** Undefined: all containers run programs of this machine. */
  readonly images?: ContainerImages | undefined;
  readonly ociOf: OciOf;
}

/** The steps of each start of a container, in their order. */
export function launchSteps({
  settings,
  store,
  files,
  node,
  rights,
  attachPoint,
  names,
  images: ownImages,
  ociOf,
}: LaunchOptions): readonly LaunchStep[] {
  const { hostEnv, cwd, images, isBestEffort, podPidsLimit, features, sharedFolders: shared, strictPid1 } = settings;
  const network = settings.privateNetworks?.kind === 'cluster' ? 'cluster' : 'host';
  const program: readonly LaunchStep[] = [
    imageStep(ownImages),
    hostEnvironmentStep(hostEnv, cwd),
    identityStep(rights, isBestEffort),
    targetStep((input) => prepareLaunch(program, input), ownImages),
    terminalStep,
    environmentStep({ store, node, network }),
    volumesStep(rights, isBestEffort),
    programStep(images),
  ];
  const onHost = (): LaunchStep[] => [terminationLogOnHost(files)];
  const inNamespace = (): LaunchStep[] => [
    imageFolderStep(features.namespaces),
    terminationLogMount(files),
    etcFilesStep(files, store, names),
    confinementStep({ shared, hidden: hiddenFolders(store, hostEnv), strictPid1 }, files, ownImages, ociOf),
  ];
  return [
    clientSocketStep(attachPoint, settings.awaitsClient === true),
    ...program,
    networkStep,
    limitsStep(podPidsLimit),
    ...(features.tier === 'namespace' ? inNamespace() : onHost()),
  ];
}
