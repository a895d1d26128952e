import { arch, homedir, release } from 'node:os';
import { EXIT } from '../../api/errors.ts';
import type { MachineReport } from '../../api/machine.ts';
import { SystemClock } from '../../clock.ts';
import { renderMachineReport } from '../../print/doctor/report.ts';
import { distributions, examineMachine } from '../../runtime/detection/examine.ts';
import { stateRoot } from '../../store/layout.ts';
import { StandardOutput } from '../standard-output.ts';
import { version } from '../version.ts';
import { painterFor } from '../view/chalk-painter.ts';
import type { DoctorFlags } from './doctor.ts';

/** `podrun doctor`: flags in, exit code out. */
export async function doctor(flags: DoctorFlags): Promise<number> {
  const stateDir = stateRoot({ flag: flags.stateDir, env: process.env, home: homedir() });
  const userPath = process.env['PATH'];
  const report: MachineReport = {
    podrun: version,
    node: process.version,
    platform: process.platform,
    architecture: arch(),
    kernel: release(),
    distributions: distributions(),
    userId: process.geteuid?.() ?? 0,
    stateDir,
    findings: await examineMachine({ stateDir, clock: new SystemClock(), version, userPath }),
  };
  const style = { painter: painterFor(process.stdout), ascii: !process.stdout.isTTY };
  const isJson = flags.output === 'json';
  new StandardOutput().write(isJson ? `${JSON.stringify(report, undefined, 2)}\n` : renderMachineReport(report, style));
  return EXIT.ok;
}
