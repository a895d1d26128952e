import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { ServiceEndpoint, ServiceListener } from '../../src/network/base/service-listener.ts';
import { ServiceProxy } from '../../src/network/proxy/service-proxy.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { freePort } from '../free-port.ts';

/** Proxies and servers of the tests of a file: each test closes its own at its end. */
export class ProxyRig {
  readonly clock: ManualClock = new ManualClock();
  readonly closers: (() => void)[] = [];

  constructor() {
    afterEach(() => {
      for (const close of this.closers.splice(0)) close();
    });
  }

  newProxy(): ServiceProxy {
    const proxy = new ServiceProxy({ clock: this.clock, opens: () => true });
    this.closers.push(() => proxy.close());
    return proxy;
  }

  async listen(onConnection: (socket: Socket) => void): Promise<ServiceEndpoint> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined);
      this.closers.push(() => socket.destroy());
      onConnection(socket);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    this.closers.push(() => server.close());
    return { address: '127.0.0.1', port: (server.address() as AddressInfo).port };
  }

  async listener(endpoints: readonly ServiceEndpoint[], more: Partial<ServiceListener> = {}): Promise<ServiceListener> {
    const place = { network: 'machine', address: '127.0.0.1', port: await freePort() } as const;
    return { protocol: 'TCP', service: 'default/web:80', affinitySeconds: undefined, ...place, endpoints, ...more };
  }
}
