import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Clock, sleep } from '../../../clock.ts';
import { readQuietly } from '../../../quietly.ts';
import { type Confinement, type Identity, type OciProgram, OWN_IDENTITY } from '../../base/confinement.ts';
import type { NamespaceFacts } from '../../base/features.ts';
import type { Inside, ProgramCall } from '../../base/inside.ts';
import { killProcess } from '../../watch/kill.ts';
import { type ProcessIdentity, startTimeOf } from '../../watch/process-identity.ts';
import { childrenOfThreads, CONTAINER_MARKER } from '../../watch/process-table.ts';
import { type Holder, type Joinable, joinFlags } from '../namespace/holder.ts';
import type { ProcessView } from '../namespace/namespace-plan.ts';
import { pathInRoot, rootOf } from '../namespace/root-of.ts';
import { bundleConfig, type BundleNamespace, bundleProcess } from './bundle.ts';
import { type OciFiles, ociFiles, ociWords } from '../namespace/oci-program.ts';

export interface OciInsideOptions {
  /** The id of the container. */
  readonly id: string;
  readonly program: OciProgram;
  readonly confinement: Confinement;
  readonly identity: Identity | undefined;
  /** Keeps the mounts, the host name and the shared memory of the container. */
  readonly holder: Holder;
  /** The container's root in the mounts of the holder. */
  readonly root: string;
  readonly facts: NamespaceFacts;
  readonly clock: Clock;
  readonly processes: ProcessView;
  /** The process whose process table is joined. Undefined: the container has its own, or the host's. */
  readonly base: Joinable | undefined;
  /** True when its processes have a cgroup of their own. */
  readonly hasOwnCgroups: boolean;
  readonly onGone: () => Promise<void>;
}

/** The words for a runtime, and the file that describes a command. Empty: there is none. */
interface Action {
  readonly description: string;
  readonly words: readonly string[];
}

/** Environments may have secrets. */
const PRIVATE = { mode: 0o600 };

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Takes mounts away that the runtime cannot bear, in the mount namespace of the holder, opens the description of a
 * command, removes it, and becomes the runtime.
 */
const PREPARE = `while [ "$1" != -- ]; do umount -n -l "$1" 2>/dev/null; shift; done
[ -z "$2" ] || { exec 9<"$2" && rm "$2"; } || exit 1
shift 2
exec "$@"`;
/** The description of a command, as PREPARE has opened it. */
const DESCRIPTION = '/dev/fd/9';

/** The time limit for a process to get inside, and the interval of the checks. */
const ENTER_LIMIT_MS = 5000;
const LOOK_EVERY_MS = 0.5;

/**
 * The inside of a container whose programs an OCI runtime starts: podrun mounts its files, as always, and the runtime
 * makes the main process in them, process 1 of a process table of its own, and starts commands beside it. It stays in
 * the foreground and ends with the exit code of its program.
 */
export class OciInside implements Inside {
  readonly #options: OciInsideOptions;
  readonly #files: OciFiles;
  /** The main process, once it is known. */
  #main: ProcessIdentity | undefined;
  #commands = 0;
  #gone: Promise<void> | undefined;

  constructor(options: OciInsideOptions) {
    this.#options = options;
    this.#files = ociFiles(options.confinement.layerDir);
  }

  get ociRuntime(): string {
    return this.#options.program.file;
  }

  get isSealed(): boolean {
    return this.#options.processes === 'first';
  }

  get owner(): Inside['owner'] {
    const { uid, gid } = this.#options.identity ?? OWN_IDENTITY;
    return uid === undefined ? undefined : { uid, gid: gid ?? 0 };
  }

  get joinable(): Joinable {
    const { pid } = this.#options.holder;
    return { pid: this.#main?.pid ?? pid, userPid: pid, users: 'root' };
  }

  pathOf(wanted: string): string {
    const { holder, root } = this.#options;
    return pathInRoot(path.join(rootOf(holder.pid), root), wanted);
  }

  enter(call: ProgramCall): ProgramCall {
    const { program, holder, facts, id } = this.#options;
    const { state } = this.#files;
    const { description, words } = this.#main === undefined ? this.#run(call) : this.#exec(call);
    const prepare = [facts.tools.sh, '-c', PREPARE, 'sh', ...program.hiddenMounts, '--', description];
    const join = joinFlags({ pid: holder.pid, userPid: holder.pid }, ['mount'], facts.mode);
    return {
      file: facts.tools.nsenter,
      argv: ['nsenter', ...join, '--wdns=/', '--', ...prepare, ...ociWords(program.file, state), ...words, nameOf(id)],
      env: { PATH, [CONTAINER_MARKER]: id },
      cwd: '/',
    };
  }

  /** Writes the bundle. Returns the words that run it. */
  #run(call: ProgramCall): Action {
    const { confinement, identity = OWN_IDENTITY, root, program } = this.#options;
    const { bundle, config, state, runtime } = this.#files;
    mkdirSync(state, { recursive: true, mode: 0o700 });
    writeFileSync(runtime, program.file, PRIVATE);
    const { areKernelFilesOpen, oci } = confinement;
    const request = { call, identity, root, areKernelFilesOpen, seccomp: oci?.seccomp };
    writeFileSync(config, JSON.stringify(bundleConfig({ ...request, namespaces: this.#namespaces() })), PRIVATE);
    return { description: '', words: ['run', '--bundle', bundle] };
  }

  /** Writes the description of a command beside the main process. */
  #exec(call: ProgramCall): Action {
    this.#commands += 1;
    const description = path.join(this.#files.bundle, `command-${this.#commands}.json`);
    writeFileSync(description, JSON.stringify(bundleProcess(call, this.#options.identity ?? OWN_IDENTITY)), PRIVATE);
    return { description, words: ['exec', '--process', DESCRIPTION] };
  }

  #namespaces(): BundleNamespace[] {
    const { holder, processes, base, confinement, hasOwnCgroups } = this.#options;
    const fileOf = (pid: number, kind: string): string => `/proc/${pid}/ns/${kind}`;
    const table: BundleNamespace[] =
      processes === 'host'
        ? []
        : [{ type: 'pid', ...(processes !== 'first' && base && { path: fileOf(base.pid, 'pid') }) }];
    return [
      { type: 'mount' },
      ...(hasOwnCgroups ? [{ type: 'cgroup' } as const] : []),
      ...table,
      { type: 'uts', path: fileOf(holder.pid, 'uts') },
      ...(confinement.pod.hostIPC ? [] : [{ type: 'ipc', path: fileOf(holder.pid, 'ipc') } as const]),
    ];
  }

  /** The runtime stays outside and waits for its child, which becomes the program. */
  async programOf(pid: number): Promise<number> {
    const { clock } = this.#options;
    const startMs = clock.now().monotonicMs;
    while (clock.now().monotonicMs - startMs < ENTER_LIMIT_MS) {
      // The shell before the runtime has children of its own.
      const children = this.#isRuntime(pid) ? childrenOfThreads(pid) : [];
      const program = children.find((child) => !this.#isRuntime(child) && startTimeOf(child) !== undefined);
      if (program !== undefined) {
        this.#main ??= identityOf(program);
        return program;
      }
      if (startTimeOf(pid) === undefined) return pid;
      await sleep(clock, LOOK_EVERY_MS);
    }
    return pid;
  }

  /** True for the runtime and its child before it becomes the program, and for a process that has ended. */
  #isRuntime(pid: number): boolean {
    const [first = ''] = readQuietly(`/proc/${pid}/cmdline`).split('\0');
    return first === '' || first === this.#options.program.file;
  }

  kill(): void {
    if (this.#main !== undefined) killProcess(this.#main);
    this.#options.holder.kill();
  }

  end(): Promise<void> {
    this.kill();
    this.#gone ??= this.#end();
    return this.#gone;
  }

  async #end(): Promise<void> {
    const { holder, onGone } = this.#options;
    await holder.ended;
    await onGone();
  }
}

/** The id of a container, as runtimes permit it. */
function nameOf(id: string): string {
  return id.replaceAll('/', '.');
}

function identityOf(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}
