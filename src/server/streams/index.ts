import type { SubresourceHandlers } from '../../apiserver/answer.ts';
import { ATTACH, EXEC } from './command/command-handlers.ts';
import { PORT_FORWARD } from './forward/forward-handlers.ts';
import { LOG } from './log/log-handlers.ts';
import { NODE_PROXY } from './proxy/node-proxy.ts';
import { POD_PROXY, SERVICE_PROXY } from './proxy/proxy-handlers.ts';

/** The subresources that stream, by `plural/subresource`. */
export const STREAM_SUBRESOURCES: Readonly<Record<string, SubresourceHandlers>> = {
  'pods/exec': EXEC,
  'pods/attach': ATTACH,
  'pods/portforward': PORT_FORWARD,
  'pods/log': LOG,
  'pods/proxy': POD_PROXY,
  'services/proxy': SERVICE_PROXY,
  'nodes/proxy': NODE_PROXY,
};
