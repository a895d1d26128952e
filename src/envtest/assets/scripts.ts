import type { Dialect } from '../../apiserver/index.ts';
import { ETCD_COMMAND } from '../base/mode.ts';
import { VERSION_VARIABLE } from '../base/suite-version.ts';
import { SWITCHES, VALUES } from '../flags/known-flags.ts';

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

const HEAD = `#!/bin/sh
# Written by podrun envtest: see docs/envtest.md of podrun.
`;

/** Prints help or a version for the words that ask for it. envtest asks for help before each start. */
function asks(help: string, version: string): string {
  return `for word do
  case $word in
  --help | -h) printf '%s\\n' ${quoted(help)}; exit 0 ;;
  --version | --version=true) echo ${quoted(version)}; exit 0 ;;
  esac
done
`;
}

/** The script etcd: podrun itself, which also serves the API, of a version of Kubernetes. */
export function etcdScript(podrun: readonly string[], { gitVersion }: Dialect): string {
  const help = `etcd of podrun envtest: keeps the objects of one kube-apiserver as long as it runs.

  --listen-client-urls    the address to listen at, http://HOST:PORT
  --data-dir              the folder of the objects
  --advertise-client-urls, --listen-peer-urls, --unsafe-no-fsync and all other flags of etcd are accepted`;
  const command = [...podrun, ETCD_COMMAND].map(quoted).join(' ');
  const version = `export ${VERSION_VARIABLE}=${gitVersion}\n`;
  return `${HEAD}${asks(help, 'etcd Version: 3.6.0 (podrun)')}${version}exec ${command} "$@"\n`;
}

/**
 * The script kube-apiserver. It passes its flags to the etcd of podrun that they name, which serves, and lives as long
 * as its server: a program of Node.js would take 40 MB more. Pipes tell each side when the other is gone.
 */
export function apiserverScript({ gitVersion }: Dialect): string {
  const flags = [...[...SWITCHES].map((name) => `  --${name}`), ...[...VALUES].map((name) => `  --${name} value`)];
  const hidden = /^ {2}--(insecure-port|insecure-bind-address) /;
  const help = `kube-apiserver of podrun envtest. Flags:
${flags
  .filter((line) => !hidden.test(line))
  .toSorted()
  .join('\n')}`;
  return `${HEAD}${asks(help, `Kubernetes ${gitVersion}`)}
fail() {
  echo "Error: $1" >&2
  exit 1
}
servers=
next=
for word do
  case $next$word in
  --etcd-servers=*) servers=\${word#*=} ;;
  --etcd-servers) next=: ;;
  :*) servers=$word next= ;;
  esac
done
[ -n "$servers" ] || fail '--etcd-servers must be specified'
server=\${servers%%,*}
server=\${server%/}
temporary=\${TMPDIR:-\${TMP:-\${TEMP:-/tmp}}}
place=\${temporary%/}/podrun-envtest-$(id -u)/\${server##*:}
lost="no etcd of podrun runs at $server: start the etcd beside this program first"
[ -O "$place/pid" ] && read -r pid <"$place/pid" && kill -0 "$pid" 2>/dev/null || fail "$lost"
own=$place/$$
umask 077
mkfifo "$own.in" "$own.out" || fail "$lost"
exec 3<>"$own.in"
for word do
  printf '%s\\0' "$word"
done >"$own.new"
mv "$own.new" "$own.flags"
(
  trap '' TERM INT
  # The server sees the end of the first pipe only when the second one is open here.
  {
    exec 3>&-
    while IFS= read -r line; do
      case $line in
      'exit '*) exit "\${line#exit }" ;;
      *) printf '%s\\n' "\${line#say }" >&2 ;;
      esac
    done
  } <"$own.out"
  exit 1
) &
trap 'exec 3>&-' TERM INT
wait $!
code=$?
# A signal ends the wait: the server gets to know, and ends the loop.
if [ $code -gt 128 ]; then
  wait $!
  code=$?
fi
exit $code
`;
}

/** The script kubectl: the kubectl of this machine. */
export function kubectlScript(): string {
  return `${HEAD}own=$(cd "$(dirname "$0")" && pwd)
IFS=:
for folder in $PATH; do
  [ "$folder" = "$own" ] || [ ! -x "$folder/kubectl" ] || exec "$folder/kubectl" "$@"
done
echo 'Error: no kubectl is in PATH' >&2
exit 127
`;
}
