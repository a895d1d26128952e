import type { SeccompFilter } from '../../base/seccomp.ts';
import { type FilteredPlace, type ProfileRule, resolveProfile, type SeccompProfile } from './profile.ts';

const ENOSYS = 38;
const AF_VSOCK = 40;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NEW_NAMESPACES = 0x7e_02_00_00;
/** Linux, Linux with 32-bit addresses in uname, and these with other behaviour of old programs; a question. */
const PERSONALITIES = [0x0, 0x8, 0x2_00_00, 0x2_00_08, 0xff_ff_ff_ff];

/** The calls for every container. A runtime skips calls that its machine does not have. */
const FOR_ALL = `
  accept accept4 access adjtimex alarm bind brk cachestat capget capset chdir chmod chown chown32 clock_adjtime
  clock_adjtime64 clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep
  clock_nanosleep_time64 close close_range connect copy_file_range creat dup dup2 dup3 epoll_create epoll_create1
  epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 execve execveat exit
  exit_group faccessat faccessat2 fadvise64 fadvise64_64 fallocate fanotify_mark fchdir fchmod fchmodat fchmodat2
  fchown fchown32 fchownat fcntl fcntl64 fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat
  fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 futex futex_requeue futex_time64 futex_wait
  futex_waitv futex_wake futimesat get_robust_list get_thread_area getcpu getcwd getdents getdents64 getegid
  getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 getitimer getpeername getpgid getpgrp getpid
  getppid getpriority getrandom getresgid getresgid32 getresuid getresuid32 getrlimit getrusage getsid getsockname
  getsockopt gettid gettimeofday getuid getuid32 getxattr getxattrat inotify_add_watch inotify_init inotify_init1
  inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64 io_setup io_submit ioctl
  ioprio_get ioprio_set ipc kill landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lchown32
  lgetxattr link linkat listen listmount listxattr listxattrat llistxattr _llseek lremovexattr lseek lsetxattr lstat
  lstat64 madvise map_shadow_stack membarrier memfd_create memfd_secret mincore mkdir mkdirat mknod mknodat mlock
  mlock2 mlockall mmap mmap2 mprotect mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64
  mq_timedsend mq_timedsend_time64 mq_unlink mremap mseal msgctl msgget msgrcv msgsnd msync munlock munlockall munmap
  name_to_handle_at nanosleep newfstatat _newselect open openat openat2 pause pidfd_open pidfd_send_signal pipe pipe2
  pkey_alloc pkey_free pkey_mprotect poll ppoll ppoll_time64 prctl pread64 preadv preadv2 prlimit64 process_mrelease
  pselect6 pselect6_time64 pwrite64 pwritev pwritev2 read readahead
  readlink readlinkat readv recv recvfrom recvmmsg recvmmsg_time64 recvmsg remap_file_pages removexattr removexattrat
  rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo
  rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sched_get_priority_max
  sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
  sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp
  select semctl semget semop semtimedop semtimedop_time64 send sendfile sendfile64 sendmmsg sendmsg sendto
  set_robust_list set_thread_area set_tid_address setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups
  setgroups32 setitimer setpgid setpriority setregid setregid32 setresgid setresgid32 setresuid setresuid32 setreuid
  setreuid32 setrlimit setsid setsockopt setuid setuid32 setxattr setxattrat shmat shmctl shmdt shmget shutdown
  sigaltstack signalfd signalfd4 sigprocmask sigreturn socketcall socketpair splice stat stat64 statfs statfs64
  statmount statx symlink symlinkat sync sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete
  timer_getoverrun timer_gettime timer_gettime64 timer_settime timer_settime64 timerfd_create timerfd_gettime
  timerfd_gettime64 timerfd_settime timerfd_settime64 times tkill truncate truncate64 ugetrlimit umask uname unlink
  unlinkat uretprobe utime utimensat utimensat_time64 utimes vfork vmsplice wait4 waitid waitpid write writev`;

/** The calls that only these machines have, by their names in profiles. */
const FOR_MACHINE: Readonly<Record<string, string>> = {
  amd64: 'arch_prctl modify_ldt',
  arm64: 'arm_fadvise64_64 arm_sync_file_range sync_file_range2 breakpoint cacheflush set_tls',
};

/** The calls that a capability brings. */
const FOR_CAPABILITY: Readonly<Record<string, string>> = {
  bpf: 'bpf',
  dac_read_search: 'open_by_handle_at',
  perfmon: 'perf_event_open',
  sys_admin: `bpf clone clone3 fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie mount mount_setattr
    move_mount open_tree perf_event_open quotactl quotactl_fd setdomainname sethostname setns syslog umount
    umount2 unshare`,
  sys_boot: 'reboot',
  sys_chroot: 'chroot',
  sys_module: 'delete_module init_module finit_module',
  sys_nice: 'get_mempolicy mbind set_mempolicy set_mempolicy_home_node',
  sys_pacct: 'acct',
  sys_ptrace: 'kcmp pidfd_getfd process_madvise process_vm_readv process_vm_writev ptrace',
  sys_rawio: 'iopl ioperm',
  sys_time: 'settimeofday stime clock_settime clock_settime64',
  sys_tty_config: 'vhangup',
  syslog: 'syslog',
};

/** Debuggers: before Linux 4.8, ptrace(2) evaded filters. */
const SINCE_4_8 = 'process_vm_readv process_vm_writev ptrace';

const allow = (names: readonly string[], more: Partial<ProfileRule> = {}): ProfileRule => ({
  names,
  action: 'SCMP_ACT_ALLOW',
  ...more,
});

/**
 * The profile RuntimeDefault: what containers may call on a node. Source: containerd, contrib/seccomp/
 * seccomp_default.go DefaultProfile; moby, profiles/seccomp/default.json.
 */
export const DEFAULT_PROFILE: SeccompProfile = {
  defaultAction: 'SCMP_ACT_ERRNO',
  archMap: [
    { architecture: 'SCMP_ARCH_X86_64', subArchitectures: ['SCMP_ARCH_X86', 'SCMP_ARCH_X32'] },
    { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: ['SCMP_ARCH_ARM'] },
  ],
  syscalls: [
    allow(namesIn(FOR_ALL)),
    allow(namesIn(SINCE_4_8), { includes: { minKernel: '4.8' } }),
    ...Object.entries(FOR_MACHINE).map(([machine, names]) =>
      allow(namesIn(names), { includes: { arches: [machine] } }),
    ),
    ...Object.entries(FOR_CAPABILITY).map(([name, names]) =>
      allow(namesIn(names), { includes: { caps: [`CAP_${name.toUpperCase()}`] } }),
    ),
    ...PERSONALITIES.map((value) => allow(['personality'], { args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }] })),
    allow(['socket'], { args: [{ index: 0, value: AF_VSOCK, op: 'SCMP_CMP_NE' }] }),
    allow(['clone'], {
      args: [{ index: 0, value: NEW_NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
      excludes: { caps: ['CAP_SYS_ADMIN'] },
    }),
    // The C library falls back to clone(2), whose flags a filter can see, when clone3(2) is not there.
    {
      names: ['clone3'],
      action: 'SCMP_ACT_ERRNO',
      errnoRet: ENOSYS,
      excludes: { caps: ['CAP_SYS_ADMIN'] },
    },
  ],
};

/** The filter of the profile RuntimeDefault in one place. */
export function defaultFilter(place: FilteredPlace): SeccompFilter {
  return resolveProfile(DEFAULT_PROFILE, place);
}

function namesIn(text: string): string[] {
  return text.split(/\s+/).filter((name) => name !== '');
}
