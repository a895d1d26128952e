#!/bin/sh
# Runs a command with the rights that root has in a container of Docker, as it makes them by default (as root):
#
#   sh test/combinations/as-in-docker.sh COMMAND [ARGUMENT...]
#
# Root keeps Docker's fourteen capabilities: no SYS_ADMIN, hence no mounts. It cannot make user namespaces, and cgroups
# are read-only. It is in a user namespace of its own in which the ids 0 to 65535 are themselves: chown and setpriv
# work.
#
#   AS='COMMAND...'  a command that the given one is run by: `setpriv --reuid 65532 ...` for an ordinary user
set -eu

step=start
case ${1:-} in --mounted | --unmapped | --mapped) step=$1 && shift ;; esac

case $step in
start)
  script=$(realpath "$0")
  exec unshare --mount sh "$script" --mounted "$@"
  ;;
--mounted)
  awk '$5 ~ "^/sys/fs/cgroup" { print $5 }' /proc/self/mountinfo | while read -r point; do
    mount -o remount,bind,ro "$point"
  done
  # The ids are written from outside of the user namespace, as soon as it is there.
  own=$(readlink /proc/self/ns/user)
  (
    while [ "$(readlink "/proc/$$/ns/user")" = "$own" ]; do sleep 0.01; done
    for ids in uid_map gid_map; do echo '0 0 65536' >"/proc/$$/$ids"; done
  ) &
  exec unshare --user sh "$0" --unmapped "$@"
  ;;
--unmapped)
  until [ "$(cat /proc/self/gid_map)" ]; do sleep 0.01; done
  # Root has its rights from the next program on.
  exec sh "$0" --mapped "$@"
  ;;
--mapped)
  echo 0 >/proc/sys/user/max_user_namespaces
  kept='+chown,+dac_override,+fsetid,+fowner,+mknod,+net_raw,+setgid,+setuid,+setfcap,+setpcap,+net_bind_service'
  exec setpriv "--bounding-set=-all,$kept,+sys_chroot,+kill,+audit_write" --inh-caps=-all ${AS:-} "$@"
  ;;
esac
