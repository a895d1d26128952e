import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Command } from 'commander';
import { inBackground } from '../../defects.ts';
import { isRenewed } from '../../apiserver/index.ts';
import { dialPod, type NetworkHelper } from '../../network/index.ts';
import { EXIT, isLost, isTerminalPhase, PodrunError, resolvedUid, type StoredPod } from '../../api/index.ts';
import { type ForwardedPort, forwardedPorts } from '../../lifecycle/index.ts';
import { forwardingError, PodRelays } from '../../engine/index.ts';
import type { FileStore } from '../../store/index.ts';
import { firstSignal } from '../base/signals.ts';
import { listenAddresses, listenOnPorts } from '../connect/port-listeners.ts';
import { reachPod } from '../connect/reached-pod.ts';
import { openStore } from '../base/environment.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { usageErrorf } from '../flags/options.ts';

interface PortForwardFlags {
  readonly address: string;
  readonly namespace: string | undefined;
  readonly podRunningTimeout: string;
}

const EXAMPLES = `
Port forwarding ends with the Pod, or with Ctrl-C.

Examples:
  podrun port-forward web 8080:80                # forwards localhost:8080 to port 80 of the Pod
  podrun port-forward web 5000 :6000             # 5000 to 5000, and a free port to 6000
  podrun port-forward svc/web 8443:https         # a port of a Service, by its name
  podrun port-forward --address 0.0.0.0 web 8080:http
`;

/** `podrun port-forward`: forwards ports of this machine to ports of a Pod. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('port-forward')
    .summary('Forward ports of this machine to a Pod')
    .description('Listens on ports of this machine, and forwards connections to ports of a Pod.')
    .usage('TYPE/NAME [flags] [LOCAL_PORT:]REMOTE_PORT [...]')
    .argument('[pod-and-ports...]', 'the Pod, then the ports')
    .option('--address <addresses>', 'addresses to listen on, or localhost, separated by commas', 'localhost')
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .option('--pod-running-timeout <duration>', 'how long to wait for a Pod of a workload or Service', '1m0s')
    .addHelpText('after', EXAMPLES)
    .action((words: readonly string[], flags: PortForwardFlags) => run((cli) => portForward(cli, words, flags)));
}

const EXIT_OF_SIGNAL = { SIGHUP: EXIT.hungUp, SIGINT: EXIT.ok, SIGTERM: EXIT.terminated } as const;

/** Runs `podrun port-forward`. Returns the exit code. Source: kubectl/pkg/cmd/portforward/portforward.go. */
async function portForward(cli: Cli, words: readonly string[], flags: PortForwardFlags): Promise<number> {
  const [word, ...portWords] = words;
  if (word === undefined || portWords.length === 0) {
    throw usageErrorf('port-forward', 'TYPE/NAME and list of ports are required for port-forward');
  }
  const addresses = listenAddresses(flags.address);
  const store = openStore(cli);
  const { pod, service } = await reachPod(cli, word, { ...flags, store });
  const ports = forwardedPorts(portWords, pod, service);
  if (pod.status.phase !== 'Running') {
    throw new PodrunError(
      'NotRunning',
      `unable to forward port because pod is not running. Current status=${pod.status.phase}`,
    );
  }
  const signals = firstSignal(cli);
  // Connections stay open when the reader of the output is gone.
  cli.stdout.onReaderGone(() => undefined);
  const sockets = new Set<Socket>();
  const relays = new PodRelays(store);
  const listeners = await listenOnPorts({
    ports,
    addresses,
    onConnection: (socket, port) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      cli.tell(`Handling connection for ${port.local}\n`);
      inBackground(forward(cli, socket, port, currentPod(store, pod), relays.of(pod)), socket);
    },
    onTrouble: (text) => cli.stderr.write(`${text}\n`),
  }).catch((error: unknown) => {
    signals.close();
    throw error;
  });
  cli.tell(listeners.listening.map(({ at, remote }) => `Forwarding from ${at} -> ${remote}\n`).join(''));
  const over = podOver(store, pod);
  try {
    return await Promise.race([signals.arrived.then((name) => EXIT_OF_SIGNAL[name]), over.promise]);
  } finally {
    over.close();
    listeners.close();
    for (const socket of sockets) socket.destroy();
    relays.close();
  }
}

function isSamePod(present: StoredPod | undefined, pod: StoredPod): present is StoredPod {
  return present !== undefined && resolvedUid(present) === resolvedUid(pod);
}

/** The present state of the Pod: its address may come late, or change. */
function currentPod(store: FileStore, pod: StoredPod): StoredPod | undefined {
  const present = store.get<StoredPod>('pods', pod.metadata.namespace, pod.metadata.name);
  return isSamePod(present, pod) ? present : undefined;
}

async function forward(
  cli: Cli,
  client: Socket,
  { local, remote }: ForwardedPort,
  pod: StoredPod | undefined,
  relay: NetworkHelper | undefined,
): Promise<void> {
  // Ignores errors of the client until it is connected with the Pod.
  client.on('error', () => undefined);
  if (pod === undefined) return void client.destroy();
  try {
    const server = await dialPod(pod, remote, relay);
    pipeline(client, server, () => undefined);
    pipeline(server, client, () => undefined);
  } catch (error) {
    const what = forwardingError(pod, remote, error);
    cli.stderr.write(`error: an error occurred forwarding ${local} -> ${remote}: ${what}\n`);
    client.destroy();
  }
}

/** Rejects when the Pod has ended or is gone, or its agent is gone. */
function podOver(store: FileStore, pod: StoredPod): { promise: Promise<never>; close(): void } {
  const { namespace, name } = pod.metadata;
  let close = (): void => undefined;
  const promise = new Promise<never>((_, reject) => {
    const look = (present: StoredPod | undefined): void => {
      const isThere = isSamePod(present, pod) && !isTerminalPhase(present.status.phase) && !isLost(present.status);
      if (!isThere) reject(new PodrunError('Unreachable', 'lost connection to pod'));
    };
    const watch = store.watch<StoredPod>('pods', { namespace, name }, ({ type, object }) => {
      look(type === 'DELETED' && !isRenewed(store, object) ? undefined : object);
    });
    close = () => watch.close();
    look(store.get<StoredPod>('pods', namespace, name));
  });
  return { promise, close };
}
