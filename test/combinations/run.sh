#!/bin/sh
# Runs the tests as on other machines: with the rights that root has in Docker, as an ordinary user, with other versions
# of Node.js, in surroundings that no test may depend on (as root, after `npm ci`):
#
#   sh test/combinations/run.sh COMBINATION [ARGUMENT OF VITEST...]
#
#   root        root, with all rights
#   docker      root as in a container of Docker, with a checkout that only its owner may enter
#   user        an ordinary user, with a checkout of its own
#   bare-user   the same user where no namespaces can be made
#   odd         root with another language, time zone and umask, a temporary folder in memory, no terminal, no input,
#               and none of the programs that not every machine has
#
# NODE=FILE chooses another Node.js. PODRUN_TESTS=portable takes the part of the tests that covers each room:
# vitest.config.ts tells which, and what PODRUN_TESTS=rights and PODRUN_TESTS=surroundings leave out of it.
set -eu
cd "$(dirname "$0")/../.."

usage() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
  exit 2
}

user=65532

if [ "${1:-}" != --inside ]; then
  case ${1:-} in root | docker | user | bare-user | odd) ;; *) usage ;; esac
  if [ -n "${NODE:-}" ] && [ ! -x "$NODE" ]; then
    echo "there is no program $NODE: node test/fetch-nodes.mjs fetches other versions of Node.js" >&2
    exit 2
  fi
  # A container of an ordinary user shares folders with mounts below: these must not be in the way of tests.
  place=$(mktemp -d -p /mnt podrun-combination-XXXXXX)
  TMPDIR=$(mktemp -d)
  export TMPDIR
  # The mounts are private to the run: nothing of them is seen here.
  trap 'rm -rf "$place" "$TMPDIR"' EXIT
  status=0
  unshare --mount sh "$0" --inside "$place" "$@" || status=$?
  exit "$status"
fi

place=$2
combination=$3
shift 3
chmod 755 "$place"
mkdir "$place/bin" "$place/home"
chmod 1777 "$TMPDIR"
# Mounts of other programs beside it would be in the way as well.
awk -v beside="${TMPDIR%/*}/" 'index($5, beside) == 1 { print $5 }' /proc/self/mountinfo | sort -r |
  while read -r at; do umount "$at" 2>/dev/null || :; done

# `node` by name is the chosen one, also for what tests start.
node=$place/bin/node
touch "$node"
mount --bind "$(realpath "${NODE:-$(command -v node)}")" "$node"
PATH=$place/bin:$PATH
unset NODE_EXTRA_CA_CERTS

# The build has the code caches of the Node.js that made it. Without those of this one, each start of podrun in a home of
# its own, which many tests make, would compile the program: that takes longer than all else of it.
cp -a dist "$place"
mount --bind "$place/dist" dist
"$node" -e 'import("./code-caches.mjs").then(({ copyCodeCaches }) => copyCodeCaches("bin/podrun.js", "dist"))'

set -- "$node" node_modules/vitest/vitest.mjs run "$@"

# What vitest writes there at the end of a run, another run beside it would read at its start.
mkdir -p node_modules/.vite
mount -t tmpfs tmpfs node_modules/.vite

# The checkout of the ordinary user. The packages are those of this one, but for what vitest writes beside them. The user
# sees it at the place of this one, if it may go there: what vitest has translated holds for that place.
enter_own_checkout() {
  mkdir "$place/checkout" "$place/checkout/node_modules"
  git ls-files --cached --others --exclude-standard -z | tar -c --null --files-from - | tar -x -C "$place/checkout"
  cp -a dist "$place/checkout"
  mount --bind node_modules "$place/checkout/node_modules"
  for cache in .vite .vite-temp .experimental-vitest-cache; do
    mkdir -p "node_modules/$cache"
    mount -t tmpfs -o "uid=$user,gid=$user" tmpfs "$place/checkout/node_modules/$cache"
  done
  chown "$user:$user" "$place/home"
  find "$place/checkout" -name node_modules -prune -o -exec chown -h "$user:$user" {} +
  if $as_user test -r "$PWD/package.json"; then
    translated=node_modules/.experimental-vitest-cache
    cp "$translated"/* "$place/checkout/$translated"
    chown -R "$user:$user" "$place/checkout/$translated"
    mount --rbind "$place/checkout" "$PWD"
    cd "$PWD"
  else
    cd "$place/checkout"
  fi
}
as_user="setpriv --reuid $user --regid $user --clear-groups env HOME=$place/home"

case $combination in
root) "$@" ;;
docker)
  # The checkout is seen at its own place: what vitest has translated holds for that.
  mkdir -m 700 "$place/closed"
  for entry in $(ls -A); do
    if [ -d "$entry" ]; then mkdir "$place/closed/$entry"; else touch "$place/closed/$entry"; fi
    mount --rbind "$entry" "$place/closed/$entry"
  done
  mount --rbind "$place/closed" "$PWD"
  cd "$PWD"
  sh test/combinations/as-in-docker.sh "$@"
  ;;
user)
  enter_own_checkout
  $as_user "$@"
  ;;
bare-user)
  enter_own_checkout
  AS=$as_user sh test/combinations/as-in-docker.sh "$@"
  ;;
odd)
  # The programs of the packages that each Debian has, npm, and git.
  dpkg-query -W -f '${Essential} ${Package}\n' | awk '$1 == "yes" { print $2 }' |
    xargs dpkg -L mount procps mawk | grep -E '/s?bin/[^/]+$' |
    while read -r file; do ln -sf "$file" "$place/bin/"; done
  for name in awk git npm npx; do ln -sf "$(command -v "$name")" "$place/bin/"; done
  mount -t tmpfs -o mode=1777 tmpfs "$TMPDIR"
  umask 077
  LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 TZ=Asia/Kolkata TERM=dumb PATH=$place/bin setsid --wait "$@" </dev/null
  ;;
esac
