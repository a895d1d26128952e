/** The parts that a starter manifest can have beside its main container. */
export const PARTS = {
  init: 'a container that prepares something and ends, before the main containers start',
  sidecar: 'a container that runs beside the main one, and is stopped after it',
  probes: 'startup, readiness and liveness probe',
  hooks: 'a command that runs before the container is stopped',
  volume: 'a folder that containers share',
  configmap: 'settings as environment variables',
  secret: 'a password as an environment variable',
  env: 'variables with values, and with facts about the Pod',
  resources: 'requests and limits of CPU and memory',
} as const;

export type Part = keyof typeof PARTS;

/** The kinds that have Pods, to which parts can be added. */
const POD_KINDS = ['Pod', 'Deployment', 'Job', 'CronJob'] as const;
/** The other kinds. */
const OWN_KINDS = ['Service', 'Ingress', 'ConfigMap'] as const;
export type PodKind = (typeof POD_KINDS)[number];
export type OwnKind = (typeof OWN_KINDS)[number];
export type StarterKind = PodKind | OwnKind;

/** The kinds of manifests that `podrun init` writes. */
export const STARTER_KINDS: readonly StarterKind[] = [...POD_KINDS, ...OWN_KINDS];

/** True for a kind to which parts can be added. */
export function hasParts(kind: StarterKind): kind is PodKind {
  return POD_KINDS.some((known) => known === kind);
}

export interface StarterOptions {
  /** The name of the object, a DNS label. */
  readonly name: string;
  readonly kind: PodKind;
  readonly parts: ReadonlySet<Part>;
  /** True for Pods that do their work and end, false for Pods that serve. */
  readonly isTask: boolean;
  /** The path of the manifest, for its comments. */
  readonly file: string | undefined;
}

/** True when containers share the folder `work`. */
export function sharesFiles({ parts }: StarterOptions): boolean {
  return (['volume', 'init', 'sidecar', 'probes'] as const).some((part) => parts.has(part));
}

/** The lines about the shared folder that several containers have. Only the first container gets the comments. */
export class SharedFolder {
  #isExplained = false;

  /** The lines of a container that works in the shared folder. */
  lines(): string[] {
    const say = (comment: string): string => (this.#isExplained ? '' : ` # ${comment}`);
    const lines = [
      `      workingDir: /work${say('where the program starts: relative paths are in the shared folder')}`,
      '      volumeMounts:',
      `        - name: work${say('one of the volumes below')}`,
      `          mountPath: /work${say('where the container sees it')}`,
    ];
    this.#isExplained = true;
    return lines;
  }
}
