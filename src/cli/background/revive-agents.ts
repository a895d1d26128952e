import { PodrunError } from '../../api/errors.ts';
import type { Cli } from '../cli.ts';
import { localProcesses } from '../../runtime/watch/process-identity.ts';
import { BackgroundAgents } from '../../store/owners/background-agents.ts';
import type { AgentSettings } from '../../agent/setup/make-agent.ts';
import { openStore } from '../environment.ts';
import { callAgent } from '../../background/start-agent.ts';

/** The time that another process has to start the agent, milliseconds. */
const OTHERS_MS = 10_000;
const LOOK_AGAIN_MS = 10;

/** Starts background agents again that died before the end of their Pods, and prints a note. */
export async function reviveAgents(cli: Cli): Promise<void> {
  try {
    const agents = new BackgroundAgents(openStore(cli).root, localProcesses);
    await Promise.all(agents.list().map((id) => revive(cli, agents, id)));
  } catch (error) {
    // The command goes on: it reports errors of the store itself.
    if (!(error instanceof PodrunError)) throw error;
    cli.warn(error.message.replace(/^error: /, ''));
  }
}

async function revive(cli: Cli, agents: BackgroundAgents, id: string): Promise<void> {
  const { clock } = cli;
  const untilMs = clock.now().monotonicMs + OTHERS_MS;
  while (clock.now().monotonicMs < untilMs) {
    const present = agents.processOf(id);
    if (present === undefined || (present.isReady && !agents.isGone(present))) return;
    if (agents.isGone(present) && agents.claim(id) === undefined) return startAgain(cli, agents, id, present.pid);
    await new Promise<void>((resolve) => {
      clock.wakeAt(clock.now().monotonicMs + LOOK_AGAIN_MS, resolve);
    });
  }
}

async function startAgain(cli: Cli, agents: BackgroundAgents, id: string, formerPid: number): Promise<void> {
  const settings = agents.settings<AgentSettings>(id);
  // The creating process was killed before it had written the settings.
  if (settings === undefined) return agents.remove(id);
  const { hostEnv } = settings;
  const { resumed, owned } = await callAgent(agents, id, hostEnv as Readonly<Record<string, string>>);
  const names = [...resumed, ...owned.map(({ metadata }) => metadata.name)];
  if (names.length === 0) return;
  const pods = names.map((name) => `pod/${name}`).join(', ');
  cli.note(`${pods}: the background agent (process ${formerPid}) was gone; another one goes on`);
}
