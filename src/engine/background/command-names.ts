/** The command of a background agent. podrun calls this command and the next one itself: both are hidden from help. */
export const AGENT_COMMAND = 'run-background-agent';
/** The command of the keeper, which holds the containers of a background agent. */
export const KEEPER_COMMAND = 'run-container-keeper';
