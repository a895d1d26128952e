#!/bin/sh
# Runs a command as an ordinary user, 65533, who has a range of subordinate ids. Root calls it in a mount namespace of
# its own, where a copy of /etc knows this user:
#
#   unshare --mount sh test/scenarios/as-ranged-user.sh COMMAND...
set -e
folder=$(mktemp -d)
mount -t tmpfs -o mode=755 podrun-users "$folder"
cp -a /etc "$folder/etc"
echo "ranged:x:65533:65533::$HOME:/bin/sh" >>"$folder/etc/passwd"
echo 'ranged:x:65533:' >>"$folder/etc/group"
echo 'ranged:200000:65536' | tee "$folder/etc/subuid" >"$folder/etc/subgid"
mount --bind "$folder/etc" /etc
umount -l "$folder"
rmdir "$folder"
exec setpriv --reuid 65533 --regid 65533 --clear-groups "$@"
