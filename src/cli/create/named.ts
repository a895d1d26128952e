import type { Command } from 'commander';
import type { RunVerb } from '../base/verb.ts';
import { type CreateFlags, createFromFlags, onlyName, withCreateFlags } from './create-object.ts';

/** The kinds of which a name is enough. kubectl shows the server's errors about a Namespace as they are. */
const KINDS = [
  {
    name: 'namespace',
    alias: 'ns',
    kind: 'Namespace',
    more: { spec: {}, status: {} },
    example: 'test-two',
    failing: undefined,
  },
  {
    name: 'serviceaccount',
    alias: 'sa',
    kind: 'ServiceAccount',
    more: {},
    example: 'builder',
    failing: 'failed to create serviceaccount: ',
  },
] as const;

/** `podrun create namespace` and `podrun create serviceaccount`. */
export function addNamed(group: Command, run: RunVerb): void {
  for (const { name, alias, kind, more, example, failing } of KINDS) {
    withCreateFlags(group.command(name).alias(alias).usage('NAME [flags]'))
      .summary(`Create a ${kind}`)
      .description(`Creates a ${kind}.`)
      .argument('[name...]', 'its name')
      .addHelpText('after', `\nExamples:\n  podrun create ${name} ${example}\n`)
      .action((words: string[], flags: CreateFlags) =>
        run((cli) => {
          const object = { apiVersion: 'v1', kind, metadata: { name: onlyName(`create ${name}`, words) }, ...more };
          return createFromFlags(cli, { object, ...(failing === undefined ? {} : { failing }) }, flags);
        }),
      );
  }
}
