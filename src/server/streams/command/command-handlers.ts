import { inBackground } from '../../../defects.ts';
import { allContainerStatuses, type StoredPod } from '../../../api/index.ts';
import type {
  ApiAnswer,
  ApiRequest,
  ServerContext,
  SubresourceHandlers,
  UpgradeHandler,
  UpgradedSocket,
} from '../../../apiserver/index.ts';
import { acceptWebSocket, offeredProtocols } from '../channels/accept-websocket.ts';
import { ChannelConnection } from '../channels/channel-connection.ts';
import { chooseChannelProtocol } from '../channels/channel-protocols.ts';
import { chooseSpdyProtocol, isSpdyRequest } from '../spdy/spdy-upgrade.ts';
import { mustReachPod } from '../reached-node.ts';
import { targetContainer, targetPod } from '../target-pod.ts';
import { upgradeRequired } from '../upgrade-required.ts';
import { refuseUpgrade } from '../refuse-upgrade.ts';
import { type CommandOptions, readCommandOptions } from './command-options.ts';
import { type RemoteCommand, runCommand } from './run-command.ts';
import { SPDY_COMMAND_PROTOCOLS, spdyCommand } from './spdy-command.ts';
import type { CommandStreams } from './command-streams.ts';
import { encodeOutcome } from './outcome.ts';

/** The channels of exec and attach. Source: apimachinery/pkg/util/remotecommand/constants.go. */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, outcome: 3, sizes: 4 } as const;

/** `pods/exec` and `pods/attach`: over a websocket or SPDY. */
export const EXEC: SubresourceHandlers = { connect: withoutUpgrade, upgrade: commandHandler('exec') };
export const ATTACH: SubresourceHandlers = { connect: withoutUpgrade, upgrade: commandHandler('attach') };

/** Refuses a request without the header Upgrade, first for what is wrong with its Pod. */
function withoutUpgrade(request: ApiRequest, context: ServerContext): ApiAnswer {
  const pod = targetPod(request, context);
  targetContainer(pod, readCommandOptions(request.query).container);
  mustReachPod(pod, context);
  return upgradeRequired();
}

function commandHandler(type: 'exec' | 'attach'): UpgradeHandler {
  return async (request, upgraded, context) => {
    const pod = targetPod(request, context);
    const options = readCommandOptions(request.query);
    const container = targetContainer(pod, options.container);
    mustReachPod(pod, context);
    if (!options.stdin && !options.stdout && !options.stderr) {
      return refuseUpgrade(upgraded, 400, 'you must specify at least 1 of stdin, stdout, stderr');
    }
    const opening = openingOf(type, container, options);
    if (opening === undefined) return refuseUpgrade(upgraded, 400, 'you must specify at least 1 command');
    const isRunning = runs(pod, container);
    const { attachSocket } = context.store.paths(pod.metadata.namespace, pod.metadata.name);
    const command = { clock: context.clock, socket: attachSocket, isPatient: isRunning, opening };
    if (!isSpdyRequest(request.raw)) return overChannels(request, upgraded, options, command);
    if (!isRunning) return refuseUpgrade(upgraded, 404, `container not found (${JSON.stringify(container)})`);
    return overSpdy(request, upgraded, options, { command, context });
  };
}

/** Undefined: exec without a command. */
function openingOf(
  type: 'exec' | 'attach',
  container: string,
  { command, stdin, tty }: CommandOptions,
): RemoteCommand['opening'] | undefined {
  if (type === 'attach') return { type, container, stdin };
  const [program, ...args] = command;
  return program === undefined ? undefined : { type, container, argv: [program, ...args], stdin, tty };
}

function runs(pod: StoredPod, container: string): boolean {
  return allContainerStatuses(pod.status).some(({ name, state }) => name === container && state?.running !== undefined);
}

function overChannels(
  { raw }: ApiRequest,
  upgraded: UpgradedSocket,
  options: CommandOptions,
  command: RemoteCommand,
): void {
  const protocol = chooseChannelProtocol(offeredProtocols(raw));
  if (protocol === undefined) return refuseUpgrade(upgraded, 403, '');
  acceptWebSocket(raw, upgraded, protocol.name, (client) => {
    inBackground(runCommand(command, channelCommand(new ChannelConnection(client, protocol), options)));
  });
}

async function overSpdy(
  { raw }: ApiRequest,
  upgraded: UpgradedSocket,
  options: CommandOptions,
  { command, context }: { readonly command: RemoteCommand; readonly context: ServerContext },
): Promise<void> {
  const choice = chooseSpdyProtocol(raw, SPDY_COMMAND_PROTOCOLS);
  if (!choice.ok) return refuseUpgrade(upgraded, choice.code, choice.text, choice.headers);
  const streams = await spdyCommand(upgraded, choice.protocol, options, context.clock);
  if (streams !== undefined) await runCommand(command, streams);
}

/** The streams of exec or attach in the channels of a websocket. */
function channelCommand(connection: ChannelConnection, { stdin, stdout, stderr, tty }: CommandOptions): CommandStreams {
  const outcome = connection.open(CHANNEL.outcome);
  const streams = {
    stdin: stdin ? connection.open(CHANNEL.stdin) : undefined,
    stdout: stdout ? connection.open(CHANNEL.stdout) : undefined,
    stderr: stderr ? connection.open(CHANNEL.stderr) : undefined,
    sizes: tty ? connection.open(CHANNEL.sizes) : undefined,
  };
  // An empty message tells the client that the connection works.
  connection.greet(stdout ? CHANNEL.stdout : stderr ? CHANNEL.stderr : CHANNEL.outcome);
  return {
    ...streams,
    isTranslated: connection.protocol.hasEnd,
    finish: (end) => {
      const text = encodeOutcome(end, connection.protocol.hasStatus);
      if (text !== undefined) outcome.write(text);
      // Behind the outcome, and that behind all output.
      connection.close();
    },
    closed: connection.closed,
  };
}
