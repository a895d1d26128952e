import { expect, it, onTestFinished } from 'vitest';
import { ServiceNames } from '../../../src/network/node/service-names.ts';
import { service } from '../objects.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { openStore, temporaryFolder } from '../../store/temporary-store.ts';

it('an ExternalName has the address that this machine knows, or the address of the Service that it names', async () => {
  const store = openStore(temporaryFolder());
  // The clock stands still: the resolver of this machine has all the time that it needs.
  const names = new ServiceNames(store, new ManualClock());
  onTestFinished(() => names.close());
  const addressOf = (name: string): string | undefined =>
    new RegExp(`^(\\S+)\t${name}\t`, 'm').exec(names.lines('default', 'host'))?.[1];
  const external = (name: string, externalName: string) => service(name, { type: 'ExternalName', externalName });
  store.create('services', external('here', 'localhost'));
  store.create('services', service('web', { clusterIP: '127.96.1.2' }, 'shop'));
  store.create('services', external('other', 'web.shop.svc.cluster.local'));
  expect([addressOf('here'), addressOf('other')]).toEqual([undefined, '127.96.1.2']);
  await names.lookUp();
  expect(addressOf('here')).toBe('127.0.0.1');

  // The file of a Pod that runs already follows a Service that comes later.
  const written = new Promise<string>((resolve) => {
    names.follow('hosts', () => {
      const address = addressOf('later');
      if (address !== undefined) resolve(address);
      return true;
    });
  });
  store.create('services', external('later', 'localhost.'));
  expect(await written).toBe('127.0.0.1');
});
