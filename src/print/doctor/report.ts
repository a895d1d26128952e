import { type MachineFeature, type MachineFinding, type MachineReport, obstacleText } from '../../machine/index.ts';
import type { Painter, Tone } from '../text/painter.ts';
import { remedyFor } from './remedy.ts';
import { wordWrap } from '../text/excerpt.ts';

/** The name of each feature, and the effect of each way to have it. */
const FEATURES: Readonly<Record<MachineFeature, { readonly name: string; readonly ways: Record<string, string> }>> = {
  namespaces: {
    name: 'namespaces',
    ways: {
      root: 'as root; containers have their own processes, files, host name and IPC',
      user: 'in a user namespace; containers have their own processes, files, host name and IPC',
      none: 'containers share everything with this machine',
    },
  },
  ownProc: {
    name: 'own /proc',
    ways: { own: 'a container sees its own processes only', host: 'a container sees all processes of the machine' },
  },
  layers: {
    name: 'writable root',
    ways: {
      disk: 'the state folder keeps what containers write to the root',
      tmpfs: 'memory keeps what containers write to the root',
      none: 'the root of containers is read-only',
    },
  },
  users: {
    name: 'other users',
    ways: {
      root: 'containers run as any user and group',
      mapped: "a container sees one user and group of its choice; for this machine, it runs as podrun's own",
      own: 'containers run as the user and group of podrun',
    },
  },
  limits: {
    name: 'limits',
    ways: {
      all: 'cgroups enforce limits of memory, CPU and processes',
      memory: 'cgroups enforce limits of memory only',
      none: 'not all limits of memory, CPU and processes are enforced',
    },
  },
  podAddresses: {
    name: 'Pod addresses',
    ways: { own: 'each Pod has its own address in 127.0.0.0/8', none: 'all Pods share one address' },
  },
  podNetworks: {
    name: 'Pod networks',
    ways: {
      root: 'apply --network pod gives each Pod its own network',
      user: 'apply --network pod gives each Pod its own network, in a user namespace',
      none: 'apply --network pod is refused',
    },
  },
  clusterNetworks: {
    name: 'cluster network',
    ways: {
      root: 'apply --network cluster gives each Pod its own network, and Pods of a run reach each other',
      user: 'apply --network cluster does the same in a user namespace: Pods of a run reach each other',
      none: 'apply --network cluster is refused',
    },
  },
  wayOut: {
    name: 'way out',
    ways: {
      pasta: 'Pods of a cluster network reach the world and this machine through pasta',
      slirp4netns: 'Pods of a cluster network reach the world and this machine through slirp4netns',
      nat: 'Pods of a cluster network reach the world and this machine, which forwards their packets',
      none: 'Pods of a cluster network reach each other only',
    },
  },
  serviceRules: {
    name: 'proxy',
    ways: {
      nft: 'apply --proxy nft serves Services of a cluster network by rules of nftables',
      none: 'Services of a cluster network are proxied by podrun itself; apply --proxy nft is refused',
    },
  },
  serviceNames: {
    name: 'service names',
    ways: {
      dns: 'a DNS server has the names of Services, in each network except with apply --network pod',
      hosts: 'a DNS server has the names of Services in a cluster network; elsewhere, they are in /etc/hosts',
      none: 'names of Services do not resolve',
    },
  },
  images: {
    name: 'images',
    ways: {
      root: 'containers of images have all users of their image',
      mapped: "containers of images have all users of their image, from this user's range of subordinate ids",
      single: 'containers of images have one user: programs that change their user, or give files away, fail',
      none: 'containers run programs of this machine only',
    },
  },
  memoryVolumes: {
    name: 'secrets',
    ways: {
      memory: 'volumes of secrets, and emptyDir with medium Memory, are in memory',
      disk: 'volumes of secrets, and emptyDir with medium Memory, are on the disk',
    },
  },
  ociRuntimes: {
    name: 'OCI runtimes',
    ways: {
      crun: 'a RuntimeClass with the handler crun runs containers with crun, under a filter of system calls',
      runc: 'a RuntimeClass with the handler runc runs containers with runc, under a filter of system calls',
      both: 'RuntimeClasses with the handlers crun and runc run containers with these, under a filter of system calls',
      none: 'Pods of a RuntimeClass with the handler crun or runc stay Pending',
    },
  },
  terminals: {
    name: 'terminals',
    ways: {
      pty: 'containers with tty: true have a terminal that can be resized',
      script: 'containers with tty: true have a terminal of a fixed size',
      none: 'containers with tty: true have no terminal',
    },
  },
};

/** The width of the report: longer lines are wrapped within their column. */
const COLUMNS = 110;

const LOOKS = {
  yes: { sign: '✓', word: 'yes', tone: 'good' },
  partly: { sign: '–', word: 'partly', tone: 'info' },
  no: { sign: '✗', word: 'no', tone: 'bad' },
} as const satisfies Record<MachineFinding['verdict'], { sign: string; word: string; tone: Tone }>;

/** The style of the report: symbols and arrows for a terminal, else ASCII. */
export interface ReportStyle {
  readonly painter: Painter;
  readonly ascii: boolean;
}

/** The output of `podrun doctor`. */
export function renderMachineReport(report: MachineReport, style: ReportStyle): string {
  const { podrun, node, platform, architecture, kernel, userId, stateDir } = report;
  const user = userId === 0 ? 'root' : `user ${userId}`;
  const head = [
    `podrun v${podrun}, Node ${node}, ${platform} ${kernel} ${architecture}, as ${user}`,
    `State folder: ${stateDir}`,
    runtimeLine(report),
  ];
  const width = Math.max(...report.findings.map(({ feature }) => FEATURES[feature].name.length));
  const rows = report.findings.flatMap((finding) => findingLines(finding, report, { ...style, width }));
  return [...head, '', ...rows].map((line) => `${line}\n`).join('');
}

function runtimeLine({ runtime: { choice, tier } }: MachineReport): string {
  if (tier === undefined) return `Runtime: none: this machine does not permit ${choice}, which was requested`;
  return `Runtime: ${tier}${choice === 'auto' ? '' : ', as requested'}`;
}

function findingLines(
  finding: MachineFinding,
  report: MachineReport,
  { painter, ascii, width }: ReportStyle & { readonly width: number },
): string[] {
  const { sign, word, tone } = LOOKS[finding.verdict];
  const { name, ways } = FEATURES[finding.feature];
  const answer = (ascii ? word : `${sign} ${word}`).padEnd(ascii ? 6 : 8);
  const indent = answer.length + width + 4;
  const why = finding.why === undefined ? '' : obstacleText(finding.why);
  const remedy = remedyFor(finding, report) ?? '';
  const texts = [ways[finding.how ?? ''] ?? '', why, remedy === '' ? '' : `${ascii ? '->' : '→'} ${remedy}`];
  const lines = texts.flatMap((text) => (text === '' ? [] : wordWrap(text, COLUMNS - indent).split('\n')));
  const [first = '', ...others] = lines;
  return [
    `${painter.tone(tone, answer)}  ${name.padEnd(width)}  ${first}`.trimEnd(),
    ...others.map((line) => `${' '.repeat(indent)}${line}`),
  ];
}
