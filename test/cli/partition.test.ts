import { describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { CASES, placeWithNetwork } from './network-place.ts';
import { workshopFor } from './workshop.ts';
import { programsForAll } from '../ordinary-user.ts';

/**
 * A server that tells when it reaches the router of the cluster, which refuses its connections, and when it does not.
 * Each attempt has a time limit: TCP itself tries again ever more rarely.
 */
const REACH = `
  const { createServer, connect } = require('node:net');
  let last;
  const tell = (word) => word !== last && console.log(last = word);
  const attempt = () => {
    const socket = connect({ host: '10.93.0.1', port: 9 });
    const next = (word) => { clearTimeout(limit); socket.destroy(); tell(word); setTimeout(attempt, 100); };
    const limit = setTimeout(() => next('lost'), 5000);
    socket.on('error', ({ code }) => next(code === 'ECONNREFUSED' ? 'reached' : 'lost'));
  };
  createServer().listen(80, attempt);`;

/** Long enough for the program to start and to notice it, also on a busy machine. */
const LENGTH = '30s';

describe.concurrent('a partition', { timeout: 4 * PATIENCE_MS }, () => {
  it.for(CASES.filter(({ tier }) => tier === 'process'))(
    'of $who cuts the Pods of a workload off, from their start on, and connects them again',
    async ({ who, tier }, context) => {
      const place = placeWithNetwork(context, { who, tier });
      const labels = { app: 'web' };
      const main = {
        name: 'main',
        image: 'node',
        command: [programsForAll().node, '-e', REACH],
        readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 },
      };
      const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [main] } };
      const spec = { replicas: 1, selector: { matchLabels: labels }, template };
      const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
      const file = place.workshop.file('web.yaml', JSON.stringify(web));
      const fault = ['--inject', `partition:web@0s+${LENGTH}`];
      const apply = place.start(['apply', file, ...fault, '--network', 'cluster', '--runtime', tier]);
      await apply.until(({ stdout }) => /, Ready after/.test(stdout) && /│ .*reached$/m.test(stdout));
      apply.signal('SIGINT');
      expect(await apply.ended).toMatchObject({ exitCode: 130 });
      const story =
        apply.stdout.match(/FaultInjected|FaultOver|(?<=│ \S+ +)(?:lost|reached)$|, Ready(?= after)/gm) ?? [];
      expect(story.slice(0, 2)).toEqual(['FaultInjected', 'lost']);
      // Packets pass a moment before podrun says so.
      expect(story.slice(2).toSorted()).toEqual([', Ready', 'FaultOver', 'reached']);
    },
  );
});

describe('apply --inject partition', () => {
  it.for<[string, string, string]>([
    ['partition:nobody', 'host', 'there is no Pod or workload nobody'],
    ['partition:web', 'host', 'Add --network cluster.'],
  ])('%s in the network %s is refused', async ([fault, network, sentence], context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('web', { containers: [{ name: 'app', command: ['true'] }] });
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--inject', fault, '--network', network]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(sentence) });
  });
});
