import type { KernelSetting, MachineFinding, MachineReport, Obstacle } from '../../machine/index.ts';

/** The facts about the machine that a remedy depends on. */
type MachineFacts = Pick<MachineReport, 'distributions' | 'userId'>;

/** The steps that enable a feature, in the imperative. Undefined when nothing can be done. */
export function remedyFor({ feature, verdict, why }: MachineFinding, machine: MachineFacts): string | undefined {
  if (why === undefined) return undefined;
  const remedies: Readonly<Record<MachineFinding['feature'], string | undefined>> = {
    layers: verdict === 'partly' ? OTHER_FOLDER : OTHER_KERNEL,
    ownProc: 'run podrun where /proc is not masked, for example docker run --security-opt systempaths=unconfined',
    terminals: 'npm install --include=optional, or for all users npm install -g @lydell/node-pty',
    ociRuntimes: why.type === 'missingPrograms' ? install(['crun'], machine) : undefined,
    users: userRemedy(why, machine),
    limits: limitsRemedy(why, machine),
    images: imageRemedy(why, machine),
    memoryVolumes: 'mount a tmpfs at /dev/shm: mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs /dev/shm',
    podAddresses: why.type === 'platform' ? 'run podrun on Linux, or ifconfig lo0 alias 127.93.0.1 as root' : undefined,
    podNetworks: networkRemedy(why, machine),
    clusterNetworks: networkRemedy(why, machine),
    wayOut: wayOutRemedy(why, machine),
    serviceRules: why.type === 'missingPrograms' ? install(['nftables'], machine) : undefined,
    serviceNames: why.type === 'notRoot' ? 'sysctl net.ipv4.ip_unprivileged_port_start=53 as root' : undefined,
    namespaces: namespaceRemedy(why, machine),
  };
  return remedies[feature];
}

function imageRemedy(why: Obstacle, machine: MachineFacts): string | undefined {
  if (why.type === 'missingPrograms') return install(why.programs, machine);
  if (why.type !== 'noSubordinateIds') return namespaceRemedy(why, machine);
  const range = `usermod --add-subuids 100000-165535 ${why.user}`;
  return `${install(['uidmap'], machine)}, and give ${why.user} a range: ${range}`;
}

function networkRemedy(why: Obstacle, machine: MachineFacts): string | undefined {
  if (why.type !== 'missingPrograms') return namespaceRemedy(why, machine);
  const { programs } = why;
  if (!programs.includes('ip')) return namespaceRemedy(why, machine);
  return install(['iproute2', ...(programs.length === 1 ? [] : ['util-linux'])], machine);
}

function wayOutRemedy(why: Obstacle, machine: MachineFacts): string | undefined {
  if (why.type === 'missingPrograms') {
    return install([...(why.programs.includes('pasta') ? ['passt'] : []), 'nftables'], machine);
  }
  if (why.type !== 'refused') return undefined;
  if (why.said.includes('not installed')) return install(['passt', 'nftables'], machine);
  return 'permit podrun to open /dev/net/tun: chmod 666 /dev/net/tun as root';
}

const AS_ROOT = 'run podrun as root, with its own store: sudo podrun';
const OTHER_FOLDER =
  'put the state folder (--state-dir, $PODRUN_STATE_DIR) on a disk: ext4, xfs, btrfs or tmpfs, not an overlay';
const OTHER_KERNEL = 'run podrun as root of the machine, or with Linux 5.11 or newer';

const POLL = 'let podrun poll the memory use: podrun apply --enforce-memory=poll';

function limitsRemedy({ type }: Obstacle, { userId }: MachineFacts): string {
  if (type === 'platform') return POLL;
  if (userId === 0) return `run podrun where /sys/fs/cgroup can be written to, or ${POLL}`;
  return `systemd-run --user --scope -p Delegate=yes podrun apply ..., or ${AS_ROOT}, or ${POLL}`;
}

function userRemedy({ type }: Obstacle, machine: MachineFacts): string | undefined {
  if (type === 'missingPrograms') return install(['util-linux', ...alpine(machine, ['setpriv'])], machine);
  return machine.userId === 0 ? undefined : AS_ROOT;
}

function namespaceRemedy(why: Obstacle, machine: MachineFacts): string | undefined {
  switch (why.type) {
    case 'missingPrograms':
    case 'busybox':
      return install(['util-linux', ...alpine(machine, ['util-linux-misc', 'setpriv'])], machine);
    case 'outdated':
      return 'install util-linux 2.38 or newer';
    case 'setting':
      return machine.userId === 0 ? SETTINGS[why.setting] : `${SETTINGS[why.setting]}, or ${AS_ROOT}`;
    case 'refused':
      return refusedRemedy(why, machine);
    case 'folder':
      return 'name a folder that podrun may write to with --state-dir or $PODRUN_STATE_DIR';
    case 'timeout':
      return 'try again: the machine was busy';
    case 'platform':
      return 'run podrun in a virtual machine with Linux';
    case 'missingPackage':
    case 'notRoot':
    case 'missingCapabilities':
    case 'noCgroup':
    case 'noMemory':
    case 'noSubordinateIds':
      return undefined;
    default:
      return why satisfies never;
  }
}

const SETTINGS: Readonly<Record<KernelSetting, string>> = {
  'kernel.apparmor_restrict_unprivileged_userns':
    'permit user namespaces to unshare by a profile in /etc/apparmor.d (see docs/runtime.md), or to all: ' +
    'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
  'kernel.unprivileged_userns_clone': 'sysctl -w kernel.unprivileged_userns_clone=1',
  'user.max_user_namespaces': 'sysctl -w user.max_user_namespaces=15000',
};

function refusedRemedy({ confinedBy }: Obstacle & { type: 'refused' }, { userId }: MachineFacts): string | undefined {
  if (confinedBy.length > 0) {
    return (
      'give the container in which podrun runs more rights: docker run --privileged, or ' +
      '--cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined'
    );
  }
  return userId === 0 ? undefined : AS_ROOT;
}

function alpine({ distributions }: MachineFacts, packages: readonly string[]): readonly string[] {
  return distributions.includes('alpine') ? packages : [];
}

const INSTALLERS: Readonly<Record<string, string>> = {
  alpine: 'apk add',
  arch: 'pacman -S',
  debian: 'apt-get install',
  fedora: 'dnf install',
  rhel: 'dnf install',
  suse: 'zypper install',
};

function install(packages: readonly string[], { distributions }: MachineFacts): string {
  const installer = distributions.map((name) => INSTALLERS[name]).find((command) => command !== undefined);
  const names = packages.join(' ');
  return installer === undefined ? `install ${names}` : `${installer} ${names}`;
}
