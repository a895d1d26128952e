import { closeSync, writeSync } from 'node:fs';
import { EXIT, PodrunError } from '../../api/errors.ts';
import { formatTime } from '../../api/time.ts';
import { SystemClock } from '../../clock.ts';
import { ANSWER_DESCRIPTOR } from '../../runtime/background.ts';
import { bootId, startTimeOf } from '../../runtime/process-identity.ts';
import { BackgroundAgents } from '../../store/background-agents.ts';
import type { FileStore } from '../../store/file-store.ts';
import { type Begun, type Beginning, beginRuns } from '../apply/begin-runs.ts';
import { rememberCreated } from '../apply/last-manifest.ts';
import { type AgentSettings, makeAgent } from '../apply/make-agent.ts';
import { openRuntime } from '../apply/open-runtime.ts';
import { listenForSignals } from '../apply/signals.ts';
import { openStore } from '../environment.ts';
import type { AgentAnswer, Assignment } from './answer.ts';

/** Is the agent of Pods until they are over: the process behind `podrun apply --detach`. */
export async function runAgent(stateDir: string | undefined, id: string): Promise<number> {
  const clock = new SystemClock();
  const store = openStore(stateDir, clock);
  const agents = new BackgroundAgents(store.root, { startTimeOf, bootId });
  const settings = agents.settings<AgentSettings>(id);
  const assignment = agents.beginning<Assignment>(id);
  if (settings === undefined || assignment === undefined) {
    throw new PodrunError(`there is no background agent ${id} to be`);
  }
  const claim = agents.claim(id);
  if (!claim.ok) throw new PodrunError(`process ${claim.agent.pid} is background agent ${id} already`);
  let beginning: Beginning;
  try {
    beginning = await beginRuns(store, clock, assignment.pods, { command: assignment.command, agent: id });
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    const { message, hint, exitCode } = error;
    claim.release();
    say({ type: 'failed', message, hint, exitCode });
    return exitCode;
  }
  agents.hasBegun(id);
  const { begun, taken } = beginning;
  say({
    type: 'began',
    begun: begun.map(({ pod }) => pod),
    taken: taken.map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`),
  });
  await runToTheEnd({ store, clock, settings }, begun);
  claim.release();
  return EXIT.ok;
}

/** Nobody may hold the descriptor any more: what it is to say is said. */
function say(answer: AgentAnswer): void {
  try {
    writeSync(ANSWER_DESCRIPTOR, `${JSON.stringify(answer)}\n`);
    closeSync(ANSWER_DESCRIPTOR);
  } catch {
    // Whoever wanted to know is gone.
  }
}

interface Place {
  readonly store: FileStore;
  readonly clock: SystemClock;
  readonly settings: AgentSettings;
}

async function runToTheEnd({ store, clock, settings }: Place, begun: readonly Begun[]): Promise<void> {
  const runtime = await openRuntime(store, clock, settings);
  const trouble = (text: string): void => {
    process.stderr.write(`${formatTime(clock.now().wallMs)} ${text}\n`);
  };
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (agent.isOver) resolve();
    };
    const agent = makeAgent({
      settings,
      store,
      clock,
      runtime,
      onOutput: () => undefined,
      onHookOutput: () => undefined,
      onOver: look,
      onEvent: () => undefined,
      onTrouble: (error) => trouble(error.message),
    });
    const killAll = (): void => runtime.killAll();
    process.once('exit', killAll);
    let isAsked = false;
    listenForSignals(clock, (signal) => {
      trouble(`${signal}: ending the Pods`);
      agent.terminate({ force: isAsked });
      isAsked = true;
    });
    for (const { pod, written } of begun) {
      rememberCreated(store, pod, written);
      agent.run(pod);
    }
    look();
  });
  for (const { release } of begun) release();
}
