import { ownPowers } from '../../agent/own-powers.ts';
import type { MachineFinding, Obstacle } from '../../api/machine.ts';
import { canChangeUser, type Powers } from '../../lifecycle/security/powers.ts';
import { cgroupMachine } from '../../runtime/cgroup/cgroup-machine.ts';
import { hasPodAddresses } from '../../agent/network/loopbacks.ts';
import { namespaceFindings } from '../../runtime/detection/findings.ts';
import type { NamespaceDetection } from '../../runtime/detection/namespaces.ts';
import type { RuntimeFeatures } from '../../runtime/features.ts';
import { detectNetworks } from '../../runtime/network/detect.ts';
import { terminalKind } from '../../runtime/terminal.ts';
import { memoryPlaces } from '../../store/layout.ts';
import { memoryPlace } from '../../store/memory-folders.ts';

/** Finds out what this machine permits, by trying it. Nothing is left of that. */
export async function examineMachine(namespaces: NamespaceDetection): Promise<MachineFinding[]> {
  const features: RuntimeFeatures = namespaces.ok
    ? { tier: 'namespace', namespaces: namespaces.facts }
    : { tier: 'process', namespaces: undefined };
  const [podAddresses, podNetworks, terminals] = await Promise.all([
    addressFinding(),
    networkFinding(),
    terminalFinding(),
  ]);
  const users = userFinding(ownPowers(features));
  const network = [podAddresses, podNetworks];
  return [...namespaceFindings(namespaces), users, limitFinding(), ...network, memoryFinding(), terminals];
}

function userFinding(powers: Powers): MachineFinding {
  if (canChangeUser(powers)) return { feature: 'users', verdict: 'yes', how: 'root' };
  const why = whyNotOtherUsers(powers);
  if (powers.isInUserNamespace) return { feature: 'users', verdict: 'partly', how: 'mapped', why };
  return { feature: 'users', verdict: 'no', how: 'own', why };
}

function whyNotOtherUsers({ uid, hasSetpriv, capabilities }: Powers): Obstacle {
  if (uid !== 0) return { type: 'notRoot' };
  if (!hasSetpriv) return { type: 'missingPrograms', programs: ['setpriv'] };
  const missing = ['setuid', 'setgid'].filter((name) => !capabilities.includes(name));
  // With both of them it is the user namespace: root of it is not root of the machine.
  return missing.length === 0 ? { type: 'notRoot' } : { type: 'missingCapabilities', capabilities: missing };
}

function limitFinding(): MachineFinding {
  if (process.platform !== 'linux') {
    return { feature: 'limits', verdict: 'no', how: 'none', why: { type: 'platform', platform: process.platform } };
  }
  const { places, missing } = cgroupMachine();
  const [said] = missing.values();
  if (said === undefined) return { feature: 'limits', verdict: 'yes', how: 'all' };
  const why = { type: 'noCgroup', said } as const;
  if (places.has('memory')) return { feature: 'limits', verdict: 'partly', how: 'memory', why };
  return { feature: 'limits', verdict: 'no', how: 'none', why };
}

async function addressFinding(): Promise<MachineFinding> {
  if (await hasPodAddresses()) return { feature: 'podAddresses', verdict: 'yes', how: 'own' };
  return { feature: 'podAddresses', verdict: 'no', how: 'none', why: { type: 'platform', platform: process.platform } };
}

function memoryFinding(): MachineFinding {
  const places = memoryPlaces(process.env, process.getuid?.());
  if (memoryPlace(places) !== undefined) return { feature: 'memoryVolumes', verdict: 'yes', how: 'memory' };
  return { feature: 'memoryVolumes', verdict: 'no', how: 'disk', why: { type: 'noMemory', places } };
}

async function networkFinding(): Promise<MachineFinding> {
  const detection = await detectNetworks(process.env['PATH']);
  if (detection.ok) return { feature: 'podNetworks', verdict: 'yes', how: detection.facts.mode };
  return { feature: 'podNetworks', verdict: 'no', how: 'none', why: detection.why };
}

async function terminalFinding(): Promise<MachineFinding> {
  const kind = await terminalKind();
  if (kind === 'pty') return { feature: 'terminals', verdict: 'yes', how: kind };
  const why = { type: 'missingPackage', name: '@lydell/node-pty' } as const;
  if (kind === 'script') return { feature: 'terminals', verdict: 'partly', how: kind, why };
  return { feature: 'terminals', verdict: 'no', how: 'none', why };
}
