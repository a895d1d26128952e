import { arch, homedir, release } from 'node:os';
import { EXIT } from '../../api/errors.ts';
import type { MachineReport } from '../../api/machine.ts';
import { SystemClock } from '../../clock.ts';
import { renderMachineReport } from '../../print/doctor/report.ts';
import { distributions } from '../../runtime/detection/findings.ts';
import { detectNamespaces } from '../../runtime/detection/namespaces.ts';
import { stateRoot } from '../../store/layout.ts';
import { StandardOutput } from '../standard-output.ts';
import { version } from '../version.ts';
import { examineMachine } from './examine-machine.ts';
import { painterFor } from '../view/chalk-painter.ts';
import type { DoctorFlags } from './doctor.ts';

/** `podrun doctor`: flags in, exit code out. */
export async function doctor(flags: DoctorFlags): Promise<number> {
  const stateDir = stateRoot({ flag: flags.stateDir, env: process.env, home: homedir() });
  const userPath = process.env['PATH'];
  const userId = process.geteuid?.() ?? 0;
  const namespaces = await detectNamespaces({ stateDir, clock: new SystemClock(), version, userPath, afresh: true });
  const report: MachineReport = {
    podrun: version,
    node: process.version,
    platform: process.platform,
    architecture: arch(),
    kernel: release(),
    distributions: distributions(),
    userId,
    stateDir,
    findings: await examineMachine(namespaces, userId),
  };
  const style = { painter: painterFor(process.stdout), ascii: !process.stdout.isTTY };
  const isJson = flags.output === 'json';
  new StandardOutput().write(isJson ? `${JSON.stringify(report, undefined, 2)}\n` : renderMachineReport(report, style));
  return EXIT.ok;
}
