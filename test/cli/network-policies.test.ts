import { describe, it } from 'vitest';
import { CASES, type Place, placeWithNetwork, works } from './network-place.ts';
import type { Podrun } from './workshop.ts';
import { need } from '../needs.ts';
import { programsForAll } from '../ordinary-user.ts';
import { PATIENCE_MS, PATIENT } from '../patience.ts';

/** Serves HTTP at 8080, and prints each line that comes to 9000. */
const SERVE = `
  require('http').createServer((asked, answer) => answer.end(asked.socket.remoteAddress)).listen(8080);
  require('net').createServer((client) => client.on('data', (line) => process.stdout.write(line))).listen(9000);`;
/** Prints for each place whether a connection to it opens. */
const KNOCK = `
  const knock = (place) => new Promise((resolve) => {
    const [host, port] = place.split(':');
    const socket = require('net').connect({ host, port });
    const end = (what) => { socket.destroy(); resolve(what); };
    socket.once('connect', () => end('open')).once('error', (error) => end(error.code));
    socket.setTimeout(5000, () => end('closed'));
  });
  Promise.all(process.argv.slice(1).map(knock)).then((all) => console.log('knocked: ' + all.join(' ')));`;
/** Asks over HTTP, ends its side of the connection, and prints what has come until the other side ends. */
const ASK = `
  const [host, port] = process.argv[1].split(':');
  const socket = require('net').connect({ host, port, allowHalfOpen: true });
  let answer = '';
  socket.on('data', (text) => { answer += text; }).once('end', () => {
    console.log('asked: ' + (answer.split('\\r')[0] || 'nothing'));
    socket.destroy();
  });
  socket.end('GET / HTTP/1.0\\r\\n\\r\\n');`;
/** Opens a connection, and writes a line from time to time. */
const HOLD = `
  const open = () => {
    const socket = require('net').connect({ host: process.env.WEB_SERVICE_HOST, port: 9000 });
    socket.setTimeout(500, () => socket.destroy());
    let timer;
    socket.once('connect', () => { socket.setTimeout(0); timer = setInterval(() => socket.write('tick\\n'), 100); });
    socket.on('error', () => {}).on('close', () => { clearInterval(timer); setTimeout(open, 100); });
  };
  open();`;

/** A run with a server, and clients that a policy tells apart. */
class World {
  readonly #place: Place;
  readonly apply: Podrun;

  constructor(place: Place, tier: string) {
    this.#place = place;
    const file = place.workshop.file('all.yaml', OBJECTS.map((object) => JSON.stringify(object)).join('\n---\n'));
    this.apply = place.start(['apply', file, '--runtime', tier]);
  }

  async run(...args: readonly string[]): Promise<string> {
    const { stdout } = await this.#place.run(args);
    return stdout;
  }

  /** Tries connections of a Pod, all at once: `open closed`. */
  async knock(pod: string, ...places: readonly string[]): Promise<string> {
    const stdout = await this.run('exec', pod, '--', programsForAll().node, '-e', KNOCK, ...places);
    return /knocked: (.*)/.exec(stdout)?.[1] ?? stdout;
  }

  get ticks(): number {
    return this.apply.stdout.match(/│ web\/main +tick$/gm)?.length ?? 0;
  }
}

const pod = (name: string, script: string, more: object = {}, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: {
    terminationGracePeriodSeconds: 0,
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: 'node', command: [programsForAll().node, '-e', script], ...more }],
    ...spec,
  },
});
const policy = (name: string, spec: object): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name },
  spec,
});
const selects = (app: string): object => ({ podSelector: { matchLabels: { app } } });
const WAIT = 'setInterval(() => {}, 1000)';
const ports = [
  { name: 'http', containerPort: 8080 },
  { name: 'lines', containerPort: 9000 },
];
/** No server of names listens there for plain processes. */
const DNS = '10.96.0.10:53';
/** The Pods come before the policies. */
const OBJECTS = [
  pod('web', SERVE, { ports, readinessProbe: { httpGet: { port: 'http' }, periodSeconds: 1 } }),
  pod('friend', HOLD),
  pod('other', WAIT),
  pod('quiet', WAIT),
  pod('node', WAIT, {}, { hostNetwork: true }),
  pod('early', `process.argv.push('${DNS}');${KNOCK}`),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: {
      selector: { app: 'web' },
      ports: [
        { name: 'http', port: 80, targetPort: 'http' },
        { name: 'lines', port: 9000 },
      ],
    },
  },
  policy('web', {
    ...selects('web'),
    ingress: [{ from: [selects('friend')], ports: [{ port: 'http' }, { port: 9000 }] }],
  }),
  policy('quiet', {
    podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['quiet', 'early'] }] },
    policyTypes: ['Egress'],
  }),
];
const users = CASES.filter(({ tier }) => tier === 'process');

describe.concurrent('NetworkPolicies', { timeout: 4 * PATIENCE_MS }, () => {
  it.for(users)('hold in a cluster of $who', async ({ who, tier }, context) => {
    need(context, {
      'nft in a network of its own': works(['unshare', '--map-root-user', '--net', 'nft', 'list', 'tables']),
    });
    const { expect } = context;
    const world = new World(placeWithNetwork(context, { who, tier }), tier);
    const { apply } = world;
    // The node reaches the Pod: its probe passes.
    await apply.until(({ stdout }) => /web +ContainersReady, Ready after/.test(stdout) && stdout.includes('knocked'));
    expect(apply.stderr).toContain('network: cluster, because ');
    expect(apply.stdout).toMatch(/│ early\/main +knocked: closed$/m);

    const address = await world.run('get', 'pod', 'web', '-o', 'jsonpath={.status.podIP}');
    const service = await world.run('get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}');
    const places = [`${address}:8080`, `${service}:80`, `${address}:9000`, DNS];
    expect(await world.knock('friend', ...places)).toBe('open open open ECONNREFUSED');
    expect(await world.knock('other', ...places)).toBe('closed closed closed ECONNREFUSED');
    const friend = await world.run('get', 'pod', 'friend', '-o', 'jsonpath={.status.podIP}');
    expect(await world.knock('quiet', ...places, `${friend}:1`)).toBe('closed closed closed closed closed');
    // The node is never closed off, in either direction, nor are Pods in its network.
    expect(await world.knock('node', ...places)).toBe('open open open ECONNREFUSED');
    const node = await world.run('get', 'pod', 'node', '-o', 'jsonpath={.status.podIP}');
    expect(await world.knock('quiet', `${node}:1`)).toBe('ECONNREFUSED');
    // A Pod reaches itself by its own Service.
    expect(await world.knock('web', `${service}:80`, `${friend}:1`)).toBe('open ECONNREFUSED');

    await world.run('label', 'pod', 'other', 'app=friend', '--overwrite');
    await expect.poll(() => world.knock('other', ...places), PATIENT).toBe('open open open ECONNREFUSED');
    await expect.poll(() => world.ticks, PATIENT).toBeGreaterThan(0);
    await world.run('label', 'pod', 'friend', 'app=stranger', '--overwrite');
    await expect.poll(() => world.knock('friend', ...places), PATIENT).toBe('closed closed closed ECONNREFUSED');
    // An open connection stays open.
    const { ticks } = world;
    await expect.poll(() => world.ticks, PATIENT).toBeGreaterThan(ticks + 2);

    const described = (): Promise<string> => world.run('describe', 'pod', 'web');
    const refused = /refused by policy: \d+ connections? from default\/other to :8080/;
    await expect.poll(described, PATIENT).toMatch(refused);
    await expect
      .poll(() => world.run('describe', 'pod', 'other'), PATIENT)
      .toMatch(/refused by policy of default\/web: \d+ connections? to default\/web:8080/);

    await world.run('delete', 'networkpolicy', 'web');
    await expect.poll(() => world.knock('friend', ...places), PATIENT).toBe('open open open ECONNREFUSED');
    apply.signal('SIGINT');
    await apply.ended;
  });

  it.for([
    { proxy: 'auto', sessionAffinity: 'ClientIP' },
    { proxy: 'node', sessionAffinity: 'None' },
  ])('judge clients of the proxy $proxy with the affinity $sessionAffinity', async (way, context) => {
    need(context, {
      'nft in a network of its own': works(['unshare', '--map-root-user', '--net', 'nft', 'list', 'tables']),
    });
    const { expect } = context;
    const place = placeWithNetwork(context, users[0]!);
    const { sessionAffinity } = way;
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, sessionAffinity, ports: [{ port: 80, targetPort: 'http' }] },
    };
    const web = pod('web', SERVE, { ports, readinessProbe: { httpGet: { port: 'http' }, periodSeconds: 1 } });
    const closed = policy('web', { ...selects('web'), ingress: [{ from: [selects('friend')] }] });
    const objects = [web, pod('friend', WAIT), pod('other', WAIT), service, closed];
    const file = place.workshop.file('all.yaml', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    const apply = place.start(['apply', file, '--runtime', 'process', '--proxy', way.proxy]);
    await apply.until(({ stdout }) => /web +ContainersReady, Ready after/.test(stdout));
    const read = async (...words: readonly string[]): Promise<string> => (await place.run(words)).stdout;
    const address = await read('get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}');
    const ask = (name: string): Promise<string> =>
      read('exec', name, '--', programsForAll().node, '-e', ASK, `${address}:80`);
    await expect.poll(() => ask('friend'), PATIENT).toBe('asked: HTTP/1.1 200 OK\n');
    expect(await ask('other')).toBe('asked: nothing\n');
    await read('label', 'pod', 'other', 'app=friend', '--overwrite');
    await expect.poll(() => ask('other'), PATIENT).toBe('asked: HTTP/1.1 200 OK\n');
    apply.signal('SIGINT');
    await apply.ended;
  });

  it('without effect are announced, and refused with --strict', async (context) => {
    const { expect } = context;
    const place = placeWithNetwork(context, users[0]!);
    const objects = [pod('web', ''), policy('web', selects('web'))];
    const file = place.workshop.file('all.yaml', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    const words = ['apply', file, '--network', 'host', '--runtime', 'process'];
    const need =
      'spec: NetworkPolicies need Pods with networks of their own (--network cluster); all connections are allowed';
    const strict = await place.run([...words, '--strict']);
    expect(strict).toMatchObject({ exitCode: 2, stdout: '' });
    expect(strict.stderr).toContain(`NetworkPolicy "web": ${need}`);
    const { exitCode, stdout, stderr } = await place.run(words);
    expect(exitCode).toBe(0);
    expect(stdout + stderr).toContain(need);
    const events = await place.run(['events', '--for', 'networkpolicy/web']);
    expect(events.stdout).toContain(`FieldHasNoEffect   NetworkPolicy/web   ${need}`);
  });
});
