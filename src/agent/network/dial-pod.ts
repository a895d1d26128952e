import { connect, type Socket } from 'node:net';
import type { StoredPod } from '../../api/objects.ts';
import type { NetworkRelay } from '../../runtime/network/relay.ts';

/** What a Pod's own `localhost` is for others. */
const LOCALHOSTS = ['127.0.0.1', '::1'];

/**
 * A connection to a port of a Pod, which may be closed on one side first. A kubelet dials localhost in the Pod's own
 * network. Where Pods share that of this machine, the Pod's address comes first, as localhost is everybody's; then
 * localhost, for a program that listens nowhere else.
 * Rejects with the error of the Pod's address.
 * @param relay connects in the network of the Pod; undefined: that is the one of this machine
 */
export async function dialPod({ status }: StoredPod, port: number, relay: NetworkRelay | undefined): Promise<Socket> {
  const { podIP } = status;
  const hosts = [...(podIP === undefined ? [] : [podIP]), ...LOCALHOSTS.filter((host) => host !== podIP)];
  const errors: unknown[] = [];
  for (const host of hosts) {
    try {
      return await (relay === undefined ? dial(host, port) : relay.dial({ host, port }));
    } catch (error) {
      errors.push(error);
    }
  }
  throw errors[0];
}

function dial(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
