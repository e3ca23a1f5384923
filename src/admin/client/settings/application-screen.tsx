import { ColorInput, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IpList } from '../../../kernel/ip-list.js';
import { healthQuery } from '../api/queries.js';
import type { SettingsModel } from '../api/models.js';
import { useConfirm } from '../design/confirm.js';
import { contrastWithWhite } from '../design/accent-shades.js';
import { Section } from '../design/section.js';
import { SideBySide } from '../design/side-by-side.js';
import { BatchSection } from './batch-section.js';
import { RateLimitsSection } from './rate-limits-section.js';
import { RealtimeSection } from './realtime-section.js';
import type { SettingsSectionProps } from './section-props.js';
import { SettingsForm } from './settings-form.js';
import classes from './settings.module.css';
import { SuperuserIpsSection } from './superuser-ips-section.js';
import { TrustedProxySection } from './trusted-proxy-section.js';
import { useSettingsForm } from './use-settings-form.js';

const PRESETS = ['#1f6f5c', '#24598f', '#5b4bb0', '#8a3b72', '#a63d40', '#8a5a14', '#4c6b1f', '#3c4a52'];

function AccentInput({ form }: SettingsSectionProps) {
  const value = form.settings!.meta.accentColor;
  const tooLight = /^#[0-9a-f]{6}$/i.test(value) && contrastWithWhite(value) < 4.5;
  return (
    <Stack gap={8}>
      <div style={{ fontWeight: 500 }}>Accent colour</div>
      <Group gap={8}>
        {PRESETS.map((colour) => (
          <button
            key={colour}
            type="button"
            className={classes.swatch}
            style={{ background: colour }}
            aria-label={`Accent ${colour}`}
            aria-pressed={value === colour}
            onClick={() => form.set('meta', { accentColor: colour })}
          />
        ))}
      </Group>
      <ColorInput
        aria-label="Accent colour"
        description="Marks what is active. White text has to be readable on it."
        value={value}
        format="hex"
        popoverProps={{ shadow: 'md' }}
        eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
        error={
          form.errors.at('meta.accentColor') ??
          (tooLight ? 'Too light: white text could not be read on it.' : undefined)
        }
        onChange={(accentColor) => form.set('meta', { accentColor })}
      />
    </Stack>
  );
}

function onOff(on: boolean): string {
  return on ? 'Enabled' : 'Disabled';
}

function limitsStreams({ realtime }: SettingsModel): boolean {
  return realtime.maxStreamsPerIP > 0 || realtime.maxStreamsPerAccount > 0;
}

/** Name, address, look, and who may do how much (UI-60). */
export function ApplicationScreen() {
  const form = useSettingsForm(['meta', 'trustedProxy', 'rateLimits', 'batch', 'realtime', 'superuserIPs']);
  const health = useQuery(healthQuery);
  const confirm = useConfirm();
  const save = async () => {
    const { settings, stored } = form;
    if (!settings || !stored) return;
    if (settings.meta.accentColor.startsWith('#') && contrastWithWhite(settings.meta.accentColor) < 4.5) return;
    if (JSON.stringify(settings.superuserIPs) !== JSON.stringify(stored.superuserIPs) && settings.superuserIPs.length) {
      const ip = health.data?.data.realIP ?? '';
      const sure = await confirm({
        title: 'Restrict superusers to these addresses?',
        body: (
          <>
            <p className="mono" style={{ whiteSpace: 'pre-wrap' }}>
              {settings.superuserIPs.join('\n')}
            </p>
            {ip && !IpList.of(settings.superuserIPs).has(ip) ? (
              <p style={{ color: 'var(--danger)' }}>Your own address {ip} is not among them: you will be locked out.</p>
            ) : null}
            {ip ? null : <p>Your own address is not known here. Make sure that it is among them.</p>}
            <p>
              If you lock yourself out, run <span className="mono">roost superuser ips</span> on the server; it clears
              the list.
            </p>
          </>
        ),
        action: 'Restrict superusers',
        danger: true,
      });
      if (!sure) return;
    }
    await form.save();
  };
  return (
    <SettingsForm form={form} onSave={() => void save()}>
      {(settings) => (
        <>
          <SideBySide>
            <TextInput label="Application name" required {...form.text('meta', 'appName')} />
            <TextInput label="Application URL" required type="url" {...form.text('meta', 'appURL')} />
          </SideBySide>
          <AccentInput form={form} />
          <Switch
            label="Hide controls that change the structure"
            description="Against changes by mistake in production: settings of collections, new collections, import and export disappear; records have to be unlocked before saving."
            {...form.toggle('meta', 'hideControls')}
          />
          <div>
            <Section
              title="Trusted proxy"
              state={settings.trustedProxy.headers.length ? 'Set' : 'None'}
              on={settings.trustedProxy.headers.length > 0}
              failed={form.errors.under('trustedProxy')}
            >
              <TrustedProxySection form={form} />
            </Section>
            <Section
              title="Rate limiting"
              state={onOff(settings.rateLimits.enabled)}
              on={settings.rateLimits.enabled}
              failed={form.errors.under('rateLimits')}
            >
              <RateLimitsSection form={form} />
            </Section>
            <Section
              title="Batch requests"
              state={onOff(settings.batch.enabled)}
              on={settings.batch.enabled}
              failed={form.errors.under('batch')}
            >
              <BatchSection form={form} />
            </Section>
            <Section
              title="Realtime"
              state={limitsStreams(settings) ? 'Limited' : 'No limit'}
              on={limitsStreams(settings)}
              failed={form.errors.under('realtime')}
            >
              <RealtimeSection form={form} />
            </Section>
            <Section
              title="Superuser IPs"
              state={settings.superuserIPs.length ? `${settings.superuserIPs.length} allowed` : 'Any'}
              on={settings.superuserIPs.length > 0}
              failed={form.errors.under('superuserIPs')}
            >
              <SuperuserIpsSection form={form} />
            </Section>
          </div>
        </>
      )}
    </SettingsForm>
  );
}
