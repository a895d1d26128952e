import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CASES, placeWithNetwork } from './network-place.ts';

const fixture = (file: string): string => readFileSync(new URL(`../../fixtures/${file}`, import.meta.url), 'utf8');
const USERS = CASES.filter(({ tier }) => tier === 'namespace');

describe.concurrent('names of Services, without a choice of the network', () => {
  it.for(USERS)('a Pod of $who waits until two Services exist', async ({ who, tier }, context) => {
    const place = placeWithNetwork(context, { who, tier });
    // Each machine has getent, which asks the DNS server as well.
    const text = fixture('services/myapp.yaml')
      .replaceAll('nslookup', 'getent ahostsv4')
      .replaceAll('sleep 2', 'sleep 0.2');
    const myapp = place.workshop.file('myapp.yaml', text);
    const services = place.workshop.file('services.yaml', fixture('services/services.yaml'));
    expect(await place.start(['apply', '--detach', '--runtime', tier, myapp]).ended).toMatchObject({ exitCode: 0 });
    const waits = place.start(['logs', '-f', 'myapp-pod', '-c', 'init-myservice', '--pod-running-timeout', '3m']);
    await waits.until(({ stdout }) => stdout.includes('waiting for myservice'));
    expect((await place.start(['get', '-f', myapp]).ended).stdout).toMatch(/Init:0\/2/);
    expect(await place.start(['apply', '--detach', '--runtime', tier, services]).ended).toMatchObject({ exitCode: 0 });
    const ready = ['wait', 'pod/myapp-pod', '--for', 'condition=Ready', '--timeout', '3m'];
    expect(await place.start(ready).ended).toMatchObject({ exitCode: 0 });
    expect((await place.start(['get', '-f', myapp]).ended).stdout).toMatch(/1\/1 +Running/);
    expect(await place.start(['delete', '--now', '-f', myapp, '-f', services]).ended).toMatchObject({ exitCode: 0 });
  });

  it.for(USERS)('a client of $who reaches three replicas on one port', async ({ who, tier }, context) => {
    const place = placeWithNetwork(context, { who, tier });
    const apply = place.start([
      'apply',
      '--runtime',
      tier,
      place.workshop.file('web.yaml', fixture('services/web.yaml')),
    ]);
    await apply.until(({ stdout }) => /✓ deployment\/web +3\/3 ready/.test(stdout));
    await apply.until(({ stdout }) => (stdout.match(/│ client\/client +web-\S+ answers$/gm) ?? []).length === 6);
    expect(apply.stderr).toContain('network: cluster, because ');
    apply.signal('SIGINT');
    await apply.ended;
  });
});
