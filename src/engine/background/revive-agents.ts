import { type Clock, sleep } from '../../clock.ts';
import { killGroup } from '../../runtime/index.ts';
import { BackgroundAgents, type ProcessLookup } from '../../store/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import type { PodrunProgram } from './call-background.ts';
import { callAgent } from './start-agent.ts';

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
      const restarted = await restartAgent(agents, id, podrun);
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
