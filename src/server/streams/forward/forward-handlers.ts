import { createWebSocketStream } from 'ws';
import { inBackground } from '../../../defects.ts';
import type { StoredPod } from '../../../api/index.ts';
import type { ApiRequest, ServerContext, SubresourceHandlers, UpgradedSocket } from '../../../apiserver/index.ts';
import { acceptWebSocket, offeredProtocols } from '../channels/accept-websocket.ts';
import { ChannelConnection } from '../channels/channel-connection.ts';
import { chooseChannelProtocol } from '../channels/channel-protocols.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import { acceptSpdy, chooseSpdyProtocol, isSpdyRequest } from '../spdy/spdy-upgrade.ts';
import { mustReachPod } from '../reached-node.ts';
import { targetPod } from '../target-pod.ts';
import { upgradeRequired } from '../upgrade-required.ts';
import { refuseUpgrade } from '../refuse-upgrade.ts';
import { channelForward, portsInQuery } from './channel-forward.ts';
import { forwardConnection } from './forward-connection.ts';
import { ForwardedPairs, PORT_FORWARD_PROTOCOL } from './spdy-forward.ts';

/** SPDY inside a websocket, as kubectl does it. */
const TUNNEL_PROTOCOL = `SPDY/3.1+${PORT_FORWARD_PROTOCOL}`;

/** The channel protocols of port-forward: v5 has no place here. Source: cri-streaming/pkg/portforward/websocket.go. */
const CHANNEL_PROTOCOLS: ReadonlySet<string> = new Set(['v4.channel.k8s.io', 'v4.base64.channel.k8s.io']);

/** `pods/portforward`: over SPDY, alone or in a websocket, or over the channels of a websocket. */
export const PORT_FORWARD: SubresourceHandlers = { connect: upgradeRequired, upgrade: forwardPorts };

function forwardPorts(request: ApiRequest, upgraded: UpgradedSocket, context: ServerContext): void {
  const pod = targetPod(request, context);
  mustReachPod(pod, context);
  const { raw } = request;
  if (isSpdyRequest(raw)) return overSpdy(request, upgraded, pod, context);
  const offered = offeredProtocols(raw);
  if (offered.includes(TUNNEL_PROTOCOL)) return overTunnel(request, upgraded, pod, context);
  const words = offered.filter((word) => CHANNEL_PROTOCOLS.has(word));
  const protocol = words.length === 0 ? undefined : chooseChannelProtocol(words);
  if (protocol === undefined) return refuseUpgrade(upgraded, 403, '');
  const ports = portsInQuery(request.query);
  acceptWebSocket(raw, upgraded, protocol.name, (client) => {
    const connection = new ChannelConnection(client, protocol);
    const connections = channelForward(connection, ports).map((each) => forwardConnection(each, pod, context));
    inBackground(Promise.all(connections).then(() => connection.close()));
  });
}

function overSpdy({ raw }: ApiRequest, upgraded: UpgradedSocket, pod: StoredPod, context: ServerContext): void {
  const choice = chooseSpdyProtocol(raw, [PORT_FORWARD_PROTOCOL]);
  if (!choice.ok) return refuseUpgrade(upgraded, choice.code, choice.text, choice.headers);
  const pairs = new ForwardedPairs((connection) => inBackground(forwardConnection(connection, pod, context)));
  acceptSpdy(upgraded, choice.protocol, (opened) => pairs.take(opened));
}

function overTunnel({ raw }: ApiRequest, upgraded: UpgradedSocket, pod: StoredPod, context: ServerContext): void {
  const pairs = new ForwardedPairs((connection) => inBackground(forwardConnection(connection, pod, context)));
  acceptWebSocket(raw, upgraded, TUNNEL_PROTOCOL, (client) => {
    // Its end is the end of the websocket.
    const tunnel = createWebSocketStream(client);
    return new SpdyConnection(tunnel, (opened) => pairs.take(opened));
  });
}
