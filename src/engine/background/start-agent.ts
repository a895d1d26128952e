import { PodrunError, type StoredPod } from '../../api/index.ts';
import { type Clock, sleep } from '../../clock.ts';
import { inheritedVariables } from '../../kubelet/index.ts';
import type { Unservable } from '../../lifecycle/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import { killGroup } from '../../runtime/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import { BackgroundAgents, type ProcessLookup } from '../../store/index.ts';
import {
  AGENT_COMMAND,
  type AgentAnswer,
  type Assignment,
  type BackgroundPodrun,
  callBackground,
  type PodrunProgram,
} from './call-background.ts';

/** The result of starting a background agent. */
export interface StartedAgent {
  /** The Pods of the agent, as created. */
  readonly owned: readonly StoredPod[];
  /** Pods that another process has begun to run meanwhile. */
  readonly foreign: readonly ManifestObject<StoredPod>[];
  /** See AgentAnswer. */
  readonly stored: readonly string[];
  readonly warnings: readonly string[];
  readonly refused: readonly Unservable[];
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
      stored: answer.stored,
      warnings: answer.warnings,
      refused: answer.refused,
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
async function callAgent(
  agents: BackgroundAgents,
  call: Pick<BackgroundPodrun, 'podrun' | 'id' | 'env'>,
): Promise<Extract<AgentAnswer, { type: 'began' }>> {
  const line = await callBackground(agents, { ...call, command: AGENT_COMMAND, what: 'the background agent' });
  const answer = JSON.parse(line) as AgentAnswer;
  if (answer.type === 'failed') throw new PodrunError(answer.code, answer.message, { ...answer });
  return answer;
}

/** The time that a killed agent has to end, or another process to start the agent, milliseconds. */
const OTHERS_MS = 10_000;
const LOOK_AGAIN_MS = 10;

export interface Revival {
  /** The state folder. */
  readonly root: string;
  readonly processes: ProcessLookup;
  readonly clock: Clock;
  readonly podrun: PodrunProgram;
  readonly note: (text: string) => void;
}

/**
 * Starts background agents again that died before the end of their Pods, with a note for each.
 * @throws {PodrunError} when an agent cannot be started
 */
export async function reviveAgents(revival: Revival): Promise<void> {
  const agents = new BackgroundAgents(revival.root, revival.processes);
  await Promise.all(agents.list().map((id) => revive(revival, agents, id)));
}

async function revive({ clock, podrun, note }: Revival, agents: BackgroundAgents, id: string): Promise<void> {
  const untilMs = clock.now().monotonicMs + OTHERS_MS;
  while (clock.now().monotonicMs < untilMs) {
    const present = agents.processOf(id);
    if (present === undefined) return;
    const isGone = agents.isGone(present);
    if (present.isReady && !isGone && !agents.isEnding(present)) return;
    if (isGone && agents.claim(id) === undefined) {
      const restarted = await restartAgent(agents, id, podrun).catch((error: unknown) => {
        agents.giveBack(id, present);
        throw error;
      });
      if (restarted === '') return;
      return note(`${restarted}: the background agent (process ${present.pid}) had ended; podrun started another`);
    }
    await sleep(clock, LOOK_AGAIN_MS);
  }
}

/** Returns what the new agent looks after, such as `deployment/web, pod/one`. */
async function restartAgent(agents: BackgroundAgents, id: string, podrun: PodrunProgram): Promise<string> {
  const settings = agents.settings<AgentSettings>(id);
  // The creating process was killed before it had written the settings.
  if (settings === undefined) {
    agents.remove(id, killGroup);
    return '';
  }
  const env = settings.hostEnv as Readonly<Record<string, string>>;
  const { resumed, owned } = await callAgent(agents, { podrun, id, env });
  return [...resumed, ...owned.map(({ metadata }) => `pod/${metadata.name}`)].join(', ');
}
