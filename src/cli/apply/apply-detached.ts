import { checkChanges, closeLostRuns, type WorkloadKey } from '../../apiserver/index.ts';
import { EXIT, type StoredPod } from '../../api/index.ts';
import { localProcesses } from '../../runtime/index.ts';
import { BackgroundAgents } from '../../store/index.ts';
import { startAgent } from '../../engine/index.ts';
import { calledCommand } from '../base/environment.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import { tellOfFirstPull } from './first-pull.ts';
import { runPods, settingsOf } from './run-pods.ts';
import type { ApplySession } from './session.ts';

export interface DetachedPods {
  /** Pods that another process runs at the moment. */
  readonly live: readonly ManifestObject<StoredPod>[];
  readonly own: readonly ManifestObject<StoredPod>[];
  /** Stored workloads that rest. */
  readonly workloads: readonly WorkloadKey[];
  /** Workloads whose controllers another process runs. */
  readonly liveWorkloads: readonly WorkloadKey[];
}

/**
 * Hands Pods to a background agent, and prints the lines of kubectl. Waits only with --wait, --until, --timeout or a
 * COMMAND.
 * @param configure changes Pods that run already, and prints the effect
 */
export async function applyDetached(
  session: ApplySession,
  { live, own, workloads, liveWorkloads }: DetachedPods,
  configure: (pods: readonly ManifestObject<StoredPod>[]) => void,
): Promise<number> {
  const { cli, store, view, plan } = session;
  await closeLostRuns(store, cli.clock, (text) => view.trouble(text));
  const agents = new BackgroundAgents(store.root, localProcesses);
  const settings = await settingsOf(session);
  tellOfFirstPull(session, settings);
  const { owned, foreign } =
    own.length === 0 && workloads.length === 0
      ? { owned: [], foreign: [] }
      : await startAgent(agents, settings, { pods: own, workloads, command: calledCommand(cli) }, cli.podrun);
  for (const pod of owned) {
    if (session.flags.output === 'json') view.pod({ type: 'ADDED', object: pod });
    else view.note(`pod/${pod.metadata.name} ${session.flags.made ?? 'created'}`);
  }
  checkChanges(store, foreign, cli.warn);
  const others = [...live, ...foreign];
  configure(others);
  for (const { object } of others) warnOfForegroundOwner(session, object);
  if (plan.goal === undefined && plan.command === undefined) return EXIT.ok;
  const all = [...owned, ...others.map(({ object }) => object)];
  const present = all.flatMap(({ metadata }) => {
    return store.get<StoredPod>('pods', metadata.namespace, metadata.name) ?? [];
  });
  // settingsOf has warned of the requests of these Pods already.
  return runPods(
    { ...session, planned: [] },
    {
      owned: [],
      workloads: [],
      live: present,
      liveWorkloads: [...workloads, ...liveWorkloads],
    },
  );
}

/** Warns that the Pod ends together with the process that runs it. */
function warnOfForegroundOwner({ store, view }: ApplySession, { metadata: { namespace, name } }: StoredPod): void {
  const owner = store.ownerOf(namespace, name);
  if (owner === undefined || owner.agent !== undefined) return;
  view.trouble(`pod/${name} runs in the foreground of ${store.describeOwner(owner)} and ends with that process`);
}
