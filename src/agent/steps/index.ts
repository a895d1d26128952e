import type { ImageMap } from '../../lifecycle/environment/entry-point.ts';
import type { NodeFacts } from '../../lifecycle/node/node-facts.ts';
import type { Store } from '../../store/store.ts';
import type { AttachPoint } from '../../background/attach/attach-point.ts';
import type { PodFiles } from '../container-logs.ts';
import type { SecurityOptions } from '../security.ts';
import { clientSocketStep } from './client-socket.ts';
import { confinementStep, type Isolation } from './confinement.ts';
import { environmentStep } from './environment.ts';
import { etcFilesStep } from './etc-files.ts';
import { hostEnvironmentStep } from './host-environment.ts';
import { identityStep } from './identity.ts';
import { limitsStep } from './limits.ts';
import { networkStep } from './network.ts';
import { prepareLaunch } from './prepare-launch.ts';
import { programStep } from './program.ts';
import type { LaunchStep } from './step.ts';
import { targetStep } from './target.ts';
import { terminalStep } from './terminal.ts';
import { terminationLogMount, terminationLogOnHost } from './termination-log.ts';
import { volumesStep } from './volumes.ts';

/** The settings and resources of the machine that the steps need. */
export interface LaunchOptions extends SecurityOptions {
  readonly store: Store;
  readonly node: NodeFacts;
  readonly files: Pick<PodFiles, 'terminationLog' | 'etc' | 'layer'>;
  readonly images: ImageMap;
  /** podrun's own environment. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** The folder in which podrun was started: the working directory of containers without one. */
  readonly cwd: string;
  /** The limit of processes and threads in a Pod. Undefined: no limit. */
  readonly podPidsLimit: number | undefined;
  /** How containers are isolated. Undefined: they run on the host as it is. */
  readonly isolation: Isolation | undefined;
}

/** The steps of each start of a container, in their order. */
export function launchSteps(options: LaunchOptions, attachPoint: Pick<AttachPoint, 'expect'>): readonly LaunchStep[] {
  const { files, images, isolation, podPidsLimit } = options;
  const program: readonly LaunchStep[] = [
    hostEnvironmentStep(options),
    identityStep(options),
    targetStep((input) => prepareLaunch(program, input)),
    terminalStep,
    environmentStep(options),
    volumesStep(options),
    programStep(images),
  ];
  return [
    clientSocketStep(attachPoint),
    ...program,
    networkStep,
    limitsStep(podPidsLimit),
    ...(isolation === undefined
      ? [terminationLogOnHost(files)]
      : [terminationLogMount(files), etcFilesStep(files), confinementStep(isolation, files)]),
  ];
}
