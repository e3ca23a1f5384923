import { Alert, Button, Group, Select, TagsInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { messageOf } from '../api/failure.js';
import { healthQuery } from '../api/queries.js';
import type { SettingsSectionProps } from './section-props.js';

const USUAL = ['X-Forwarded-For', 'Fly-Client-IP', 'CF-Connecting-IP', 'X-Real-IP'];

/** Which headers tell the real address of a client; shows live what the server makes of them (UI-61). */
export function TrustedProxySection({ form }: SettingsSectionProps) {
  const health = useQuery({ ...healthQuery, refetchInterval: 20_000 });
  const { headers, useLeftmostIP } = form.settings!.trustedProxy;
  const seen = health.data?.data;
  const { realIP = '', possibleProxyHeader = '' } = seen ?? {};
  const mismatch =
    Boolean(possibleProxyHeader) &&
    !headers.some((header) => header.toLowerCase() === possibleProxyHeader.toLowerCase());
  // What is not known yet is no reason to warn.
  const idle = seen !== undefined && headers.length > 0 && !possibleProxyHeader && !form.dirty;
  return (
    <>
      {seen || health.isPending ? (
        <p style={{ margin: 0 }}>
          Your address as the server sees it: <b className="mono">{seen ? realIP || 'unknown' : '…'}</b>. Detected proxy
          header: <b className="mono">{seen ? possibleProxyHeader || 'none' : '…'}</b>
        </p>
      ) : (
        <p role="alert" style={{ margin: 0 }}>
          What the server sees of your requests could not be found out. {messageOf(health.error)}{' '}
          <Button size="compact-xs" variant="default" loading={health.isFetching} onClick={() => void health.refetch()}>
            Check again
          </Button>
        </p>
      )}
      {mismatch ? (
        <Alert color="yellow.9" icon={<IconAlertTriangle size={18} />} role="status">
          <span style={{ color: 'var(--ink)' }}>
            Requests carry {possibleProxyHeader}, which is not trusted: the server seems to be behind a proxy and takes
            every client for the proxy.
          </span>
        </Alert>
      ) : null}
      {idle ? (
        <Alert color="yellow.9" icon={<IconAlertTriangle size={18} />} role="status">
          <span style={{ color: 'var(--ink)' }}>
            The trusted headers are not in your requests: without a proxy in front, everyone could send them.
          </span>
        </Alert>
      ) : null}
      <TagsInput
        label="Trusted headers"
        description="Only headers that your proxy sets itself; clients can forge the others."
        data={USUAL}
        value={headers}
        onChange={(next) => form.set('trustedProxy', { headers: next })}
      />
      <Group gap={6}>
        {USUAL.filter((header) => !headers.includes(header)).map((header) => (
          <Button
            key={header}
            size="compact-xs"
            variant="default"
            onClick={() => form.set('trustedProxy', { headers: [...headers, header] })}
          >
            {header}
          </Button>
        ))}
        {headers.length ? (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            onClick={() => form.set('trustedProxy', { headers: [] })}
          >
            Clear
          </Button>
        ) : null}
      </Group>
      <Select
        label="Which address of the header"
        allowDeselect={false}
        value={useLeftmostIP ? 'left' : 'right'}
        data={[
          { value: 'right', label: 'Rightmost, added by your proxy' },
          { value: 'left', label: 'Leftmost, the first one named' },
        ]}
        onChange={(value) => form.set('trustedProxy', { useLeftmostIP: value === 'left' })}
      />
    </>
  );
}
