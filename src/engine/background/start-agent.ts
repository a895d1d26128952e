import { inheritedVariables } from '../../kubelet/index.ts';
import { PodrunError, type StoredPod } from '../../api/index.ts';
import { killGroup } from '../../runtime/index.ts';
import type { BackgroundAgents } from '../../store/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import { AGENT_COMMAND } from './command-names.ts';
import type { AgentAnswer, Assignment } from './answer.ts';
import { type BackgroundPodrun, callBackground, type PodrunProgram } from './call-background.ts';

/** The result of starting a background agent. */
export interface StartedAgent {
  /** The Pods of the agent, as created. */
  readonly owned: readonly StoredPod[];
  /** Pods that another process has begun to run meanwhile. */
  readonly foreign: readonly ManifestObject<StoredPod>[];
}

/** The variables by which an agent finds the user's images and credentials, and registries. Containers get none. */
const IMAGE_VARIABLES = [
  'PODRUN_IMAGE_DIR',
  'XDG_DATA_HOME',
  'DOCKER_CONFIG',
  'REGISTRY_AUTH_FILE',
  'XDG_RUNTIME_DIR',
  'SSL_CERT_FILE',
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
];

function imageVariables(env: AgentSettings['hostEnv']): Record<string, string> {
  return Object.fromEntries(IMAGE_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/**
 * Starts a background agent for Pods. Resolves when the agent owns the Pods.
 * @throws {PodrunError} when the start fails: then the agent runs none of them
 */
export async function startAgent(
  agents: BackgroundAgents,
  settings: AgentSettings,
  assignment: Assignment,
  podrun: PodrunProgram,
): Promise<StartedAgent> {
  const hostEnv = { ...inheritedVariables(settings.hostEnv), ...imageVariables(settings.hostEnv) };
  const id = agents.create({ ...settings, hostEnv }, assignment);
  try {
    const answer = await callAgent(agents, { podrun, id, env: hostEnv });
    const foreign = new Set(answer.foreign);
    return {
      owned: answer.owned,
      foreign: assignment.pods.filter(({ object: { metadata } }) =>
        foreign.has(`${metadata.namespace}/${metadata.name}`),
      ),
    };
  } catch (error) {
    agents.remove(id, killGroup);
    throw error;
  }
}

/**
 * Starts the process of an agent, and returns its first line.
 * @throws {PodrunError} when the start fails
 */
export async function callAgent(
  agents: BackgroundAgents,
  call: Pick<BackgroundPodrun, 'podrun' | 'id' | 'env'>,
): Promise<Extract<AgentAnswer, { type: 'began' }>> {
  const line = await callBackground(agents, { ...call, command: AGENT_COMMAND, what: 'the background agent' });
  const answer = JSON.parse(line) as AgentAnswer;
  if (answer.type === 'failed') throw new PodrunError(answer.code, answer.message, { ...answer });
  return answer;
}
