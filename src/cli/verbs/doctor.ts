import { arch, homedir, release } from 'node:os';
import type { Command } from 'commander';
import { readConfigFile } from '../../agent/config/config-file.ts';
import { EXIT } from '../../api/errors.ts';
import type { MachineReport } from '../../api/machine.ts';
import type { RuntimeChoice } from '../../api/runtime-choice.ts';
import { SystemClock } from '../../clock.ts';
import { renderMachineReport } from '../../print/doctor/report.ts';
import { runtimeChoice } from '../../run/choose-runtime.ts';
import { version } from '../../run/version.ts';
import { distributions } from '../../runtime/detection/findings.ts';
import { detectNamespaces, type NamespaceDetection } from '../../runtime/detection/namespaces.ts';
import { stateRoot } from '../../store/layout.ts';
import { examineMachine } from '../doctor/examine-machine.ts';
import { outputOption } from '../select/selection-flags.ts';
import { StandardOutput } from '../standard-output.ts';
import { isTerminal } from '../standard-streams.ts';
import type { RunVerb } from '../verb.ts';
import { painterFor } from '../view/painter-for.ts';
import { busyWith } from '../waiting/busy-line.ts';

/** The flags of `doctor`. */
interface DoctorFlags {
  readonly output: 'json' | undefined;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Nothing is changed: what podrun tries for this is gone when it ends. What it finds out is kept for the next apply.

Examples:
  podrun doctor
  podrun doctor -o json | jq -r '.findings[] | select(.verdict != "yes") | .feature'
`;

/** `podrun doctor`: tells what this machine permits, and how to permit more. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('doctor')
    .summary('Tell what this machine permits, and how to permit more')
    .description(
      'Tries what podrun can do on this machine, and tells what works, what does not and why, and how to enable it.',
    )
    .usage('[flags]')
    .addOption(outputOption<'json'>(['json']))
    .addHelpText('after', EXAMPLES)
    .action((flags: DoctorFlags) => run(() => doctor(flags)));
}

async function doctor(flags: DoctorFlags): Promise<number> {
  const stateDir = stateRoot({ flag: flags.stateDir, env: process.env, home: homedir() });
  const userPath = process.env['PATH'];
  const userId = process.geteuid?.() ?? 0;
  const clock = new SystemClock();
  const { namespaces, findings } = await busyWith(
    clock,
    () => 'trying what this machine permits',
    async () => {
      const namespaces = await detectNamespaces({ stateDir, clock, version, userPath, afresh: true });
      return { namespaces, findings: await examineMachine(namespaces) };
    },
  );
  const config = await readConfigFile({ cwd: process.cwd() });
  const choice = runtimeChoice({ variable: process.env['PODRUN_RUNTIME'], file: config?.runtime });
  const report: MachineReport = {
    podrun: version,
    node: process.version,
    platform: process.platform,
    architecture: arch(),
    kernel: release(),
    distributions: distributions(),
    userId,
    stateDir,
    runtime: { choice, tier: tierOf(choice, namespaces) },
    findings,
  };
  const style = { painter: await painterFor('stdout'), ascii: !isTerminal('stdout') };
  const isJson = flags.output === 'json';
  new StandardOutput().write(isJson ? `${JSON.stringify(report, undefined, 2)}\n` : renderMachineReport(report, style));
  return EXIT.ok;
}

/** As `chooseRuntime` has it, of what was found out already. */
function tierOf(choice: RuntimeChoice, { ok }: NamespaceDetection): MachineReport['runtime']['tier'] {
  if (choice === 'namespace') return ok ? 'namespace' : undefined;
  return choice === 'auto' && ok ? 'namespace' : 'process';
}
