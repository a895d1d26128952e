import { Keeper } from './keeper/keeper.ts';
import type { LogTarget } from './keeper/protocol.ts';
import { EXIT, type StoredPod } from '../../api/index.ts';
import { quietly } from '../../quietly.ts';
import { keepAlive } from '../../defects.ts';
import { closeInheritedDescriptors, localProcesses } from '../../runtime/index.ts';
import { BackgroundAgents, ContainerLog, instanceLogPath, noBackgroundAgent } from '../../store/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import { openRuntime } from '../setup/open-runtime.ts';
import type { BackgroundProcess } from './run-agent.ts';
import { sendAnswer } from './call-background.ts';

/** Keeps the containers of a background agent. They live as long as this process, even when the agent is killed. */
export async function runKeeper(
  id: string,
  { store, clock }: Pick<BackgroundProcess, 'store' | 'clock'>,
): Promise<number> {
  closeInheritedDescriptors();
  const agents = new BackgroundAgents(store.root, localProcesses);
  const settings = agents.settings<AgentSettings>(id);
  if (settings === undefined) throw noBackgroundAgent(id);
  const runtime = openRuntime(store, clock, settings);
  process.once('exit', () => runtime.killAll());
  // The keeper has a session of its own: a SIGHUP is not meant for it.
  process.on('SIGHUP', () => undefined);
  await runtime.prepare();
  const isStored = ({ namespace, name, uid }: Pick<LogTarget, 'namespace' | 'name' | 'uid'>): boolean =>
    store.get<StoredPod>('pods', namespace, name)?.metadata.uid === uid;
  const alive = keepAlive();
  await new Promise<void>((resolve, reject) => {
    const keeper = new Keeper({
      runtime,
      clock,
      socket: agents.paths(id).keeperSocket,
      // A store that cannot be read may still have them.
      isStored: (target) => quietly(() => isStored(target)) ?? true,
      openLog: ({ namespace, name, uid, container, attempt }) => {
        if (!isStored({ namespace, name, uid })) return undefined;
        return new ContainerLog(instanceLogPath(store.paths(namespace, name).logs, container, attempt));
      },
      onLoss: (target) => {
        if (isStored(target)) store.markIncomplete(target);
      },
      recordExit: (container) => agents.recordExit(id, container),
      onDone: resolve,
    });
    keeper.listen().then(() => sendAnswer({ type: 'listening' }), reject);
  });
  alive.close();
  await runtime.close();
  return EXIT.ok;
}
