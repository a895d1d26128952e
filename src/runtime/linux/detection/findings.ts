import { readQuietly } from '../../../quietly.ts';
import type { MachineFinding } from '../../../machine/index.ts';
import type { NamespaceDetection } from '../../base/features.ts';

/** The findings about namespaces, for `doctor`. */
export function namespaceFindings(detection: NamespaceDetection): MachineFinding[] {
  if (!detection.ok) return [{ feature: 'namespaces', verdict: 'no', how: 'none', why: detection.why }];
  const { facts, gaps } = detection;
  const { ownProc, diskLayers, tmpfsLayers } = gaps;
  return [
    { feature: 'namespaces', verdict: 'yes', how: facts.mode },
    ownProc === undefined
      ? { feature: 'ownProc', verdict: 'yes', how: 'own' }
      : { feature: 'ownProc', verdict: 'no', how: 'host', why: ownProc },
    layerFinding(facts.layers, tmpfsLayers ?? diskLayers),
  ];
}

function layerFinding(layers: 'disk' | 'tmpfs' | undefined, why: MachineFinding['why']): MachineFinding {
  const verdict = ({ disk: 'yes', tmpfs: 'partly', none: 'no' } as const)[layers ?? 'none'];
  return { feature: 'layers', verdict, how: layers ?? 'none', ...(why && { why }) };
}

/** The distribution and its parents. Empty: unknown. @see os-release(5) */
export function distributions(): string[] {
  const text = readQuietly('/etc/os-release');
  const valueOf = (name: string): string => new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(text)?.[1] ?? '';
  return `${valueOf('ID')} ${valueOf('ID_LIKE')}`.split(' ').filter((word) => word !== '');
}
