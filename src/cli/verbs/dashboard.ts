import path from 'node:path';
import type { Command } from 'commander';
import { homeFolder } from '../../user.ts';
import { EXIT, PodrunError, usage } from '../../api/index.ts';
import { runHelper, startCommand } from '../../runtime/index.ts';
import { stateRoot, writeFileAtomically } from '../../store/index.ts';
import { dashboardFacts } from '../connect/dashboard-facts.ts';
import { openStore } from '../base/environment.ts';
import { untilSignal } from '../base/signals.ts';
import type { Cli, RunVerb } from '../base/cli.ts';

interface DashboardFlags {
  readonly port: string;
}

const EXAMPLES = `
The link works once, on this machine only. Ctrl-C ends the page, and the server that it has started: Pods keep running.

Examples:
  podrun dashboard                 # starts podrun serve, where none runs
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
  const stopped = untilSignal(cli);
  const root = stateRoot({ flag: cli.flags.stateDir, env: cli.env, home: homeFolder(), pathOf: cli.pathOf });
  const { dashboardOf } = await import('../../server/index.ts');
  const facts = dashboardFacts(openStore(cli));
  let outcome = await dashboardOf(root, number, facts);
  const server = outcome.ok || outcome.code !== 'NotRunning' ? undefined : await startServer(cli, root);
  if (server !== undefined) outcome = await dashboardOf(root, number, facts);
  if (!outcome.ok) {
    await server?.end();
    throw new PodrunError(outcome.code, outcome.message, { hint: outcome.hint });
  }
  const page = outcome.dashboard;
  cli.stdout.write(`${page.link}\n`);
  cli.note('The link works once; Ctrl-C ends the page.');
  if (cli.stdout.terminal !== undefined) await openInBrowser(root, page.link, { ...cli.env });
  await stopped;
  await page.close();
  await server?.end();
  return EXIT.ok;
}

/**
 * Starts a server of its own, as `podrun serve` does.
 * @throws {PodrunError} with the error of the server
 */
async function startServer(cli: Cli, root: string): Promise<{ end(): Promise<void> }> {
  let text = '';
  let tell = (): void => undefined;
  const take = (chunk: Buffer): undefined => {
    text += chunk.toString();
    tell();
  };
  const argv = [...cli.podrun, '--state-dir', root, 'serve'] as const;
  const env = { ...cli.env, NO_COLOR: '1' };
  const output = { stdout: take, stderr: take };
  const outcome = await startCommand({ argv, env, cwd: cli.cwd, interactive: false, output }, cli.clock);
  if (!outcome.ok) throw new PodrunError('NotRunning', outcome.error);
  const { command } = outcome;
  const serves = new Promise<boolean>((resolve) => {
    tell = () => SERVES.test(text) && resolve(true);
    tell();
  });
  if (!(await Promise.race([serves, command.exitCode.then(() => false)])))
    throw new PodrunError('NotRunning', `no server could be started: ${text.trim().replace(/^error: /, '')}`);
  cli.note('started podrun serve, since none ran');
  return {
    end: async () => {
      command.forward('SIGTERM');
      await command.exitCode;
    },
  };
}

/** The line of a server that is ready. */
const SERVES = /^serving /m;

/** Opens the link. It goes through a file: the command lines of programs can be read by other users. */
async function openInBrowser(root: string, link: string, env: NodeJS.ProcessEnv): Promise<void> {
  const file = path.join(root, '.server', 'dashboard.html');
  writeFileAtomically(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${link}">\n`);
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // Without a browser, the link is on the screen.
  await runHelper({ program, args: [file], env });
}
