import { CAPABILITIES } from '../../api/index.ts';
import type { Identity } from '../base/confinement.ts';
import type { LastStep, ProgramCall } from '../base/inside.ts';
import type { SeccompProgram } from '../base/seccomp.ts';
import { LOADER_VARIABLE } from './loader-variables.ts';

/** The numbers of calls, by the architecture as Node names it. Source: the kernel's syscall tables. */
const CALLS = ['prctl', 'capget', 'capset', 'setgroups', 'setresgid', 'setresuid', 'seccomp'] as const;
const NUMBERS: Readonly<Record<string, Readonly<Record<(typeof CALLS)[number], number>>>> = {
  x64: { prctl: 157, capget: 125, capset: 126, setgroups: 116, setresgid: 119, setresuid: 117, seccomp: 317 },
  arm64: { prctl: 167, capget: 90, capset: 91, setgroups: 159, setresgid: 149, setresuid: 147, seccomp: 277 },
};

/** True on machines whose system calls podrun knows. */
export function hasLastStep(machine: string): boolean {
  return NUMBERS[machine] !== undefined;
}

/**
 * The program that gives a process its root, its user and rights and its filter, and becomes the container's program.
 * All in one process, since a filter needs CAP_SYS_ADMIN (or no_new_privs), which the container must not have, and must
 * come last: it may forbid everything but execve(2). Between the change of user and execve(2) the process keeps its
 * capabilities (PR_SET_KEEPCAPS); execve(2) leaves root the bounding set, and other users none. Loads no
 * modules: after the change of root these would be the container's.
 *
 * Arguments: the numbers of calls, the new root and the current folder in it (or nothing), user, group, groups, kept
 * capabilities by number (`-`: unchanged), 1 for no_new_privs, the flags and the bytes of the filter, the number of
 * variables, these, and the command line.
 */
const SCRIPT = String.raw`
my ($calls, $root, $folder, $user, $group, $groups, $kept, $fixed, $flags, $filter, $count) = splice @ARGV, 0, 11;
my ($prctl, $capget, $capset, $setgroups, $setresgid, $setresuid, $seccomp) = map { $_ + 0 } split /,/, $calls;
my @variables = splice @ARGV, 0, $count;
sub fail { print STDERR "perl: $_[0]: $!\n"; exit 126 }
# A call may write into its arguments: these must not be copies.
sub must { my $what = shift; my $call = shift; syscall($call, @_) == -1 and fail $what }
if ($root ne '') {
  chroot $root or fail 'change the root';
  chdir $folder or fail "change to $folder";
}
if ($kept ne '-') {
  my %keeps = map { $_ => 1 } split /,/, $kept;
  for my $number (0 .. 63) {
    # 22 is EINVAL: the kernel has no such capability.
    $keeps{$number} or syscall($prctl, 24, $number, 0, 0, 0) != -1 or $! == 22 or fail 'drop a capability';
  }
}
must 'keep capabilities', $prctl, 8, 1, 0, 0, 0;
if ($groups ne '-') {
  my @list = split /,/, $groups;
  my $packed = pack 'L*', @list;
  must 'set groups', $setgroups, scalar @list, $packed;
}
if ($group ne '-') { my $id = $group + 0; must 'set the group', $setresgid, $id, $id, $id }
if ($user ne '-') { my $id = $user + 0; must 'set the user', $setresuid, $id, $id, $id }
my ($head, $data) = (pack('LL', 0x20080522, 0), "\0" x 24);
must 'read capabilities', $capget, $head, $data;
my @sets = unpack 'L6', $data;
@sets[0, 3] = @sets[1, 4];
@sets[2, 5] = (0, 0) if $kept ne '-';
$data = pack 'L6', @sets;
must 'set capabilities', $capset, $head, $data;
if ($fixed) { must 'set no_new_privs', $prctl, 38, 1, 0, 0, 0 }
my $bytes = pack 'H*', $filter;
my $program = pack 'Sx6P', length($bytes) / 8, $bytes;
if (syscall($seccomp, 1, $flags + 0, $program) == -1) {
  # 13 is EACCES: without CAP_SYS_ADMIN.
  $! == 13 or fail 'load the filter of system calls';
  must 'set no_new_privs', $prctl, 38, 1, 0, 0, 0;
  must 'load the filter of system calls', $seccomp, 1, $flags + 0, $program;
}
for (@variables) { my ($name, $value) = split /=/, $_, 2; $ENV{$name} = $value }
exec { $ARGV[0] } @ARGV;
my $code = $! == 2 ? 127 : 126;
print STDERR "perl: failed to execute $ARGV[0]: $!\n";
exit $code;
`;

/** Variables that perl would obey, or complain about. */
const PERL_VARIABLE = /^(PERL.*|LANG|LANGUAGE|LC_.*)$/;

/** A new root, and the current folder in it. */
interface NewRoot {
  /** The path of the root from the current folder. */
  readonly root: string;
  readonly cwd: string;
}

/**
 * The call of the program that takes the last step.
 * @param perl the first words of its command line
 * @param at undefined: the root stays
 */
export function takeLastStep(call: ProgramCall, step: LastStep, perl: readonly string[], at?: NewRoot): ProgramCall {
  const { identity, seccomp } = step;
  const isOwn = (name: string): boolean => LOADER_VARIABLE.test(name) || PERL_VARIABLE.test(name);
  const variables = Object.entries(call.env).filter(([name]) => isOwn(name));
  const words = [
    ...perl,
    '-e',
    SCRIPT,
    '--',
    CALLS.map((name) => NUMBERS[process.arch]?.[name]).join(','),
    at?.root ?? '',
    at?.cwd ?? '',
    ...identityWords(identity),
    ...filterWords(seccomp),
    String(variables.length),
    ...variables.map(([name, value]) => `${name}=${value}`),
  ];
  const [file = ''] = words;
  return {
    file,
    argv: [file, ...words.slice(1), ...call.argv],
    env: Object.fromEntries(Object.entries(call.env).filter(([name]) => !isOwn(name))),
    cwd: call.cwd,
  };
}

/** The meaning of each field is as for setpriv(1), see identity-command.ts. */
function identityWords({ uid, gid, groups, capabilities, noNewPrivileges }: Identity): string[] {
  const number = (id: number | undefined): string => (id === undefined ? '-' : String(id));
  const all = groups ?? (uid === undefined ? undefined : []);
  const kept = capabilities?.map((name) => CAPABILITIES.indexOf(name)).join(',');
  return [number(uid), number(gid), all?.join(',') ?? '-', kept ?? '-', noNewPrivileges ? '1' : ''];
}

function filterWords({ flags, hex }: SeccompProgram): string[] {
  return [String(flags), hex];
}
