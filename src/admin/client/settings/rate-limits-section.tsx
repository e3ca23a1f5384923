import { ActionIcon, Anchor, Autocomplete, Button, NumberInput, Select, Switch, TagsInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useCollections } from '../api/queries.js';
import type { RateLimitRuleModel } from '../api/models.js';
import { Dialog } from '../design/dialog.js';
import type { SettingsSectionProps } from './section-props.js';
import { rateLabels, sortByPrecedence } from './rate-labels.js';
import classes from './settings.module.css';

function LabelHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog opened onClose={onClose} title="Labels of rate limits">
      <p>
        Exactly one rule applies to a request, the most particular one that fits. From the most to the least particular:
      </p>
      <ul>
        <li>
          <code>posts:create</code> an action on a collection; <code>*:create</code> on any; <code>create</code> the
          action alone
        </li>
        <li>
          <code>POST /api/collections/posts/records</code> a method and a path
        </li>
        <li>
          <code>/api/collections/posts/records</code> a path
        </li>
        <li>
          <code>POST /api/</code>, <code>/api/</code> everything below a path: it ends in a slash, and the longest one
          wins
        </li>
      </ul>
      <p>
        Actions: list, view, create, update, delete, file, auth, authWithPassword, authWithOAuth2, authWithOTP,
        authRefresh, requestOTP, requestPasswordReset, confirmPasswordReset, requestVerification, confirmVerification,
        requestEmailChange, confirmEmailChange, listAuthMethods.
      </p>
      <p>Requests are counted per rule and address; superusers are never counted.</p>
    </Dialog>
  );
}

/** Who may ask how often (UI-63). */
export function RateLimitsSection({ form }: SettingsSectionProps) {
  const { data: collections = [] } = useCollections();
  const [help, setHelp] = useState(false);
  const { rateLimits } = form.settings!;
  const labels = useMemo(() => rateLabels(collections), [collections]);
  const set = (index: number, change: Partial<RateLimitRuleModel>) =>
    form.set('rateLimits', {
      rules: rateLimits.rules.map((rule, at) => (at === index ? { ...rule, ...change } : rule)),
    });
  const error = (index: number, name: string) => form.errors.at(`rateLimits.rules.${index}.${name}`);
  return (
    <>
      <Switch
        label="Enabled"
        checked={rateLimits.enabled}
        error={form.errors.at('rateLimits.rules')}
        onChange={(event) =>
          form.set('rateLimits', { enabled: event.currentTarget.checked, rules: sortByPrecedence(rateLimits.rules) })
        }
      />
      <div className={classes.ruleScroll} role="group" aria-label="Rules">
        <div className={`${classes.ruleRow} label-caps`} aria-hidden>
          <span>Label</span>
          <span>Requests</span>
          <span>Seconds</span>
          <span>Who</span>
        </div>
        {rateLimits.rules.map((rule, index) => (
          // Labels are edited in place and may be equal for a moment.
          // eslint-disable-next-line react/no-array-index-key
          <div key={index} className={classes.ruleRow}>
            <Autocomplete
              aria-label={`Label of rule ${index + 1}`}
              classNames={{ input: 'mono' }}
              data={labels}
              limit={30}
              value={rule.label}
              error={error(index, 'label')}
              onChange={(label) => set(index, { label })}
            />
            <NumberInput
              aria-label={`Requests of rule ${index + 1}`}
              min={1}
              allowDecimal={false}
              hideControls
              value={rule.maxRequests}
              error={error(index, 'maxRequests')}
              onChange={(value) => set(index, { maxRequests: Number(value) || 0 })}
            />
            <NumberInput
              aria-label={`Seconds of rule ${index + 1}`}
              min={1}
              allowDecimal={false}
              hideControls
              value={rule.duration}
              error={error(index, 'duration')}
              onChange={(value) => set(index, { duration: Number(value) || 0 })}
            />
            <Select
              aria-label={`Who rule ${index + 1} is for`}
              allowDeselect={false}
              value={rule.audience || 'all'}
              data={[
                { value: 'all', label: 'All' },
                { value: '@guest', label: 'Guests' },
                { value: '@auth', label: 'Signed in' },
              ]}
              error={error(index, 'audience')}
              onChange={(value) =>
                set(index, { audience: (value === 'all' ? '' : value) as RateLimitRuleModel['audience'] })
              }
            />
            <ActionIcon
              aria-label={`Remove rule ${index + 1}`}
              mt={2}
              onClick={() => form.set('rateLimits', { rules: rateLimits.rules.filter((_, at) => at !== index) })}
            >
              <IconTrash size={15} />
            </ActionIcon>
          </div>
        ))}
      </div>
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: '4px 12px', alignItems: 'center' }}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() =>
            form.set('rateLimits', {
              rules: [...rateLimits.rules, { label: '', audience: '', duration: 10, maxRequests: 300 }],
            })
          }
        >
          Add rule
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          onClick={() => form.set('rateLimits', { rules: sortByPrecedence(rateLimits.rules) })}
        >
          Sort by precedence
        </Button>
        <Anchor component="button" type="button" size="sm" ml="auto" onClick={() => setHelp(true)}>
          About labels
        </Anchor>
      </div>
      <TagsInput
        label="Never counted"
        description="IP addresses or subnets"
        splitChars={[',', ' ']}
        value={rateLimits.excludedIPs}
        error={rateLimits.excludedIPs
          .map((_, index) => form.errors.at(`rateLimits.excludedIPs.${index}`))
          .find(Boolean)}
        onChange={(excludedIPs) => form.set('rateLimits', { excludedIPs })}
      />
      {help ? <LabelHelp onClose={() => setHelp(false)} /> : null}
    </>
  );
}
