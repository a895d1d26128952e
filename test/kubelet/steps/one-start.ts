import {
  type LaunchDraft,
  type LaunchInput,
  type LaunchStep,
  type StepOutcome,
} from '../../../src/kubelet/steps/step.ts';
import type { Container, EphemeralContainer, PodSpec } from '../../../src/api/generated/types.ts';
import { podWith } from '../../lifecycle/base-objects.ts';

const EMPTY_DRAFT: LaunchDraft = {
  argv: [''],
  cwd: '/',
  stdin: false,
  defaults: {},
  variables: new Map(),
  mounts: [],
  notices: [],
};

interface Start {
  readonly container?: Partial<Container & EphemeralContainer>;
  readonly spec?: Partial<PodSpec>;
  readonly sandbox?: Partial<LaunchInput['sandbox']>;
  readonly attempt?: number;
}

/** A start of a container, `main` by default, in a Pod without volumes, address and private network. */
export function startOf({ container, spec = {}, sandbox = {}, attempt = 0 }: Start = {}): LaunchInput {
  const started = { name: 'main', image: 'busybox', ...container };
  const { name } = started;
  return {
    pod: podWith({ containers: [started], ...spec }),
    container: started,
    instance: { id: `uid/${name}/${attempt}`, container: name, attempt },
    sandbox: { volumes: undefined, podIP: undefined, network: undefined, ...sandbox },
  };
}

/** The outcome of a step after other steps have made this draft. */
export async function outcomeOf(
  step: LaunchStep,
  start: Start = {},
  draft: Partial<LaunchDraft> = {},
): Promise<StepOutcome> {
  return await step.prepare(startOf(start), { ...EMPTY_DRAFT, ...draft });
}

/** The changes of a step that succeeds. */
export async function changesOf(...wanted: Parameters<typeof outcomeOf>): Promise<Partial<LaunchDraft>> {
  const outcome = await outcomeOf(...wanted);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.changes;
}
