import { readQuietly } from '../../quietly.ts';

/**
 * The variable of the processes that hold or serve a network and outlive their podrun: `PID:FOLDER`, with the podrun
 * that has started the process and the state folder of the Pods. `gc` finds those by it that no record names.
 */
const NETWORK_MARKER = 'PODRUN_NETWORK_OF';

/** The period of looks at the state folder: each starts two programs, for each Pod. */
const LOOK_EVERY_S = 30;

/** @param folder the state folder; undefined for a process that ends with podrun, which needs no mark */
export function networkMark(folder: string | undefined): Readonly<Record<string, string>> {
  return folder === undefined ? {} : { [NETWORK_MARKER]: `${process.pid}:${folder}` };
}

/**
 * The last lines of the script of a process that holds a network: it sleeps. One that outlives its podrun looks for the
 * state folder of its mark, and ends without it: no podrun would find it. The sleep in between ends with it.
 */
export const HOLD: string = `exec </dev/null >/dev/null 2>&1
[ -n "\$${NETWORK_MARKER}" ] || exec "$SLEEP" infinity
while [ -e "\${${NETWORK_MARKER}#*:}" ]; do "$SETPRIV" --pdeathsig KILL "$SLEEP" ${LOOK_EVERY_S}; done`;

/** A process that holds or serves a network. */
export interface MarkedNetwork {
  /** The state folder of the Pods. */
  readonly folder: string;
  /** The pid of the podrun that has started the process. */
  readonly maker: number;
}

/** The mark of a process. Undefined: it has none, or belongs to another user. */
export function markedNetworkOf(pid: number): MarkedNetwork | undefined {
  const environ = `\0${readQuietly(`/proc/${pid}/environ`)}`;
  const at = environ.indexOf(`\0${NETWORK_MARKER}=`);
  if (at < 0) return undefined;
  const [value = ''] = environ.slice(at + NETWORK_MARKER.length + 2).split('\0', 1);
  const colon = value.indexOf(':');
  return { folder: value.slice(colon + 1), maker: Number(value.slice(0, colon)) };
}
