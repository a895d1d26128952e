import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { agentsFolder, stateRoot } from '../../store/layout.ts';
import { AGENT_COMMAND, KEEPER_COMMAND } from './command-names.ts';

/** Commands that are not about what runs. */
const UNCONCERNED: ReadonlySet<string> = new Set(
  `version explain doctor validate init ${AGENT_COMMAND} ${KEEPER_COMMAND}`.split(' '),
);

/** Before a command: what was left in the background goes on, also when the process that looked after it is gone. */
export async function goOnWithAgents(stateDir: string | undefined, command: string): Promise<void> {
  if (UNCONCERNED.has(command)) return;
  // Every command pays for this; most have no background agent, or had one once.
  const agents = agentsFolder(stateRoot({ flag: stateDir, env: process.env, home: homedir() }));
  if (!existsSync(agents) || isEmpty(agents)) return;
  const { reviveAgents } = await import('./revive-agents.ts');
  await reviveAgents(stateDir);
}

/** Who cannot look does not know. */
function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}
