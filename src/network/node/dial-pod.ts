import { connect, type Socket } from 'node:net';
import { guarded } from '../../defects.ts';
import type { StoredPod } from '../../api/index.ts';
import type { NetworkHelper } from '../linux/helper-process.ts';

/** The addresses of the Pod's `localhost`. */
const LOCALHOSTS = ['127.0.0.1', '::1'];

/**
 * Connects to a port of a Pod, with half-open connections allowed. A kubelet dials localhost in the Pod's network.
 * Where Pods share the host's network, all of them share localhost: the Pod's address comes first, then localhost for a
 * program that listens only there. Rejects with the error of the Pod's address.
 * @param relay connects inside the network of the Pod. Undefined: the Pod uses the host's network
 */
export async function dialPod({ status }: StoredPod, port: number, relay: NetworkHelper | undefined): Promise<Socket> {
  const { podIP } = status;
  const hosts = [...(podIP === undefined ? [] : [podIP]), ...LOCALHOSTS.filter((host) => host !== podIP)];
  const errors: unknown[] = [];
  for (const host of hosts) {
    try {
      return await (relay === undefined ? dialHere(host, port) : relay.dial({ host, port }));
    } catch (error) {
      errors.push(error);
    }
  }
  throw errors[0];
}

/** Connects to a port in this machine's network, with half-open connections allowed. */
export function dialHere(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = guarded(connect({ host, port, allowHalfOpen: true }));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
