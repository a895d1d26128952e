import { hasPodAddresses } from '../../agent/network/host-network.ts';
import type { MachineFinding } from '../../api/machine.ts';
import { namespaceFindings } from '../../runtime/detection/findings.ts';
import type { NamespaceDetection } from '../../runtime/detection/namespaces.ts';
import { terminalKind } from '../../runtime/terminal.ts';

/** Finds out what this machine permits, by trying it. Nothing is left of that. */
export async function examineMachine(namespaces: NamespaceDetection, userId: number): Promise<MachineFinding[]> {
  const [podAddresses, terminals] = await Promise.all([addressFinding(), terminalFinding()]);
  return [...namespaceFindings(namespaces, userId), podAddresses, terminals];
}

async function addressFinding(): Promise<MachineFinding> {
  if (await hasPodAddresses()) return { feature: 'podAddresses', verdict: 'yes', how: 'own' };
  return { feature: 'podAddresses', verdict: 'no', how: 'none', why: { type: 'platform', platform: process.platform } };
}

async function terminalFinding(): Promise<MachineFinding> {
  const kind = await terminalKind();
  if (kind === 'pty') return { feature: 'terminals', verdict: 'yes', how: kind };
  const why = { type: 'missingPackage', name: '@lydell/node-pty' } as const;
  if (kind === 'script') return { feature: 'terminals', verdict: 'partly', how: kind, why };
  return { feature: 'terminals', verdict: 'no', how: 'none', why };
}
