import type { RunningContainer } from '../../runtime/runtime.ts';
import type { KeptLog } from './kept-log.ts';
import { type KeptContainer, plain, type ToldExit, type ToldLaunch } from './protocol.ts';

/** A container that a keeper was asked to start, and what is known of it. */
export interface Kept {
  readonly launch: ToldLaunch;
  readonly log: KeptLog;
  running: RunningContainer | undefined;
  exit: ToldExit | undefined;
  isSwept: boolean;
  /** The agent wants its output to stay where it is. */
  isHeld: boolean;
  /** The agent wants to be sent its output. */
  isShown: boolean;
}

/** Of a container that is about to be started. */
export function newKept(launch: ToldLaunch, log: KeptLog): Kept {
  return { launch, log, running: undefined, exit: undefined, isSwept: false, isHeld: false, isShown: true };
}

/** What an agent is told of it; nothing as long as it has not been started. */
export function told({ launch, running, exit, isSwept }: Kept): KeptContainer[] {
  if (running === undefined) return [];
  return [{ id: launch.id, launch, running: plain(running), exit, isSwept }];
}

/** What is recorded of one that has ended: what it was started with may be secret, and nothing will be run in it. */
export function endOf(kept: Kept): KeptContainer[] {
  const { id, argv, cwd } = kept.launch;
  return told({ ...kept, launch: { id, argv: [argv[0]], env: {}, cwd, stdin: false } });
}

/** Do both IDs, `POD-UID/CONTAINER/ATTEMPT`, stand for instances of one container? */
export function isSameContainer(one: string, other: string): boolean {
  return withoutAttempt(one) === withoutAttempt(other);
}

function withoutAttempt(id: string): string {
  return id.slice(0, id.lastIndexOf('/'));
}
