import type { Launch } from '../instance.ts';
import type { LaunchDraft, LaunchInput, LaunchOutcome, LaunchStep, StepOutcome } from './step.ts';

/** The launch of a container before the first step. */
export const EMPTY_DRAFT: LaunchDraft = {
  argv: [''],
  cwd: '/',
  stdin: false,
  defaults: {},
  variables: new Map(),
  mounts: [],
  notices: [],
};

/** Computes the launch of a container, step by step. Releases the steps when one fails. Never rejects. */
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
  const { defaults, variables, mounts: _, notices, ...launch } = draft;
  return { ok: true, launch: { ...launch, env: { ...defaults, ...Object.fromEntries(variables) } }, notices };
}

/** Any error on the way (a full disk) becomes the reason why the container does not start. */
async function prepared(step: LaunchStep, input: LaunchInput, draft: LaunchDraft): Promise<StepOutcome> {
  try {
    return await step.prepare(input, draft);
  } catch (error) {
    return { ok: false, stage: 'config', message: error instanceof Error ? error.message : String(error) };
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
