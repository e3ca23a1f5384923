import { IpList } from '../kernel/ip-list.js';
import type { Settings } from './settings.js';

/** Whether superusers may act from this address: from any, while the setting `superuserIPs` lists none (AUTH-206). */
export function allowsSuperusers({ superuserIPs }: Pick<Settings, 'superuserIPs'>, ip: string): boolean {
  return superuserIPs.length === 0 || IpList.of(superuserIPs).has(ip);
}
