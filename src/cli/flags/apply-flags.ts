import type { EgressChoice, NetworkChoice, ProxyChoice, RuntimeChoice } from '../../machine/index.ts';
import type { SourceChoice } from '../../lifecycle/index.ts';
import type { OutputFlags } from '../output/output-flags.ts';

/** The help of `--seccomp-root`. */
export const SECCOMP_ROOT_HELP = 'the folder of seccomp profiles (default: seccomp in the state folder)';

/** The help of `--overcommit`. */
export const OVERCOMMIT_HELP = 'record requests for CPU, memory and disk, and do not count them';

/** The help of `--nodes` and `--zones`. */
export const NODES_HELP = 'run Pods on this many nodes, node-1, node-2, … (default: on one, this machine)';
export const ZONES_HELP = 'with --nodes: spread the nodes over this many zones';

/** The flags of `apply`. */
export interface ApplyFlags extends OutputFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  /** The folder of a kustomization. */
  readonly kustomize: string | undefined;
  /** Apply only objects with these labels. */
  readonly selector: string | undefined;
  /** The folder whose files are static Pods. */
  readonly staticPods: string | undefined;
  readonly namespace: string | undefined;
  /** The context of the kubeconfig whose cluster runs the Pods. Undefined, without `kubeconfig`: this machine. */
  readonly context: string | undefined;
  /** The kubeconfig. Undefined: kubectl's. */
  readonly kubeconfig: string | undefined;
  /** `NAME=REFERENCE`: the image on a cluster. */
  readonly onClusterImage: readonly string[];
  readonly until: readonly string[];
  /** Objects that the goal is about beside Pods and workloads. Undefined: none. */
  readonly awaited?: { readonly names: readonly string[]; readonly conditions: readonly string[] } | undefined;
  readonly timeout: string | undefined;
  /** The time that a container without a readiness or startup probe must run before it counts as Ready. */
  readonly settle: string;
  /** The factor by which time passes faster. Default: 1. */
  readonly speed?: number | undefined;
  /** Faults on purpose: `kill:app@5s`. */
  readonly inject: readonly string[];
  /** The seed of what faults leave to chance. Undefined: 1. */
  readonly seed?: number | undefined;
  /** With faults: sends requests to the Services, and counts the lost ones. */
  readonly countRequests?: boolean | undefined;
  /** Containers may end, as long as they start again. */
  readonly allowRestarts: boolean;
  /** Serve the API beside the run. Undefined: where the manifests need it. */
  readonly api?: boolean | undefined;
  /** Run the hooks of a chart as `helm install` does. */
  readonly helmHooks?: boolean | undefined;
  /** Merge manifests into stored objects as an API server does, by the owners of their fields. */
  readonly serverSide?: boolean | undefined;
  /** The owner of the fields of the manifests. Undefined: kubectl's. */
  readonly fieldManager?: string | undefined;
  /** With `serverSide`: take fields with other values from their owners. */
  readonly forceConflicts?: boolean | undefined;
  /** Leave the Pods to a background agent. */
  readonly detach: boolean;
  /** With `detach`: return when the Pods are Ready. */
  readonly wait: boolean;
  /** Follow the manifests and the programs until interrupted. */
  readonly watch?: boolean | undefined;
  /** Places that `watch` follows beside the manifests: `PATH` or `CONTAINER=PATH`. Undefined: none. */
  readonly watchPath?: readonly string[] | undefined;
  /** Let a Deployment of which no Pod runs start as it ran last, and roll. */
  readonly rolling?: boolean | undefined;
  readonly logs: boolean;
  /** The time of day before each line, in place of the time since the beginning. */
  readonly timestamps?: boolean | undefined;
  /** `github` for annotations of GitHub Actions. Undefined: `github` in a job of GitHub Actions, else `none`. */
  readonly annotations: 'github' | 'none' | undefined;
  readonly image: readonly string[];
  readonly config: string | undefined;
  /** The network of the Pods. Undefined: the one of podrun.yaml, else `auto`. */
  readonly network: NetworkChoice | undefined;
  /** The proxy for Services of a cluster network. Undefined: the one of podrun.yaml, else podrun's own. */
  readonly proxy: ProxyChoice | undefined;
  /** The way out of a cluster network. Undefined: the first one that works. */
  readonly egress: EgressChoice | undefined;
  /** Pods of a cluster network reach servers on 127.0.0.1 of this machine. */
  readonly networkHostAccess: boolean;
  /** The ports for Ingresses: `8080,8443`. Undefined: these, or the next free ones. */
  readonly ingressPort: string | undefined;
  readonly backoffInitial: string;
  readonly backoffMax: string;
  readonly jobBackoffInitial: string;
  readonly jobBackoffMax: string;
  /** `poll`: where no cgroup limits memory, podrun reads the memory use of containers from time to time. */
  readonly enforceMemory: 'poll' | undefined;
  /** The number of ended Pods to keep. Undefined: all. */
  readonly keep: number | undefined;
  /** The folder for the report. */
  readonly report: string | undefined;
  /** The file with the expectations. */
  readonly expect: string | undefined;
  readonly dryRun: 'client' | 'server' | 'none';
  readonly validate: 'strict' | 'warn' | 'ignore';
  /** A field without effect is an error. */
  readonly strict: boolean;
  /** Containers get copies of the folders with the user's work as well. */
  readonly isolate: boolean;
  /** The number of nodes. Undefined: podrun.yaml decides, or this machine is the only one. */
  readonly nodes?: number;
  /** The number of zones of these nodes. Undefined: they are in none. */
  readonly zones?: number;
  /** Requests for CPU, memory and disk are recorded and not counted. */
  readonly overcommit: boolean;
  readonly strictPid1: boolean;
  /** The folder of seccomp profiles. Undefined: `seccomp` in the state folder. */
  readonly seccompRoot: string | undefined;
  /** Unmet requests of a security context are reported, and the container starts. */
  readonly bestEffort: boolean;
  readonly runtime: RuntimeChoice | undefined;
  readonly images: SourceChoice | undefined;
  /** The configuration of credential provider plugins: a file or a folder. */
  readonly imageCredentialProviderConfig: string | undefined;
  /** The folder with their programs. */
  readonly imageCredentialProviderBinDir: string | undefined;
  /** The background agent keeps the output of containers for the first client that attaches. */
  readonly awaitsClient?: boolean;
  /** True: `create -f` calls `apply`. An object that exists is an error. Default: it is changed. */
  readonly creates?: boolean | undefined;
  /** The word for a new object: `created`, or `replaced` when `replace --force` calls `apply`. */
  readonly made?: 'replaced' | 'serverside-applied' | undefined;
}
