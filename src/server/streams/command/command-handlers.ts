import { inBackground } from '../../../defects.ts';
import { allContainerStatuses, type StoredPod } from '../../../api/objects.ts';
import type { SubresourceHandlers, UpgradeHandler } from '../../../apiserver/base/answer.ts';
import type { ServerContext } from '../../../apiserver/base/context.ts';
import type { ApiRequest } from '../../../apiserver/base/request.ts';
import { acceptWebSocket, offeredProtocols } from '../channels/accept-websocket.ts';
import { ChannelConnection } from '../channels/channel-connection.ts';
import { chooseChannelProtocol } from '../channels/channel-protocols.ts';
import { chooseSpdyProtocol, isSpdyRequest } from '../spdy/spdy-upgrade.ts';
import { mustBeScheduled, targetContainer, targetPod } from '../target-pod.ts';
import { upgradeRequired } from '../upgrade-required.ts';
import { refuseUpgrade, type UpgradedSocket } from '../upgraded-socket.ts';
import { channelCommand } from './channel-command.ts';
import { type CommandOptions, readCommandOptions } from './command-options.ts';
import { type RemoteCommand, runCommand } from './run-command.ts';
import { SPDY_COMMAND_PROTOCOLS, spdyCommand } from './spdy-command.ts';

/** `pods/exec` and `pods/attach`: over a websocket or SPDY. */
export const EXEC: SubresourceHandlers = { connect: upgradeRequired, upgrade: commandHandler('exec') };
export const ATTACH: SubresourceHandlers = { connect: upgradeRequired, upgrade: commandHandler('attach') };

function commandHandler(type: 'exec' | 'attach'): UpgradeHandler {
  return async (request, upgraded, context) => {
    const pod = targetPod(request, context);
    const options = readCommandOptions(request.query);
    const container = targetContainer(pod, options.container);
    mustBeScheduled(pod);
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
