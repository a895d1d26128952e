import type { Command } from 'commander';

/** The flags of `apply` by the heading in its help, in the order of the headings. All further flags come last. */
const GROUPS: ReadonlyArray<readonly [heading: string, flags: readonly string[]]> = [
  [
    'Flags to begin with:',
    [
      '--filename',
      '--namespace',
      '--until',
      '--timeout',
      '--detach',
      '--wait',
      '--watch',
      '--no-logs',
      '--report',
      '--dry-run',
    ],
  ],
  [
    'What is applied:',
    [
      '--recursive',
      '--kustomize',
      '--selector',
      '--static-pods',
      '--validate',
      '--strict',
      '--api',
      '--no-api',
      '--helm-hooks',
      '--server-side',
      '--field-manager',
      '--force-conflicts',
    ],
  ],
  ['How a run ends:', ['--settle', '--allow-restarts', '--expect', '--keep', '--rolling']],
  ['What is printed:', ['--output', '--timestamps', '--annotations', '--template', '--allow-missing-template-keys']],
  ['Networks:', ['--network', '--proxy', '--egress', '--no-network-host-access', '--ingress-port']],
  [
    'Programs and images:',
    ['--image', '--images', '--config', '--image-credential-provider-config', '--image-credential-provider-bin-dir'],
  ],
  [
    'What containers may do:',
    ['--runtime', '--isolate', '--best-effort', '--strict-pid1', '--seccomp-root', '--enforce-memory'],
  ],
  ['Nodes:', ['--nodes', '--zones', '--overcommit']],
  ['On a cluster:', ['--context', '--kubeconfig', '--on-cluster-image']],
  ['Time and faults:', ['--speed', '--inject', '--seed', '--count-requests']],
];

const LAST = 'Further flags:';

/** Puts the flags of `apply` under headings: first the flags that people use first. */
export function groupApplyFlags(command: Command): void {
  const placeOf = (long: string | undefined): number => {
    const index = GROUPS.findIndex(([, flags]) => flags.includes(long ?? ''));
    return index === -1 ? GROUPS.length : index;
  };
  for (const option of command.options) option.helpGroup(GROUPS[placeOf(option.long)]?.[0] ?? LAST);
  (command.options as unknown[] as { long?: string }[]).sort((a, b) => placeOf(a.long) - placeOf(b.long));
}
