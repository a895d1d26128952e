import type { Command } from 'commander';
import { newIngress } from '../../manifest/index.ts';
import { append } from '../select/selection-flags.ts';
import type { RunVerb } from '../base/verb.ts';
import { type CreateFlags, createFromFlags, onlyName, withCreateFlags } from './create-object.ts';

interface IngressFlags extends CreateFlags {
  readonly rule: readonly string[];
  readonly defaultBackend: string | undefined;
  readonly annotation: readonly string[];
  readonly class: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun create ingress site --rule='site.localhost/*=web:80'        # all paths
  podrun create ingress two --rule='/=web:80' --rule='/api*=api:http' --dry-run=client -o yaml
  podrun create ingress all --default-backend=web:80
`;

/** `podrun create ingress`. */
export function addIngress(group: Command, run: RunVerb): void {
  withCreateFlags(
    group.command('ingress').alias('ing').usage('NAME --rule=HOST/PATH=SERVICE:PORT[,tls[=SECRET]] [flags]'),
  )
    .summary('Create an Ingress')
    .description('Creates an Ingress, which leads HTTP requests to Services.')
    .argument('[name...]', 'its name')
    .option('--rule <rule>', 'HOST/PATH=SERVICE:PORT[,tls[=SECRET]]; may be given several times', append, [])
    .option('--default-backend <service>', 'SERVICE:PORT for all other requests')
    .option('--annotation <pair>', 'KEY=VALUE; may be given several times', append, [])
    .option('--class <name>', 'the name of an IngressClass')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: IngressFlags) =>
      run((cli) => {
        const { rule: rules, defaultBackend, annotation: annotations, class: className } = flags;
        const name = onlyName('create ingress', words);
        const object = newIngress({ name, rules, defaultBackend, annotations, className });
        return createFromFlags(cli, { object, failing: 'failed to create ingress: ' }, flags);
      }),
    );
}
