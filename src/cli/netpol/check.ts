import { DEFAULT_NAMESPACE, EXIT } from '../../api/index.ts';
import { judgeConnection } from '../../controllers/index.ts';
import { type JudgedConnection, renderNetworkVerdict, renderNetworkVerdictsJson } from '../../print/index.ts';
import type { Cli } from '../base/cli.ts';
import { NetworkEnds } from './ends.ts';
import { type NetworkObjectsFlags, readNetworkObjects } from './network-objects.ts';

export interface CheckFlags extends NetworkObjectsFlags {
  readonly output: CheckOutput | undefined;
}

export type CheckOutput = 'text' | 'json';

/** Prints the verdict of all policies about a connection. The exit code says whether it is permitted. */
export async function checkConnection(cli: Cli, from: string, to: string, flags: CheckFlags): Promise<number> {
  const { policies, namespaces, all, placeOf } = await readNetworkObjects(cli, flags);
  const ends = new NetworkEnds(all, flags.namespace || DEFAULT_NAMESPACE);
  const client = ends.client(from);
  const judged = ends.destinations(to).map(({ name, end, protocol, port }): JudgedConnection => {
    const connection = { from: client.end, to: end, protocol, port };
    const verdict = judgeConnection({ policies, namespaces, pods: [] }, connection);
    return { from: client.name, to: name, protocol, port, verdict };
  });
  const text = judged.map((each) => renderNetworkVerdict(each, placeOf)).join('\n');
  cli.stdout.write(flags.output === 'json' ? renderNetworkVerdictsJson(judged, placeOf) : text);
  return judged.every(({ verdict }) => verdict.allowed) ? EXIT.ok : EXIT.failed;
}
