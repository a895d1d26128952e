import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { APART, attemptIn, escaping, ROOT_APART, run, USER_APART } from './worlds.ts';

const SYSTEM_FILES = '/proc/sys /proc/irq /proc/bus /proc/fs /proc/sysrq-trigger /sys';
const WRITABLE = `find ${SYSTEM_FILES} -type f -writable 2>/dev/null | head -5; echo end`;
const MASKED = '/proc/kcore /proc/keys /proc/timer_list /proc/sched_debug /proc/interrupts';
const READABLE = `cat ${MASKED} 2>/dev/null | head -c 1 | wc -c
ls /sys/firmware /proc/acpi /proc/scsi 2>/dev/null | grep -v : | grep . | head -3; echo end`;

describe.each(APART)('the files of the kernel, for a container of $who, $tier tier', (world) => {
  it.for([[], ['--strict-pid1']] as const)(
    'cannot be written to: core_pattern, sysrq-trigger, cgroups %j',
    async (flags, context) => {
      expect(await run(attemptIn(context, world), escaping(WRITABLE), flags)).toEqual(['end']);
    },
  );

  it.for([[], ['--strict-pid1']] as const)('tell nothing of the machine %j', async (flags, context) => {
    expect(await run(attemptIn(context, world), escaping(READABLE), flags)).toEqual(['0', 'end']);
  });

  it('that name a program of the host cannot be opened to write: uevent_helper, release_agent', async (context) => {
    const helpers = '/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /sys/kernel/uevent_helper';
    const agents = '/sys/fs/cgroup/release_agent /sys/fs/cgroup/*/release_agent /sys/fs/cgroup/*/notify_on_release';
    const script = `for file in ${helpers} ${agents}; do (: >>$file) && echo $file; done 2>/dev/null; echo end`;
    expect(await run(attemptIn(context, world), escaping(script))).toEqual(['end']);
  });

  it('do not change with all capabilities dropped in lower case, which leaves none', async (context) => {
    const securityContext = { capabilities: { drop: ['all'] } };
    const script = `grep CapEff /proc/self/status | tr -d '\\t'; ${WRITABLE}`;
    expect(await run(attemptIn(context, world), escaping(script, { securityContext }))).toEqual([
      'CapEff:0000000000000000',
      'end',
    ]);
  });

  it('are out of reach in a container that sees the processes of the host, too', async (context) => {
    const script = `${WRITABLE}; cat /proc/keys | wc -c`;
    expect(await run(attemptIn(context, world), escaping(script, {}, { hostPID: true }))).toEqual(['end', '0']);
  });
});

it('no cgroup of the host can be made, or left, from inside', async (context) => {
  const name = `podrun-escape-${process.pid}`;
  const script = `for f in /sys/fs/cgroup /sys/fs/cgroup/*; do mkdir $f/${name}; done 2>/dev/null; echo tried`;
  expect(await run(attemptIn(context, ROOT_APART), escaping(script))).toEqual(['tried']);
  const groups = ['/sys/fs/cgroup', ...readdirSync('/sys/fs/cgroup').map((entry) => `/sys/fs/cgroup/${entry}`)];
  const made = groups.map((group) => `${group}/${name}`).filter((group) => existsSync(group));
  for (const group of made) rmdirSync(group);
  expect(made).toEqual([]);
});

it('a privileged container has them all, as on a node', async (context) => {
  const spec = escaping(`{ ${WRITABLE}; } | wc -l; wc -c < /proc/timer_list | sed 's/^0$/none/;s/^[0-9]*$/some/'`, {
    securityContext: { privileged: true },
  });
  expect(await run(attemptIn(context, ROOT_APART), spec)).toEqual(['6', 'some']);
});

it('procMount: Unmasked shows them, as on a node', async (context) => {
  const securityContext = { procMount: 'Unmasked' as const };
  const spec = escaping('grep -c " /proc/keys " /proc/self/mountinfo', { securityContext }, { hostUsers: false });
  expect(await run(attemptIn(context, USER_APART), spec)).toEqual(['0']);
});
