import { errorMessage } from '../../api/index.ts';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Confinement, FileOwners } from '../base/confinement.ts';
import type { Confiner, InsideOutcome } from '../base/confiner.ts';
import type { NamespaceFacts } from '../base/features.ts';
import type { Inside } from '../base/inside.ts';
import type { ContainerLaunch, PodOutcome, PodRequest } from '../base/runtime.ts';
import { checkMounts } from './namespace/check-mounts.ts';
import { rootPrograms, type RootPrograms } from './image/programs.ts';
import { containerView } from './namespace/container-view.ts';
import { hidesTools } from './namespace/hides-tools.ts';
import { type Holder, type Joinable, setUpHolder, startHolder } from './namespace/holder.ts';
import { isInFolder, readHostMounts } from './paths/host-mounts.ts';
import { removeLayer } from './namespace/layers.ts';
import { isTied, type NamespacePlan, planNamespaces } from './namespace/namespace-plan.ts';
import { NamespacedInside } from './namespace/namespaced-inside.ts';
import { type PodHolder, PodHolders, usersOf } from './namespace/pod-holders.ts';
import { OciInside } from './oci/oci-inside.ts';
import { rootOf } from './namespace/root-of.ts';
import { SpareHolder } from './namespace/spare-holder.ts';
import type { MountPlan } from './namespace/mount-plan.ts';
import { readQuietly } from '../../quietly.ts';
import { hierarchiesOf } from './cgroup/hierarchy.ts';

export interface NamespacesOptions {
  readonly facts: NamespaceFacts;
  readonly clock: Clock;
  /** The folder for files that all containers share, created when missing. Undefined: each container makes its own. */
  readonly commonDir?: string;
  /** Called when an inside could not be created: the machine may have changed since its detection. */
  readonly onFailure?: () => void;
}

/** Isolates containers from the machine and from each other by namespaces of the kernel. */
export class Namespaces implements Confiner {
  readonly #options: NamespacesOptions;
  readonly #pods: PodHolders;
  readonly #spare: SpareHolder;
  /** Found when the first image becomes a root, with perl and without it. */
  readonly #programs = new Map<boolean, Promise<RootPrograms>>();
  /** By id of the container, the oldest first. */
  readonly #open = new Map<string, JoinableInside>();

  constructor(options: NamespacesOptions) {
    this.#options = options;
    this.#pods = new PodHolders(options.facts);
    this.#spare = new SpareHolder(options.facts, options.clock);
  }

  async open(launch: ContainerLaunch, cgroups: readonly string[]): Promise<InsideOutcome> {
    const { confinement } = launch;
    if (confinement === undefined) throw new Error('a container without a view cannot be kept apart');
    try {
      const inside = await this.#make(launch, confinement, cgroups);
      this.#open.set(launch.id, inside);
      return { ok: true, inside };
    } catch (error) {
      this.#options.onFailure?.();
      return { ok: false, error: errorMessage(error) };
    }
  }

  async openPod(request: PodRequest): Promise<PodOutcome> {
    try {
      const { holder, isNew } = await this.#pods.hold(request);
      return { ok: true, root: rootOf(holder.pid), isNew };
    } catch (error) {
      return { ok: false, error: errorMessage(error) };
    }
  }

  closePod(uid: string): Promise<void> {
    return this.#pods.letGo(uid);
  }

  killAll(): void {
    for (const inside of this.#open.values()) inside.kill();
    this.#pods.killAll();
    this.#spare.kill();
  }

  prepare(): void {
    this.#spare.prepare();
  }

  close(): Promise<void> {
    this.#pods.killAll();
    return this.#spare.close();
  }

  async #make(launch: ContainerLaunch, confinement: Confinement, cgroups: readonly string[]): Promise<JoinableInside> {
    const { layerDir, pod, image, oci } = confinement;
    const { imageFolder } = launch;
    const target = this.#target(confinement);
    // A container that sees another container's processes joins the other namespaces of its Pod with it.
    const joinsPod = target === undefined || (pod.memory ?? []).length > 0;
    const shared = joinsPod ? await this.#pods.join(pod, layerDir, launch.network) : undefined;
    let view: MountPlan | undefined;
    const leave = async (): Promise<void> => {
      await removeLayer(layerDir, view?.madeOnHost ?? []);
      if (joinsPod) await this.#pods.leave(pod);
    };
    try {
      const { facts, clock, commonDir } = this.#options;
      const commonDevices = commonDir && path.join(commonDir, 'dev');
      const plan = planNamespaces(confinement, target ? 'target' : shared && 'pod');
      const { processes } = plan;
      const sharedMemory = isTied(confinement) || target !== undefined ? undefined : shared?.sharedMemory;
      // Programs of an image, and volumes, may lie at the paths of programs that podrun needs.
      const bringsTools = image !== undefined || imageFolder !== undefined || hidesTools(confinement.mounts);
      const programs = bringsTools ? await this.#rootPrograms(layerDir, launch.seccomp !== undefined) : undefined;
      const layOut = (): MountPlan =>
        (view = containerView({
          confinement,
          facts,
          hostMounts: readHostMounts(),
          processes,
          cgroups: cgroups.length === 0 ? undefined : groupsByMount(cgroups),
          commonDevices,
          sharedMemory,
          imageFolder,
          programs: programs?.folder,
          podRoot: shared && rootOf(shared.holder.pid),
        }));
      const from = target?.joinable ?? (shared && joinableOf(shared));
      const hasOwnCgroups = cgroups.length > 0;
      const users = from?.users ?? usersOf(facts, image?.owners === 'mapped');
      const mountsOf = target && shared?.holder.pid;
      const holder = await this.#hold(launch, { confinement, layOut, plan, from, mountsOf, users, programs });
      const onGone = async (): Promise<void> => {
        this.#open.delete(launch.id);
        await leave();
      };
      if (oci !== undefined) {
        const root = path.join(layerDir, 'root');
        await checkMounts(holder, confinement.mounts, path.join(rootOf(holder.pid), root));
        const { id, identity } = launch;
        const parts = { id, identity, confinement, program: oci, holder, root, facts, clock, processes, base: from };
        return new OciInside({ ...parts, hasOwnCgroups, onGone });
      }
      await checkMounts(holder, confinement.mounts);
      return new NamespacedInside({
        holder,
        facts,
        users,
        seesHost: image === undefined,
        programs,
        clock,
        processes,
        capabilities: launch.identity?.capabilities,
        procMounts: facts.hasOwnProc && processes === 'first' ? (view?.mounts.procMounts ?? []) : [],
        hasOwnMemory: !pod.hostIPC,
        hasOwnCgroups,
        onGone,
      });
    } catch (error) {
      await leave();
      throw error;
    }
  }

  /** @param layerDir the folder for the programs where containers have none in common */
  async #rootPrograms(layerDir: string, hasFilter: boolean): Promise<RootPrograms> {
    const { facts, commonDir } = this.#options;
    // Root's containers get their filter from the host's perl, before the change of root.
    const withPerl = hasFilter && facts.mode === 'user';
    if (commonDir === undefined) return rootPrograms(facts.tools, layerDir, withPerl);
    const programs = this.#programs.get(withPerl) ?? rootPrograms(facts.tools, commonDir, withPerl);
    this.#programs.set(withPerl, programs);
    // The disk may have room again for the next container.
    programs.catch(() => this.#programs.delete(withPerl));
    return programs;
  }

  #target({ processesOf }: Confinement): JoinableInside | undefined {
    if (processesOf === undefined) return undefined;
    return [...this.#open].findLast(([id]) => id.startsWith(processesOf))?.[1];
  }

  async #hold({ id, network }: ContainerLaunch, holding: Holding): Promise<Holder> {
    const { confinement, layOut, plan, from, mountsOf, users, programs } = holding;
    const { layerDir, pod, image } = confinement;
    const { facts } = this.#options;
    const base = from && { from, kinds: plan.joined, mountsOf };
    const propagation = isTied(confinement) ? (facts.mode === 'root' ? 'unchanged' : 'slave') : undefined;
    const isUsual = base === undefined && network === undefined && propagation === undefined;
    const spare = isUsual ? await this.#spare.take(plan.own, users) : undefined;
    return setUpHolder(
      spare ?? (await startHolder({ facts, id, own: plan.own, users, base, network, propagation })),
      () => {
        const { mounts, memory, foreign, base: folder } = layOut();
        const { entries, root, tied } = mounts;
        const hostname = from === undefined ? pod.hostname : undefined;
        const shmRmidForced = plan.own.includes('ipc') ? pod.shmRmidForced : undefined;
        const held = programs && { programs, foreign: image ? foreign : [] };
        const work = {
          hostname,
          shmRmidForced,
          entries,
          fstab: path.join(layerDir, 'fstab'),
          memory,
          base: folder,
          tied,
        };
        // An OCI runtime changes the root of each program.
        return { ...work, root: confinement.oci ? undefined : root, image: confinement.oci ? undefined : held };
      },
    );
  }
}

/** The inside of a container that another one may join. */
type JoinableInside = Inside & { readonly joinable: Joinable };

interface Holding {
  readonly confinement: Confinement;
  readonly layOut: () => MountPlan;
  readonly plan: NamespacePlan;
  readonly from: Joinable | undefined;
  /** The process whose mounts are copied, where these are not the mounts of `from`. */
  readonly mountsOf: number | undefined;
  readonly users: FileOwners;
  readonly programs: RootPrograms | undefined;
}

function joinableOf({ holder: { pid }, users }: PodHolder): Joinable {
  return { pid, userPid: pid, users };
}

/**
 * The group that a container sees at the place of each mounted hierarchy: its own, or podrun's where it has none. These
 * are the roots of its cgroup namespace. Of a machine with both versions it sees version 1, as with runc: programs take
 * a mount of version 2 for the place of their limits.
 * @param groups the folders of the container's groups
 */
function groupsByMount(groups: readonly string[]): ReadonlyMap<string, string> {
  const hierarchies = hierarchiesOf(readQuietly('/proc/self/cgroup'), readQuietly('/proc/self/mountinfo'));
  const hasFirst = hierarchies.some(({ controllers }) => controllers.includes('memory'));
  const seen = hierarchies.filter(({ version }) => version === 1 || !hasFirst);
  return new Map(seen.map(({ root, own }) => [root, groups.find((group) => isInFolder(group, root)) ?? own] as const));
}
