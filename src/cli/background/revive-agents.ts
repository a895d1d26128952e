import { PodrunError } from '../../api/errors.ts';
import { type Clock, SystemClock } from '../../clock.ts';
import { localProcesses } from '../../runtime/watch/process-identity.ts';
import { BackgroundAgents } from '../../store/owners/background-agents.ts';
import type { AgentSettings } from '../../agent/setup/make-agent.ts';
import { openStore } from '../environment.ts';
import { callAgent } from '../../background/start-agent.ts';
import { note } from '../preferences.ts';

/** The time that another process has to start the agent, milliseconds. */
const OTHERS_MS = 10_000;
const LOOK_AGAIN_MS = 10;

/** Starts background agents again that died before the end of their Pods, and prints a note. */
export async function reviveAgents(stateDir: string | undefined): Promise<void> {
  const clock = new SystemClock();
  try {
    const agents = new BackgroundAgents(openStore(stateDir, clock).root, localProcesses);
    await Promise.all(agents.list().map((id) => revive(agents, id, clock)));
  } catch (error) {
    // The command goes on: it reports errors of the store itself.
    if (!(error instanceof PodrunError)) throw error;
    note(`Warning: ${error.message.replace(/^error: /, '')}`);
  }
}

async function revive(agents: BackgroundAgents, id: string, clock: Clock): Promise<void> {
  const untilMs = clock.now().monotonicMs + OTHERS_MS;
  while (clock.now().monotonicMs < untilMs) {
    const present = agents.processOf(id);
    if (present === undefined || (present.isReady && !agents.isGone(present))) return;
    if (agents.isGone(present) && agents.claim(id) === undefined) return startAgain(agents, id, present.pid);
    await new Promise<void>((resolve) => {
      clock.wakeAt(clock.now().monotonicMs + LOOK_AGAIN_MS, resolve);
    });
  }
}

async function startAgain(agents: BackgroundAgents, id: string, formerPid: number): Promise<void> {
  const settings = agents.settings<AgentSettings>(id);
  // The creating process was killed before it had written the settings.
  if (settings === undefined) return agents.remove(id);
  const { hostEnv } = settings;
  const { resumed, begun } = await callAgent(agents, id, hostEnv as Readonly<Record<string, string>>);
  const names = [...resumed, ...begun.map(({ metadata }) => metadata.name)];
  if (names.length === 0) return;
  const pods = names.map((name) => `pod/${name}`).join(', ');
  note(`${pods}: the background agent (process ${formerPid}) was gone; another one goes on`);
}
