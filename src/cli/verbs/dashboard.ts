import path from 'node:path';
import type { Command } from 'commander';
import { homeFolder } from '../../user.ts';
import { EXIT, PodrunError, usage } from '../../api/index.ts';
import { runHelper } from '../../runtime/index.ts';
import { stateRoot, writeFileAtomically } from '../../store/index.ts';
import { listenForSignals } from '../base/signals.ts';
import type { Cli } from '../base/cli.ts';
import type { RunVerb } from '../base/verb.ts';

interface DashboardFlags {
  readonly port: string;
}

const EXAMPLES = `
The link works once, on this machine only. Ctrl-C ends the page.

Examples:
  podrun dashboard                 # beside podrun serve, in another terminal
  podrun dashboard --port 8001
`;

/** `podrun dashboard`: a page that shows workloads and Pods live. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('dashboard')
    .summary('Show workloads and Pods in a browser')
    .description('Opens a page with workloads, Pods, their timelines, events and logs, and a shell into containers.')
    .usage('[flags]')
    .option('--port <number>', 'port to listen at; 0: a free one', '0')
    .addHelpText('after', EXAMPLES)
    .action((flags: DashboardFlags) => run((cli) => dashboard(cli, flags)));
}

async function dashboard(cli: Cli, { port }: DashboardFlags): Promise<number> {
  const number = Number(port);
  if (!/^\d+$/.test(port) || number > 65_535) {
    throw usage(`invalid --port ${JSON.stringify(port)}`, 'A port is a number from 0 to 65535.');
  }
  const root = stateRoot({ flag: cli.flags.stateDir, env: cli.env, home: homeFolder() });
  const { dashboardOf } = await import('../../server/index.ts');
  const outcome = await dashboardOf(root, number);
  if (!outcome.ok) throw new PodrunError(outcome.code, outcome.message, { hint: outcome.hint });
  const page = outcome.dashboard;
  cli.stdout.write(`${page.link}\n`);
  cli.note('The link works once; Ctrl-C ends the page.');
  if (cli.stdout.terminal !== undefined) await openInBrowser(root, page.link, { ...cli.env });
  await new Promise<void>((resolve) => void listenForSignals(cli, () => resolve()));
  await page.close();
  return EXIT.ok;
}

/** Opens the link. It goes through a file: the command lines of programs can be read by other users. */
async function openInBrowser(root: string, link: string, env: NodeJS.ProcessEnv): Promise<void> {
  const file = path.join(root, '.server', 'dashboard.html');
  writeFileAtomically(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${link}">\n`);
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // Without a browser, the link is on the screen.
  await runHelper({ program, args: [file], env });
}
