import { inheritedVariables } from '../../agent/prepare.ts';
import { PodrunError } from '../../api/errors.ts';
import type { StoredPod } from '../../api/objects.ts';
import { startInBackground } from '../../runtime/background.ts';
import type { BackgroundAgents } from '../../store/background-agents.ts';
import type { AgentSettings } from '../apply/make-agent.ts';
import type { ManifestObject } from '../apply/manifest-object.ts';
import { AGENT_COMMAND } from './agent.ts';
import type { AgentAnswer, Assignment } from './answer.ts';

/** What came of Pods that were given to a background agent. */
export interface Started {
  /** As they were created. */
  readonly begun: readonly StoredPod[];
  /** Pods that somebody else has begun to run meanwhile. */
  readonly taken: readonly ManifestObject<StoredPod>[];
}

/**
 * Has a new background agent begin to run Pods; resolves when it owns them.
 * @throws {PodrunError} when it cannot; then it runs none of them
 */
export async function startAgent(
  agents: BackgroundAgents,
  settings: AgentSettings,
  assignment: Assignment,
): Promise<Started> {
  const hostEnv = inheritedVariables(settings.hostEnv);
  const id = agents.create({ ...settings, hostEnv }, assignment);
  try {
    const answer = await callAgent(agents, id, hostEnv);
    if (answer.type === 'failed') throw new PodrunError(answer.message, answer);
    const taken = new Set(answer.taken);
    return {
      begun: answer.begun,
      taken: assignment.pods.filter(({ object: { metadata } }) => taken.has(`${metadata.namespace}/${metadata.name}`)),
    };
  } catch (error) {
    agents.remove(id);
    throw error;
  }
}

async function callAgent(
  agents: BackgroundAgents,
  id: string,
  env: Readonly<Record<string, string>>,
): Promise<AgentAnswer> {
  const [program = ''] = process.argv.slice(1);
  const log = agents.openLog();
  const cannot = (why: string): PodrunError =>
    new PodrunError(`error: the background agent cannot be started: ${why}`, { hint: `What it said is in ${log}.` });
  const answer = await startInBackground({
    argv: [process.execPath, ...process.execArgv, program, '--state-dir', agents.root, AGENT_COMMAND, id],
    env,
    // It must not keep a folder from being unmounted.
    cwd: '/',
    log,
  }).catch((error: unknown) => {
    throw cannot(error instanceof Error ? error.message : String(error));
  });
  if (answer.type === 'said') return JSON.parse(answer.line) as AgentAnswer;
  throw cannot(answer.signal === null ? `it ended with exit code ${answer.exitCode}` : `${answer.signal} ended it`);
}
