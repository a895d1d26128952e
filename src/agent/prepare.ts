import { statSync } from 'node:fs';
import {
  allContainers,
  type StoredConfigMap,
  type StoredPod,
  type StoredSecret,
  type StoredService,
} from '../api/objects.ts';
import type { Container, EphemeralContainer } from '../api/generated/types.ts';
import { ExpansionError } from '../lifecycle/environment/expansion.ts';
import { commandLine, makeEnvironment } from '../lifecycle/environment/environment.ts';
import type { ServiceFact } from '../lifecycle/environment/environment-services.ts';
import {
  imageFolder,
  type ImageMap,
  resolveEntryPoint,
  unknownImageFolder,
} from '../lifecycle/environment/entry-point.ts';
import type { ImageVerdict, ImageVerdicts } from '../lifecycle/plan/image-pull.ts';
import { podHostname } from '../lifecycle/environment/hostname.ts';
import { invalidImageMessage } from '../lifecycle/environment/image-name.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import { containerSpec } from '../lifecycle/observe.ts';
import type { NodeFacts } from '../lifecycle/node/node-facts.ts';
import { targetNotResolved, volumeNotAtMountPath } from '../lifecycle/texts/events.ts';
import {
  atMountPaths,
  hostPathOf,
  type Mounted,
  notAtMountPath,
  volumeVariables,
} from '../lifecycle/volumes/volume-mounts.ts';
import type { NetworkJoin } from '../runtime/linux/network/join.ts';
import type { Store } from '../store/store.ts';
import type { Preparation, Prepared } from './instance.ts';
import type { Security } from './security.ts';
import type { MountOutcome, PodVolumes } from './volumes/pod-volumes.ts';

export interface PreparerOptions {
  readonly store: Store;
  readonly node: NodeFacts;
  readonly images: ImageMap;
  /** podrun's own environment. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly security: Security;
  /** The folder in which podrun was started: the working directory of containers without one. */
  readonly cwd: string;
  /** True when volumes appear at the paths of the manifest. */
  readonly hasMounts: boolean;
}

/** The program of a container, independent of the place where it runs, and its volumes. */
export type PreparedContainer =
  | {
      readonly ok: true;
      readonly preparation: Preparation;
      readonly volumes: readonly Mounted[];
      readonly notices: readonly EventDraft[];
    }
  | Extract<Prepared, { ok: false }>;

/**
 * The variables that containers inherit from podrun: enough to find and run the host's programs, and nothing that makes
 * a Pod depend on the terminal.
 */
const INHERITED = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TERM)$/;

/** The address on which a program of the Pod should listen, so that other Pods can use the same port. */
const POD_IP_VARIABLE = 'POD_IP';

/** The part of the sandbox that containers need. */
export interface Sandbox {
  /** Undefined: the Pod has no volumes. */
  readonly volumes: PodVolumes | undefined;
  /** Undefined: the Pod has no address. */
  readonly podIP: string | undefined;
  /** Undefined: the host's network. */
  readonly network: NetworkJoin | undefined;
}

/** The variables of this environment that containers inherit. */
export function inheritedVariables(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  // Reading a variable of process.env is a system library call: read only the inherited ones.
  const names = Object.keys(env).filter((name) => INHERITED.test(name));
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

const NOTHING_MOUNTED: MountOutcome = { ok: true, mounts: [] };

/**
 * The substitutes for images: the program of each container and the folder of each volume, or the reason why there is
 * none.
 */
export function judgeImages({ spec }: StoredPod, images: ImageMap): ImageVerdicts {
  return {
    containers: Object.fromEntries(
      allContainers(spec).map((container) => [container.name, judgeImage(container, images)]),
    ),
    volumes: Object.fromEntries(
      (spec.volumes ?? []).flatMap(({ name, image }) =>
        image === undefined ? [] : [[name, judgeVolume(image.reference ?? '', images)]],
      ),
    ),
  };
}

function judgeVolume(reference: string, images: ImageMap): ImageVerdict {
  const message = invalidImageMessage(reference);
  if (message !== undefined) return { type: 'invalidName', message };
  const folder = imageFolder(reference, images);
  if (folder === undefined) return { type: 'absent', pullError: unknownImageFolder(reference) };
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return { type: 'present' };
  return { type: 'absent', pullError: `${folder}, which stands for image "${reference}", is no folder` };
}

function judgeImage(container: Container, images: ImageMap): ImageVerdict {
  const message = invalidImageMessage(container.image ?? '');
  if (message !== undefined) return { type: 'invalidName', message };
  const outcome = resolveEntryPoint(container, images);
  return outcome.ok ? { type: 'present' } : { type: 'absent', pullError: outcome.message };
}

/** The value that container runtimes set for a container with a terminal. */
const TERM = 'xterm';

/** The stored Services that get variables in a Pod of this namespace. */
function knownServices(store: Store, namespace: string): ServiceFact[] {
  const services = new Set([namespace, 'default']);
  return [...services].flatMap((place) =>
    store.list<StoredService>('services', { namespace: place }).map(({ metadata, spec }) => ({
      namespace: place,
      name: metadata.name,
      clusterIP: spec?.clusterIP,
      ports: spec?.ports ?? [],
    })),
  );
}

/** The parts that an ephemeral container takes from its target container. */
interface Target {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly notices: readonly EventDraft[];
}

/** Computes the launch of a container's main process: the last step before the runtime. */
export class Preparer {
  readonly #options: PreparerOptions;
  readonly #inherited: Readonly<Record<string, string>>;

  constructor(options: PreparerOptions) {
    this.#options = options;
    this.#inherited = inheritedVariables(options.hostEnv);
  }

  prepare(pod: StoredPod, container: Container, sandbox: Sandbox): PreparedContainer {
    try {
      return this.#prepare(pod, container, sandbox);
    } catch (error) {
      if (error instanceof ExpansionError) return { ok: false, message: error.message };
      throw error;
    }
  }

  #prepare(pod: StoredPod, container: Container, sandbox: Sandbox): PreparedContainer {
    const { store, node, images, cwd, hasMounts, security } = this.#options;
    const { namespace } = pod.metadata;
    const { volumes, podIP } = sandbox;
    const judged = security.judge(pod, container);
    if ('stage' in judged) return { ok: false, ...judged };
    const { identity } = judged;
    const made = makeEnvironment({
      pod,
      container,
      node,
      podIP,
      services: knownServices(store, namespace),
      configMap: (name) => store.get<StoredConfigMap>('configmaps', namespace, name),
      secret: (name) => store.get<StoredSecret>('secrets', namespace, name),
      envFile: (volume, file) => volumes?.readFile(volume, file),
    });
    if (!made.ok) return { ok: false, message: made.message };
    const mounted = volumes?.mount(container, made.env) ?? NOTHING_MOUNTED;
    if (!mounted.ok) return mounted;
    const mounts = hasMounts ? atMountPaths(mounted.mounts) : mounted.mounts;
    const refused = security.refuseMounts(identity, mounts);
    if (refused !== undefined) return { ok: false, ...refused };
    const resolved = resolveEntryPoint(container, images);
    if (!resolved.ok) return { ok: false, message: resolved.message };
    const { argv, env, workingDir } = resolved.entryPoint;
    const [program = '', ...args] = commandLine(argv, made.env);
    const target = this.#target(pod, container, sandbox);
    const isElsewhere = workingDir === undefined && target.cwd !== undefined;
    return {
      ok: true,
      preparation: {
        argv: [program, ...args],
        env: {
          ...security.ownVariables(identity, this.#inherited),
          ...(podIP === undefined ? {} : { [POD_IP_VARIABLE]: podIP }),
          ...hostnameVariable(pod),
          ...target.env,
          ...(container.tty === true ? { TERM } : {}),
          ...volumeVariables(mounts),
          ...env,
          ...Object.fromEntries(made.env),
        },
        cwd: isElsewhere ? target.cwd : hostPathOf(workingDir ?? cwd, container.workingDir ? mounts : []),
        network: sandbox.network,
        stdin: container.stdin ?? false,
        tty: container.tty ?? false,
        identity,
        locate: (path) => hostPathOf(path, mounts),
      },
      volumes: mounted.mounts,
      notices: [
        ...mounts
          .filter(({ isAtMountPath }) => !isAtMountPath)
          .map((mount) => volumeNotAtMountPath(container.name, notAtMountPath(mount))),
        ...target.notices,
      ],
    };
  }

  /** The parts that an ephemeral container takes from its target: the working directory and all variables. */
  #target(pod: StoredPod, { name, targetContainerName }: EphemeralContainer, sandbox: Sandbox): Target {
    if (!targetContainerName) return { env: {}, cwd: undefined, notices: [] };
    const prepared = this.prepare(pod, containerSpec(pod, targetContainerName), sandbox);
    if (prepared.ok) return { ...prepared.preparation, notices: [] };
    // The user may add this container to find out what is wrong with the target.
    const notice = targetNotResolved(name, targetContainerName, prepared.message);
    return { env: {}, cwd: undefined, notices: [notice] };
  }
}

/** The HOSTNAME variable. A Pod with an invalid hostname gets no sandbox, and so no container. */
function hostnameVariable(pod: StoredPod): Record<string, string> {
  const name = podHostname(pod);
  return name.ok ? { HOSTNAME: name.hostname } : {};
}
