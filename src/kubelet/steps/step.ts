import { isDefect } from '../../defects.ts';
import { type Container, type ContainerUser, errorMessage, type StoredPod } from '../../api/index.ts';
import type { EventDraft, StartFailed } from '../../lifecycle/index.ts';
import type { Mount, NetworkJoin, OciProgram, SeccompFilter } from '../../runtime/index.ts';
import type { LaunchImage } from '../../images/index.ts';
import type { Launch } from '../base/instance.ts';
import type { InstanceRef } from '../../store/index.ts';
import type { PodVolumes } from '../volumes/pod-volumes.ts';

/** The OCI runtime of a Pod. Undefined: podrun starts its programs itself. */
export type OciOf = (pod: StoredPod) => OciProgram | undefined;

/** The parts of a Pod's sandbox that its containers use. */
export interface PodSandbox {
  /** Undefined: the Pod has no volumes. */
  readonly volumes: (Pick<PodVolumes, 'mount' | 'readFile'> & Partial<Pick<PodVolumes, 'memory'>>) | undefined;
  /** Undefined: the Pod has no address. */
  readonly podIP: string | undefined;
  /** Undefined: the host's network. */
  readonly network: NetworkJoin | undefined;
  /** The address in that network that leads to 127.0.0.1 of this machine. Undefined: none does. */
  readonly hostAddress?: string | undefined;
}

/** One start of one container. Steps read it and never change it. */
export interface LaunchInput {
  readonly pod: StoredPod;
  readonly container: Container;
  readonly instance: InstanceRef;
  readonly sandbox: PodSandbox;
}

/** The launch of a container, as far as it is known. Each step returns the fields that it changes. */
export interface LaunchDraft extends Omit<Launch, 'env'> {
  /** The image from which the container runs. Undefined: it runs a program of this machine. */
  readonly image?: LaunchImage;
  /** The filter of system calls for an OCI runtime. Undefined: all calls are permitted. */
  readonly filter?: SeccompFilter;
  /** Variables that podrun offers. The manifest's variables win. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Variables of the manifest, and variables that no manifest may change. */
  readonly variables: ReadonlyMap<string, string>;
  /** Files and folders of the host, and their places in the container. */
  readonly mounts: readonly Mount[];
  /** Events about settings that do not work as the manifest says. */
  readonly notices: readonly EventDraft[];
}

/** The reason why a container cannot start. */
export interface LaunchFailure {
  readonly ok: false;
  /** config: the configuration cannot be resolved. create: this machine cannot create such a container. */
  readonly stage: Exclude<StartFailed['stage'], 'start'>;
  readonly message: string;
}

/** A container that is ready to start, with the events to record at its first start. */
export type LaunchOutcome =
  | {
      readonly ok: true;
      readonly launch: Launch;
      readonly notices: readonly EventDraft[];
      /** The user as which the program runs. Undefined: the machine does not say. */
      readonly user?: ContainerUser | undefined;
    }
  | LaunchFailure;

/** The fields that a step changes, or the reason why the container cannot start. */
export type StepOutcome = { readonly ok: true; readonly changes: Partial<LaunchDraft> } | LaunchFailure;

/** One concern of a start: a file of this folder, and a line in index.ts. */
export interface LaunchStep {
  /** Called once per start, after the steps before it. An error that it throws is a failure of stage config. */
  prepare(input: LaunchInput, draft: LaunchDraft): StepOutcome | Promise<StepOutcome>;
  /** Removes what `prepare` made. Called after the container has ended, or could not start. Never throws. */
  release?(input: LaunchInput): void;
  /** The functions of a launch that a former agent has prepared: these do not outlive their process. */
  restore?(input: LaunchInput): Partial<Launch>;
}

/** The launch of a container before the first step. */
const EMPTY_DRAFT: LaunchDraft = {
  argv: [''],
  cwd: '/',
  stdin: false,
  defaults: {},
  variables: new Map(),
  mounts: [],
  notices: [],
};

/** Computes the launch of a container, step by step. Releases the steps when one fails. Rejects with a defect. */
export async function prepareLaunch(steps: readonly LaunchStep[], input: LaunchInput): Promise<LaunchOutcome> {
  const draft = { ...EMPTY_DRAFT };
  for (const [index, step] of steps.entries()) {
    const outcome = await prepared(step, input, draft);
    if (!outcome.ok) {
      releaseLaunch(steps.slice(0, index), input);
      return outcome;
    }
    Object.assign(draft, outcome.changes);
  }
  const { defaults, variables, mounts: _, image: _image, filter: _filter, notices, ...launch } = draft;
  const { argv, translate = (word) => word } = launch;
  const [program, ...args] = argv;
  const offered = Object.entries(defaults);
  const env = Object.fromEntries([...offered, ...variables].map(([name, value]) => [name, translate(value)]));
  return { ok: true, launch: { ...launch, argv: [translate(program), ...args.map(translate)], env }, notices };
}

/** Any error on the way (a full disk) becomes the reason why the container does not start. */
async function prepared(step: LaunchStep, input: LaunchInput, draft: LaunchDraft): Promise<StepOutcome> {
  try {
    return await step.prepare(input, draft);
  } catch (error) {
    if (isDefect(error)) throw error;
    return { ok: false, stage: 'config', message: errorMessage(error) };
  }
}

/** Releases the steps of a container that has ended or could not start, the last one first. */
export function releaseLaunch(steps: readonly LaunchStep[], input: LaunchInput): void {
  for (const step of steps.toReversed()) step.release?.(input);
}

/** Completes a launch that a former agent has prepared. */
export function restoreLaunch(steps: readonly LaunchStep[], input: LaunchInput, launch: Launch): Launch {
  return Object.assign({}, launch, ...steps.map((step) => step.restore?.(input))) as Launch;
}
