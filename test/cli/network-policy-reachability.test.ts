import { renameSync } from 'node:fs';
import { it } from 'vitest';
import { isOpen, NAMES, NAMESPACES, PODS, PORTS, REACHABILITY, type ReachabilityCase } from '../cases/reachability.ts';
import { CASES, type Place, placeWithNetwork, works } from './network-place.ts';
import { need } from '../needs.ts';
import { programsForAll } from '../ordinary-user.ts';
import { PATIENCE_MS, PATIENT } from '../patience.ts';

/** The protocols that every kernel has. */
const CARRIED = ['TCP', 'UDP'] as const;
/** Serves its ports. When the file has another round, it tries all ports of all Pods, and prints what is open. */
const MEMBER = `
  const { readFileSync } = require('fs');
  const { createServer, connect } = require('net');
  const { createSocket } = require('dgram');
  const [me, file, ...ports] = process.argv.slice(1);
  for (const port of ports) {
    createServer((client) => client.on('error', () => {}).end()).listen(port, '0.0.0.0');
    const echo = createSocket('udp4').bind(port);
    echo.on('message', (text, { port: back, address }) => echo.send(text, back, address));
  }
  const tcp = (host, port) => new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (is) => { socket.destroy(); resolve(is); };
    socket.once('connect', () => end(true)).once('error', () => end(false));
    socket.setTimeout(1000, () => end(false));
  });
  const udp = (host, port) => new Promise((resolve) => {
    const socket = createSocket('udp4');
    const end = (is) => { clearTimeout(timer); socket.close(); resolve(is); };
    const timer = setTimeout(() => end(false), 1000);
    socket.once('message', () => end(true)).once('error', () => end(false)).send('?', port, host);
  });
  let last = 0;
  const look = async () => {
    const { round, addresses } = JSON.parse(readFileSync(file, 'utf8'));
    if (round !== last) {
      last = round;
      const attempts = Object.entries(addresses).flatMap(([to, host]) => ports.flatMap((port) =>
        [['TCP', tcp], ['UDP', udp]].map(async ([protocol, dial]) =>
          (await dial(host, Number(port))) ? [to + ':' + port + '/' + protocol] : [])));
      const open = (await Promise.all(attempts)).flat();
      console.log('round ' + round + ' of ' + me + ': ' + open.join(' '));
    }
    setTimeout(look, 100);
  };
  look();`;

/** Nine Pods that try to reach each other. */
class Model {
  readonly #place: Place;
  readonly #file: string;
  readonly #apply;
  readonly #addresses: Record<string, string> = {};
  #round = 0;

  constructor(place: Place) {
    this.#place = place;
    this.#file = place.workshop.file('round.json', JSON.stringify({ round: 0 }));
    const objects = [
      ...NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { ns: name } } })),
      ...PODS.map((pod) => this.#memberOf(pod)),
    ];
    const words = ['--runtime', 'process', '--network', 'cluster'];
    this.#apply = place.start(['apply', this.#manifest('model', objects), ...words]);
  }

  #manifest(name: string, objects: readonly object[]): string {
    const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    return this.#place.workshop.file(`${name}.yaml`, text);
  }

  #memberOf(pod: string): object {
    const [namespace = '', name = ''] = pod.split('/');
    const command = [programsForAll().node, '-e', MEMBER, pod, this.#file, ...PORTS.map(String)];
    const spec = { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'a', command }] };
    return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels: { pod: name } }, spec };
  }

  async run(...words: readonly string[]): Promise<string> {
    return (await this.#place.run(words)).stdout;
  }

  /** Waits until all have an address. */
  async begin(): Promise<void> {
    await this.#apply.until(({ stdout }) => (stdout.match(/ started$/gm)?.length ?? 0) >= PODS.length);
    for (const namespace of NAMESPACES) {
      const text = await this.run('get', 'pods', '-n', namespace, '-o', 'json');
      const { items } = JSON.parse(text) as {
        readonly items: ReadonlyArray<{
          readonly metadata: { readonly name: string };
          readonly status: { readonly podIP: string };
        }>;
      };
      for (const { metadata, status } of items) this.#addresses[`${namespace}/${metadata.name}`] = status.podIP;
    }
  }

  async change(verb: 'create' | 'delete', { policies }: ReachabilityCase): Promise<void> {
    if (policies.length === 0) return;
    const objects = policies.map(([namespace, spec], index) => {
      const metadata = { name: `p${index}`, namespace };
      return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec };
    });
    await this.run(verb, '-f', this.#manifest('policies', objects));
  }

  /** Has each Pod try all Pods. Returns what was open: `x/a > y/b 80 TCP`. */
  async tryAll(): Promise<string[]> {
    const round = ++this.#round;
    const { workshop } = this.#place;
    renameSync(workshop.file('next.json', JSON.stringify({ round, addresses: this.#addresses })), this.#file);
    const line = new RegExp(String.raw`round ${round} of (\w/\w): (.*)`, 'g');
    await this.#apply.until(({ stdout }) => (stdout.match(line)?.length ?? 0) >= PODS.length);
    return [...this.#apply.stdout.matchAll(line)]
      .flatMap(([, from, open = '']) =>
        open
          .trim()
          .split(' ')
          .filter(Boolean)
          .map((to) => `${from} > ${to.replace(/[:/](\d+)\/(\w+)$/, ' $1 $2')}`),
      )
      .toSorted();
  }

  async end(): Promise<void> {
    this.#apply.signal('SIGINT');
    await this.#apply.ended;
  }
}

function wanted(one: ReachabilityCase): string[] {
  const lines = CARRIED.flatMap((protocol) =>
    PORTS.flatMap((port) =>
      PODS.flatMap((from) =>
        PODS.flatMap((to) =>
          isOpen(one, { from, to, port, protocol }) ? [`${from} > ${to} ${port} ${protocol}`] : [],
        ),
      ),
    ),
  );
  return lines.toSorted();
}

it(
  `${NAMESPACES.length} namespaces with ${NAMES.length} Pods each reach each other as the table says`,
  { timeout: 12 * PATIENCE_MS },
  async (context) => {
    need(context, {
      'nft in a network of its own': works(['unshare', '--map-root-user', '--net', 'nft', 'list', 'tables']),
    });
    const { expect } = context;
    const model = new Model(
      placeWithNetwork(
        context,
        CASES.find(({ tier }) => tier === 'process')!,
      ),
    );
    await model.begin();
    for (const one of REACHABILITY.filter(({ inKernel }) => inKernel)) {
      await model.change('create', one);
      await expect.poll(() => model.tryAll(), { ...PATIENT, message: one.title }).toEqual(wanted(one));
      await model.change('delete', one);
    }
    await model.end();
  },
);
