import { detectLayerKind } from '../../images/index.ts';
import {
  detectCluster,
  detectNetworks,
  DNS_PORT,
  hasPodAddresses,
  lowestPort,
  missingForWayOut,
  type NetworkFacts,
} from '../../network/index.ts';
import { arch, release } from 'node:os';
import type { Command } from 'commander';
import { homeFolder, userName } from '../../user.ts';
import { readConfigFile, readOwnRights } from '../../settings/index.ts';
import { EXIT } from '../../api/index.ts';
import type { MachineFinding, MachineReport, Obstacle, RuntimeChoice } from '../../machine/index.ts';
import { canChangeUser, OCI_RUNTIMES, type OwnRights } from '../../lifecycle/index.ts';
import { renderMachineReport } from '../../print/index.ts';
import { runtimeChoice } from '../../engine/index.ts';
import { version } from '../../version.ts';
import {
  cgroupMachine,
  detectNamespaces,
  detectOci,
  distributions,
  type NamespaceDetection,
  namespaceFindings,
  type RuntimeFeatures,
  terminalKind,
} from '../../runtime/index.ts';
import { memoryMountPoint, memoryMountPoints, stateRoot } from '../../store/index.ts';
import { outputOption } from '../select/selection-flags.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { painterFor } from '../view/painter-for.ts';
import { withWaitingLine } from '../waiting/wait-progress.ts';

interface DoctorFlags {
  readonly output: 'json' | undefined;
}

const EXAMPLES = `
podrun doctor changes nothing on the machine. podrun keeps the findings for the next apply.

Examples:
  podrun doctor
  podrun doctor -o json | jq -r '.findings[] | select(.verdict != "yes") | .feature'
`;

/** `podrun doctor`: shows what this machine permits, and how to permit more. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('doctor')
    .summary('Show what this machine permits, and how to enable more')
    .description(
      'Tries the features of podrun on this machine. Shows which ones work, and reasons and remedies for the rest.',
    )
    .usage('[flags]')
    .addOption(outputOption<'json'>(['json']))
    .addHelpText('after', EXAMPLES)
    .action((flags: DoctorFlags) => run((cli) => doctor(cli, flags)));
}

async function doctor(cli: Cli, flags: DoctorFlags): Promise<number> {
  const stateDir = stateRoot({ flag: cli.flags.stateDir, env: cli.env, home: homeFolder(), pathOf: cli.pathOf });
  const userPath = cli.env['PATH'];
  const userId = process.geteuid?.() ?? 0;
  const { clock } = cli;
  const { namespaces, findings } = await withWaitingLine(cli, 'trying the features of this machine', async () => {
    const namespaces = await detectNamespaces({ stateDir, clock, version, userPath, ignoresCache: true });
    return { namespaces, findings: await examineMachine(cli, namespaces, stateDir) };
  });
  const config = readConfigFile({ cwd: cli.cwd });
  const choice = runtimeChoice({ variable: cli.env['PODRUN_RUNTIME'], file: config?.runtime });
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
  const style = { painter: await painterFor(cli, 'stdout'), ascii: !cli.stdout.isTerminal };
  const isJson = flags.output === 'json';
  cli.stdout.write(isJson ? `${JSON.stringify(report, undefined, 2)}\n` : renderMachineReport(report, style));
  return EXIT.ok;
}

/** The runtime that `chooseRuntime` would choose, from the results of the trial. */
function tierOf(choice: RuntimeChoice, { ok }: NamespaceDetection): MachineReport['runtime']['tier'] {
  if (choice === 'namespace') return ok ? 'namespace' : undefined;
  return choice === 'auto' && ok ? 'namespace' : 'process';
}

/** Tries the features of this machine. Removes everything that the trials made. */
async function examineMachine(cli: Cli, namespaces: NamespaceDetection, stateDir: string): Promise<MachineFinding[]> {
  const features: RuntimeFeatures = namespaces.ok
    ? { tier: 'namespace', namespaces: namespaces.facts }
    : { tier: 'process', namespaces: undefined };
  const [podAddresses, podNetworks, cluster, images, runtimes, terminals] = await Promise.all([
    addressFinding(),
    networkFinding(cli),
    clusterFindings(cli, stateDir),
    imageFinding(namespaces),
    runtimeFinding(features, stateDir, cli.env['PATH']),
    terminalFinding(),
  ]);
  const users = userFinding(readOwnRights(features));
  const network = [podAddresses, podNetworks, ...cluster, nameFinding(namespaces)];
  return [
    ...namespaceFindings(namespaces),
    users,
    limitFinding(),
    ...network,
    images,
    runtimes,
    memoryFinding(cli),
    terminals,
  ];
}

/** Containers run from images where they have namespaces, and where podrun can unpack layers. */
async function imageFinding(namespaces: NamespaceDetection): Promise<MachineFinding> {
  const feature = 'images';
  if (!namespaces.ok) return { feature, verdict: 'no', how: 'none', why: namespaces.why };
  const detected = await detectLayerKind();
  if (!detected.ok) {
    const why: Obstacle = detected.lacks === 'tar' ? { type: 'missingPrograms', programs: ['tar'] } : detected.why;
    return { feature, verdict: 'no', how: 'none', why };
  }
  const { kind, unmapped } = detected;
  if (unmapped === undefined) return { feature, verdict: 'yes', how: kind };
  const user = userName() ?? 'this user';
  return { feature, verdict: 'partly', how: kind, why: { type: 'noSubordinateIds', user, said: unmapped } };
}

/** Tries the OCI runtimes that RuntimeClasses may name without an entry in podrun.yaml. */
async function runtimeFinding(
  { namespaces: facts }: RuntimeFeatures,
  stateDir: string,
  userPath: string | undefined,
): Promise<MachineFinding> {
  const feature = 'ociRuntimes';
  const tried = await Promise.all(
    OCI_RUNTIMES.map(async (wanted) => ({ wanted, ...(await detectOci({ wanted, facts, stateDir, userPath })) })),
  );
  const working = tried.filter(({ ok }) => ok).map(({ wanted }) => wanted);
  if (working.length > 0) return { feature, verdict: 'yes', how: working.length > 1 ? 'both' : working.join('') };
  const refusal = tried.find((outcome) => !outcome.ok && outcome.isInstalled);
  if (refusal === undefined || refusal.ok) {
    return { feature, verdict: 'no', how: 'none', why: { type: 'missingPrograms', programs: [...OCI_RUNTIMES] } };
  }
  const doing = `run containers with ${refusal.wanted}`;
  return { feature, verdict: 'no', how: 'none', why: { type: 'refused', doing, said: refusal.why, confinedBy: [] } };
}

function userFinding(rights: OwnRights): MachineFinding {
  if (canChangeUser(rights)) return { feature: 'users', verdict: 'yes', how: 'root' };
  const why = whyNotOtherUsers(rights);
  if (rights.isInUserNamespace) return { feature: 'users', verdict: 'partly', how: 'mapped', why };
  return { feature: 'users', verdict: 'no', how: 'own', why };
}

function whyNotOtherUsers({ uid, hasSetpriv, capabilities }: OwnRights): Obstacle {
  if (uid !== 0) return { type: 'notRoot' };
  if (!hasSetpriv) return { type: 'missingPrograms', programs: ['setpriv'] };
  const missing = ['setuid', 'setgid'].filter((name) => !capabilities.includes(name));
  // With both capabilities, the user namespace is the reason: its root is not root of the machine.
  return missing.length === 0 ? { type: 'notRoot' } : { type: 'missingCapabilities', capabilities: missing };
}

function limitFinding(): MachineFinding {
  if (process.platform !== 'linux') {
    return { feature: 'limits', verdict: 'no', how: 'none', why: { type: 'platform', platform: process.platform } };
  }
  const { locations, missing } = cgroupMachine();
  const [said] = missing.values();
  if (said === undefined) return { feature: 'limits', verdict: 'yes', how: 'all' };
  const why = { type: 'noCgroup', said } as const;
  if (locations.has('memory')) return { feature: 'limits', verdict: 'partly', how: 'memory', why };
  return { feature: 'limits', verdict: 'no', how: 'none', why };
}

async function addressFinding(): Promise<MachineFinding> {
  if (await hasPodAddresses()) return { feature: 'podAddresses', verdict: 'yes', how: 'own' };
  return { feature: 'podAddresses', verdict: 'no', how: 'none', why: { type: 'platform', platform: process.platform } };
}

/** Containers have files of their own, and so the names, only with namespaces. */
function nameFinding(namespaces: NamespaceDetection): MachineFinding {
  const feature = 'serviceNames';
  const { platform } = process;
  if (platform !== 'linux') return { feature, verdict: 'no', how: 'none', why: { type: 'platform', platform } };
  if (!namespaces.ok) return { feature, verdict: 'no', how: 'none', why: namespaces.why };
  if (lowestPort() <= DNS_PORT) return { feature, verdict: 'yes', how: 'dns' };
  return { feature, verdict: 'partly', how: 'hosts', why: { type: 'notRoot' } };
}

function memoryFinding(cli: Cli): MachineFinding {
  const places = memoryMountPoints(cli.env, process.getuid?.());
  if (memoryMountPoint(places) !== undefined) return { feature: 'memoryVolumes', verdict: 'yes', how: 'memory' };
  return { feature: 'memoryVolumes', verdict: 'no', how: 'disk', why: { type: 'noMemory', places } };
}

async function networkFinding(cli: Cli): Promise<MachineFinding> {
  const detection = await detectNetworks('pod', { userPath: cli.env['PATH'], clock: cli.clock });
  if (detection.ok) return { feature: 'podNetworks', verdict: 'yes', how: detection.facts.mode };
  return { feature: 'podNetworks', verdict: 'no', how: 'none', why: detection.why };
}

/** Tries a cluster network and its way out. podrun keeps the result for the next apply. */
async function clusterFindings({ env, clock }: Cli, stateDir: string): Promise<MachineFinding[]> {
  const userPath = env['PATH'];
  const detection = await detectCluster({ stateDir, version, userPath, clock, ignoresCache: true });
  if (!detection.ok) return [{ feature: 'clusterNetworks', verdict: 'no', how: 'none', why: detection.why }];
  const { mode } = detection.facts;
  const cluster: MachineFinding = { feature: 'clusterNetworks', verdict: 'yes', how: mode };
  return [cluster, wayOutFinding(detection.facts, userPath), rulesFinding(detection.facts)];
}

function wayOutFinding({ wayOut, failedWayOut }: NetworkFacts, userPath: string | undefined): MachineFinding {
  if (wayOut !== undefined) return { feature: 'wayOut', verdict: 'yes', how: wayOut.kind };
  const doing = 'open a way out of a cluster network';
  const why = whyNot(doing, failedWayOut, missingForWayOut(userPath));
  return { feature: 'wayOut', verdict: 'no', how: 'none', why };
}

function rulesFinding({ nft, failedNft }: NetworkFacts): MachineFinding {
  if (nft !== undefined) return { feature: 'serviceRules', verdict: 'yes', how: 'nft' };
  const why = whyNot('make rules of nftables', failedNft, ['nft']);
  return { feature: 'serviceRules', verdict: 'no', how: 'none', why };
}

function whyNot(doing: string, said: string | undefined, programs: readonly string[]): Obstacle {
  return said === undefined ? { type: 'missingPrograms', programs } : { type: 'refused', doing, said, confinedBy: [] };
}

async function terminalFinding(): Promise<MachineFinding> {
  const kind = await terminalKind();
  if (kind === 'pty') return { feature: 'terminals', verdict: 'yes', how: kind };
  const why = { type: 'missingPackage', name: '@lydell/node-pty' } as const;
  if (kind === 'script') return { feature: 'terminals', verdict: 'partly', how: kind, why };
  return { feature: 'terminals', verdict: 'no', how: 'none', why };
}
