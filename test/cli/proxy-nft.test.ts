import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { placeWithAnyNetwork, works } from './network-place.ts';
import { needs } from '../needs.ts';
import { programsForAll } from '../ordinary-user.ts';

const metadata = (name: string) => ({ name, labels: { app: name } });
const pod = (name: string, command: readonly string[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: metadata(name),
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'node', command }] },
});
const SERVER = 'require("http").createServer((asked, answer) => answer.end(asked.socket.remoteAddress)).listen(8080)';
const ASK = `fetch("http://"+process.env.WEB_SERVICE_HOST+"/").then((answer) => answer.text()).then(
  (address) => console.log("seen as", address), ({ cause }) => console.log(cause.code))`;

const hasRules = works(['unshare', '--map-root-user', '--net', 'nft', 'list', 'tables']);

it(
  'agents in the background serve Services by rules, each its own',
  needs({ 'nft in a network of its own': hasRules }),
  async (context) => {
    const place = placeWithAnyNetwork(context);
    const run = async (...args: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await place.start(args).ended;
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
      return stdout;
    };
    const web = { apiVersion: 'v1', kind: 'Service', metadata: metadata('web') };
    const ports = [{ port: 80, targetPort: 8080 }];
    const objects = [
      { ...web, spec: { selector: { app: 'web' }, ports } },
      pod('web', [programsForAll().node, '-e', SERVER]),
    ];
    const apply = ['apply', '--detach', '--wait', '--network', 'cluster', '--proxy', 'nft', '--runtime', 'process'];
    const file = (name: string, contents: readonly object[]): string =>
      place.workshop.file(name, contents.map((object) => stringify(object)).join('---\n'));
    await run(...apply, file('web.yaml', objects));
    place.clusterHolder();
    await run(...apply, file('client.yaml', [pod('client', ['sleep', '1000'])]));
    const ask = ['exec', 'client', '--', programsForAll().node, '-e', ASK];
    const { stdout: address } = await place.start(['get', 'pod/client', '-o', 'jsonpath={.status.podIP}']).ended;
    await expect.poll(() => run(...ask)).toContain(address);
    await run('delete', 'pod/web');
    await expect.poll(() => run(...ask)).toContain('ECONNREFUSED');
    await run('delete', 'pod/client');
  },
);
