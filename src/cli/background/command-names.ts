/** The command that a background agent is. podrun calls it, and the next, for itself: they are in no help. */
export const AGENT_COMMAND = 'run-background-agent';
/** The command that keeps the containers of a background agent. */
export const KEEPER_COMMAND = 'run-container-keeper';
