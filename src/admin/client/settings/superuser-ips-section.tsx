import { Alert, Button, TagsInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { IpList } from '../../../kernel/ip-list.js';
import { healthQuery } from '../api/queries.js';
import type { SettingsSectionProps } from './section-props.js';

/** From where superusers may come (UI-62). */
export function SuperuserIpsSection({ form }: SettingsSectionProps) {
  const health = useQuery(healthQuery);
  const list = form.settings!.superuserIPs;
  const ip = health.data?.data.realIP ?? '';
  const missing = list.length > 0 && ip !== '' && !IpList.of(list).has(ip);
  const failed = list.map((_, index) => form.errors.at(`superuserIPs.${index}`)).find(Boolean);
  return (
    <>
      <TagsInput
        label="Allowed addresses"
        description="IP addresses or subnets such as 10.0.0.0/8. Empty: from anywhere."
        splitChars={[',', ' ']}
        value={list}
        error={failed}
        onChange={(next) => form.set('superuserIPs', next)}
      />
      {ip && !IpList.of(list).has(ip) ? (
        <div>
          <Button size="compact-sm" variant="default" onClick={() => form.set('superuserIPs', [...list, ip])}>
            Add my IP ({ip})
          </Button>
        </div>
      ) : null}
      {missing ? (
        <Alert color="yellow.9" icon={<IconAlertTriangle size={18} />} role="alert">
          <span style={{ color: 'var(--ink)' }}>
            Your own address {ip} is missing. Saving this would lock you out;{' '}
            <span className="mono">roost superuser ips</span> on the server clears the list.
          </span>
        </Alert>
      ) : null}
    </>
  );
}
