import type { Command } from 'commander';
import { EXIT } from '../../api/index.ts';
import { formatYaml } from '../../print/index.ts';
import { KUBERNETES_VERSION, version } from '../../version.ts';
import { outputOption } from '../select/selection-flags.ts';
import type { RunVerb } from '../base/cli.ts';

interface VersionFlags {
  /** Only the version of podrun. */
  readonly client: boolean;
  readonly output: 'json' | 'yaml' | undefined;
}

/** `podrun version`: prints the versions of podrun and of its Kubernetes. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('version')
    .summary('Print the version')
    .description('Prints the version of podrun, and the version of Kubernetes that it follows.')
    .usage('[flags]')
    .option('--client', 'print only the version of podrun', false)
    .addOption(outputOption<'json' | 'yaml'>(['json', 'yaml']))
    .addHelpText('after', '\nExamples:\n  podrun version\n  podrun version -o json | jq -r .serverVersion.gitVersion\n')
    .action((flags: VersionFlags) =>
      run((cli) => {
        cli.stdout.write(versionText(flags));
        return EXIT.ok;
      }),
    );
}

/**
 * The text for `-o`, with kubectl's fields: clientVersion is podrun's version, serverVersion the version of its
 * Kubernetes.
 */
function versionText({ client, output }: VersionFlags): string {
  const gitVersion = `v${version}`;
  if (output === undefined) return `podrun ${gitVersion}\n${client ? '' : `Kubernetes: ${KUBERNETES_VERSION}\n`}`;
  const clientVersion = versionInfo(gitVersion);
  const info = client ? { clientVersion } : { clientVersion, serverVersion: versionInfo(KUBERNETES_VERSION) };
  return output === 'yaml' ? formatYaml(info) : `${JSON.stringify(info, undefined, 2)}\n`;
}

function versionInfo(gitVersion: string): Readonly<Record<string, string>> {
  const [major = '', minor = ''] = gitVersion.slice(1).split('.');
  const machine = process.arch === 'x64' ? 'amd64' : process.arch;
  return { major, minor, gitVersion, platform: `${process.platform}/${machine}` };
}
