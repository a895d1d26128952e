import { describe, it } from 'vitest';
import { CASES, type Place, placeWithNetwork, works } from './network-place.ts';
import type { Podrun } from './workshop.ts';
import { need, type Need } from '../needs.ts';
import { programsForAll } from '../ordinary-user.ts';
import { PATIENCE_MS, PATIENT } from '../patience.ts';

const RULES: Need = {
  'nft in a network of its own': works(['unshare', '--map-root-user', '--net', 'nft', 'list', 'tables']),
};
/** The Pods that begin at once: each takes 0.1 s of processor time. */
const PODS = 20;
/** Prints who connects, and greets. */
const SERVE = `require('net').createServer((client) => {
  console.log('through: ' + client.remoteAddress);
  client.end('welcome\\n');
}).listen(8080)`;
/** Connects with its first instruction: a Pod that is not closed yet gets through. */
const DIAL = 'exec 3<>"/dev/tcp/$WEB_SERVICE_HOST/80" && echo connected && sleep 600';
/** Connects until it is greeted: a proxy takes connections before the server listens. */
const DIAL_UNTIL_GREETED =
  'until exec 3<>"/dev/tcp/$WEB_SERVICE_HOST/80" && read -r greeting <&3; do sleep 0.1; done; sleep 600';
/** Prints the source and the port of each packet of SCTP. The kernel itself need not know the protocol. */
const LISTEN_SCTP = `$| = 1;
socket my $all, 2, 3, 132 or die $!;
while (my $from = recv $all, my $packet, 2048, 0) {
  print 'through: ', join('.', unpack 'x4 C4', $from), ' to ', unpack('x22 n', $packet), "\\n";
}`;
/** Sends the first packet of a connection to some ports, again and again. */
const SEND_SCTP = `my ($host, @ports) = @ARGV;
socket my $all, 2, 3, 132 or die $!;
my $init = pack 'C C n N N n n N', 1, 0, 20, 1, 65535, 1, 1, 1;
for (;;) {
  send $all, pack('n n N N', 9000, $_, 0, 0) . $init, 0, pack('S n C4 x8', 2, 0, split /\\./, $host) for @ports;
  select undef, undef, undef, 0.2;
}`;

const spec = (command: readonly string[], more: object = {}): object => ({
  terminationGracePeriodSeconds: 0,
  containers: [{ name: 'main', image: 'a', command, ...more }],
});
const pod = (name: string, command: readonly string[]): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: spec(command),
});
const policy = (app: string, rules: object): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: app },
  spec: { podSelector: { matchLabels: { app } }, ...rules },
});
const from = (app: string): object => ({ from: [{ podSelector: { matchLabels: { app } } }] });

/** A run of objects, and what its Pods print and refuse. */
class Run {
  readonly apply: Podrun;
  readonly #place: Place;

  constructor(place: Place, objects: readonly object[]) {
    this.#place = place;
    const file = place.workshop.file('all.yaml', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    this.apply = place.start(['apply', file, '--runtime', 'process', '--network', 'cluster']);
  }

  async read(...words: readonly string[]): Promise<string> {
    return (await this.#place.run(words)).stdout;
  }

  addressOf(name: string): Promise<string> {
    return this.read('get', 'pod', name, '-o', 'jsonpath={.status.podIP}');
  }

  /** The lines of the connections that came through. */
  get through(): string[] {
    return [...this.apply.stdout.matchAll(/through: (.*)/g)].map(([, text = '']) => text.trim());
  }

  /** The Pods with refused connections, and these. */
  async refused(): Promise<string[]> {
    const columns = '{range .items[?(@.reason=="RefusedByPolicy")]}{.involvedObject.name} {.message}{"\\n"}{end}';
    const text = await this.read('get', 'events', '-o', `jsonpath=${columns}`);
    return [...new Set(text.split('\n').filter((line) => line !== ''))];
  }
}

describe.concurrent('under a NetworkPolicy', { timeout: 9 * PATIENCE_MS }, () => {
  it('no Pod of many that begin at once connects before it is closed', async (context) => {
    need(context, RULES, 'program bash');
    const { expect } = context;
    const place = placeWithNetwork(
      context,
      CASES.find(({ tier }) => tier === 'process')!,
    );
    const ports = [{ port: 80, targetPort: 8080 }];
    const labels = { app: 'closed' };
    const run = new Run(place, [
      pod('web', [programsForAll().node, '-e', SERVE]),
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports } },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'closed' },
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: spec(['bash', '-c', DIAL]) },
        },
      },
      policy('closed', { policyTypes: ['Egress'] }),
      pod('open', ['bash', '-c', DIAL_UNTIL_GREETED]),
    ]);
    // The server listens, and its Service leads there.
    await expect.poll(() => run.through.length, PATIENT).toBe(1);
    await run.read('scale', 'deployment', 'closed', `--replicas=${PODS}`);
    // Each has tried, and was refused.
    const tried = async (): Promise<number> => {
      const refused = await run.refused();
      return new Set(refused.filter((each) => each.startsWith('closed-')).map((each) => each.split(' ')[0])).size;
    };
    await expect.poll(tried, { timeout: 6 * PATIENCE_MS, interval: 2000 }).toBeGreaterThanOrEqual(PODS);
    expect(run.through).toHaveLength(1);
    expect(run.apply.stdout).not.toMatch(/│ closed-\S+ +connected/);
    run.apply.signal('SIGINT');
    await run.apply.ended;
  });

  it('SCTP is judged by its own ports', async (context) => {
    need(context, RULES, 'program perl');
    const { expect } = context;
    const place = placeWithNetwork(context, { who: 'root', tier: 'process' });
    const run = new Run(place, [
      pod('web', ['perl', '-e', LISTEN_SCTP]),
      pod('friend', ['sleep', '600']),
      pod('other', ['sleep', '600']),
      policy('web', { ingress: [{ ...from('friend'), ports: [{ protocol: 'SCTP', port: 7000 }, { port: 7001 }] }] }),
    ]);
    await expect.poll(() => run.apply.stdout.match(/ started$/gm)?.length ?? 0, PATIENT).toBe(3);
    const [web, friend] = [await run.addressOf('web'), await run.addressOf('friend')];
    const senders = ['friend', 'other'].map((name) =>
      place.start(['exec', name, '--', 'perl', '-e', SEND_SCTP, web, '7000', '7001']),
    );
    const own = [`${friend} to 7000`];
    await expect.poll(() => [...new Set(run.through)], PATIENT).toEqual(own);
    const seen = async (): Promise<string[]> =>
      (await run.refused()).map((each) => each.replace(/\d+ connections?/, 'n'));
    const wanted = [
      'web refused by policy: n from default/friend to :7001/SCTP',
      'web refused by policy: n from default/other to :7000/SCTP',
      'web refused by policy: n from default/other to :7001/SCTP',
    ];
    await expect.poll(seen, PATIENT).toEqual(expect.arrayContaining(wanted));
    expect([...new Set(run.through)]).toEqual(own);
    for (const each of senders) each.signal('SIGINT');
    run.apply.signal('SIGINT');
    await run.apply.ended;
  });
});
